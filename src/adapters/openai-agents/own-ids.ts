/**
 * Ids that calls have for themselves. A server may number the calls of each reply anew (`call_0`); the SDK takes calls that
 * share an id for one, sends only the last of them, and what the others did is forgotten.
 *
 * @module
 */
import { isObject } from '../../core/inside.ts';
import { ownIds } from '../internal/framework/own-id.ts';

/** What decides about ids: what was sent before, and whether the provider holds more than that. */
export interface Asked {
  readonly input: unknown;
  readonly previousResponseId?: unknown;
  readonly conversationId?: unknown;
}

/** Whether the provider holds the conversation, and is sent only what is new. */
export function isHeld({ previousResponseId, conversationId }: Asked): boolean {
  return (previousResponseId ?? conversationId ?? undefined) !== undefined;
}

/**
 * The output of a response with an id of its own for each call that has that of an earlier one. What the provider holds
 * is known to it by the ids that it gave, and stays.
 *
 * @param idOf Gives ids that no call of a conversation has; without it the calls of the request are what is known.
 */
export function withOwnIds<R>(response: R, request: Asked, idOf?: (given: string) => string): R {
  const { input } = request;
  const output = isObject(response) ? (response as { readonly output?: unknown }).output : undefined;
  if (!Array.isArray(output) || isHeld(request)) return response;
  if (idOf !== undefined) {
    const own = (output as readonly object[]).map((item) => {
      const id = callIdOf(item);
      return id === undefined ? item : { ...item, callId: idOf(id) };
    });
    return { ...response, output: own };
  }
  if (!Array.isArray(input)) return response;
  const taken = new Set((input as readonly unknown[]).map(callIdOf));
  const ids = (output as readonly unknown[]).map(callIdOf);
  const shared = new Set(ids.filter((id) => id !== undefined && taken.has(id)));
  if (shared.size === 0) return response;
  for (const id of ids) taken.add(id);
  const ownIdOf = ownIds(taken);
  const copies = new Map([...shared].map((id) => [id, ownIdOf(id as string)]));
  const own = output.map((item: object) => {
    const copy = copies.get(callIdOf(item));
    return copy === undefined ? item : { ...item, callId: copy };
  });
  return { ...response, output: own };
}

function callIdOf(item: unknown): string | undefined {
  const { callId } = (isObject(item) ? item : {}) as { readonly callId?: unknown };
  return typeof callId === 'string' && callId !== '' ? callId : undefined;
}
