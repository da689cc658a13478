/**
 * Calls that the next request may hold: each with a name, and with an id of its own. A server may number the calls of each
 * reply anew, or not at all, and the SDK's client makes a call without a name of what it cannot put together: the whole
 * conversation is refused then.
 *
 * @module
 */
import { ownIds } from '../internal/framework/own-id.ts';
import { partsOf, type Part, type Reply } from './shapes.ts';

/**
 * The reply without calls that have no name, and with an id of its own for each that has none, or that of another; the same
 * object where nothing has to change. A call to the Responses API has the id of its item behind its own, as `call|item`.
 *
 * @param before What was said before it.
 */
export function withLegalCalls(reply: Reply, before: readonly unknown[]): Reply {
  const taken = new Set<unknown>(before.flatMap(partsOf).flatMap((part) => (isCall(part) ? [part.id] : [])));
  const idOf = ownIds(taken);
  const content = reply.content.flatMap((part) => {
    if (!isCall(part)) return [part];
    if (isBlank(part.name)) return [];
    const id = idOf(...namesOf(part.id));
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

/** The id of a call, which may have that of its item behind it. */
function namesOf(given: unknown): [own: string, item: string] {
  const [, own = '', item = ''] = /^([^|]*)(.*)$/s.exec(typeof given === 'string' ? given : '') ?? [];
  return [isBlank(own) ? 'call' : own, item];
}
