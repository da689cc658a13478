/**
 * Calls that the next request may hold: each with a name, and with an id of its own. A server may number the calls of each
 * reply anew, or not at all, and the SDK's client makes a call without a name of what it cannot put together: the whole
 * conversation is refused then.
 *
 * @module
 */
import { partsOf, type Part, type Reply } from './shapes.ts';

/**
 * The reply without calls that have no name, and with an id of its own for each that has none, or that of another; the same
 * object where nothing has to change. A call to the Responses API has the id of its item behind its own, as `call|item`.
 *
 * @param before What was said before it.
 */
export function withLegalCalls(reply: Reply, before: readonly unknown[]): Reply {
  const taken = new Set<unknown>(before.flatMap(partsOf).flatMap((part) => (isCall(part) ? [part.id] : [])));
  const content = reply.content.flatMap((part) => {
    if (!isCall(part)) return [part];
    if (isBlank(part.name)) return [];
    const id = idFor(part.id, taken);
    taken.add(id);
    return [id === part.id ? part : { ...part, id }];
  });
  const isSame = content.length === reply.content.length && content.every((part, at) => part === reply.content[at]);
  return isSame ? reply : { ...reply, content };
}

function isCall({ type }: Part): boolean {
  return type === 'toolCall';
}

function isBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() === '';
}

function idFor(given: unknown, taken: ReadonlySet<unknown>): string {
  const [, own = '', item = ''] = /^([^|]*)(.*)$/s.exec(typeof given === 'string' ? given : '') ?? [];
  const name = isBlank(own) ? 'call' : own;
  let id = name + item;
  for (let n = 2; taken.has(id); n += 1) id = `${name}_copy${String(n)}${item}`;
  return id;
}
