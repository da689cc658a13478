/**
 * Writes the events of a controller, and of its sub-agents, into the book.
 *
 * @module
 */
import type { InterruptEvent } from '../index.ts';
import type { TraceBook } from './trace-book.ts';

/** The row of a turn or of background work, among those of every agent. */
function rowId({ instanceId }: InterruptEvent, id: number | string): string {
  return `${instanceId}/${String(id)}`;
}

/** A turn of a sub-agent is part of the operation that waits for it; any other hangs on its agent. */
function parentOfTurn(event: InterruptEvent, book: TraceBook): string {
  const { agent, instanceId, parentId } = event;
  if (parentId === undefined) return instanceId;
  const prefix = `${parentId}/`;
  const waiting = book.findLast(
    ({ id, kind, name, outcome }) =>
      kind === 'subagent' && name === agent && outcome === 'running' && id.startsWith(prefix),
  );
  return waiting?.id ?? instanceId;
}

/** Returns a listener for `onEvent`. */
export function followAgent(book: TraceBook): (event: InterruptEvent) => void {
  return (event) => {
    const { agent, instanceId, parentId, at } = event;
    book.addToken({
      id: instanceId,
      ...(parentId === undefined ? {} : { parentId }),
      kind: 'agent',
      name: agent,
    });
    switch (event.type) {
      case 'interrupt-requested':
        book.request(event.kind, agent, event.reason, at);
        return;
      case 'turn-started': {
        const row = { id: rowId(event, event.turnId), parentId: parentOfTurn(event, book) };
        book.start({ ...row, kind: 'turn', name: `turn ${String(event.turnId)}`, agent, startedAt: at });
        return;
      }
      case 'turn-stopping':
        book.ask(rowId(event, event.turnId), event.reason, at);
        return;
      case 'turn-ended':
        book.end(rowId(event, event.turnId), event.status, at);
        return;
      case 'operation-started': {
        const { operationId: id, operationKind: kind, name } = event;
        book.start({ id, parentId: rowId(event, event.turnId), kind, name, agent, startedAt: at });
        return;
      }
      case 'operation-stopping':
        book.ask(event.operationId, event.reason, at);
        return;
      case 'operation-ended':
        book.end(event.operationId, event.outcome, at);
        return;
      case 'background-started': {
        const row = { id: rowId(event, event.id), parentId: instanceId, kind: 'background' };
        book.start({ ...row, name: event.name, agent, startedAt: at });
        return;
      }
      case 'background-ended':
        book.end(rowId(event, event.id), event.status, at);
        return;
      case 'late-settled': {
        const late = book.findLast(
          ({ id, kind, name, outcome, late: known }) =>
            kind === 'background' &&
            outcome === 'abandoned' &&
            known === undefined &&
            name === event.name &&
            id.startsWith(`${instanceId}/`),
        );
        if (late !== undefined) book.end(late.id, event.status, at);
        return;
      }
      default:
    }
  };
}
