/**
 * The requests of a conversation apart from those that a program makes beside it: titles, summaries, suggestions.
 *
 * @module
 */
import { toolsOf, type RequestBody } from './request-tools.ts';

/** The names of the tools that a request declares. */
export const toolNamesOf = (request: RequestBody): readonly string[] => toolsOf(request).map(({ name }) => name);

/**
 * Whether a request has the tools of a conversation, by their names: half of them or more. A program may add one, or take one away, from one
 * request to the next; what it asks beside its conversation has none of them, or the few that it needs.
 */
export function hasToolsOf(request: RequestBody, tools: readonly string[]): boolean {
  const own = new Set(toolNamesOf(request));
  return tools.filter((name) => own.has(name)).length * 2 >= tools.length;
}

/**
 * The requests that carry a program's conversation: of all that a server has seen those with most of the tools of the
 * one that declares most. What names a chat or guesses the next prompt declares none, or few.
 *
 * It is as sharp as what it has seen: give it all requests of a program and not only the latest.
 */
export function mainRequests<T extends RequestBody>(requests: readonly T[]): readonly T[] {
  const names = requests.map(toolNamesOf).reduce((most, own) => (own.length > most.length ? own : most), []);
  return requests.filter((request) => hasToolsOf(request, names));
}
