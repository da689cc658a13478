/**
 * The requests of a conversation apart from those that a program makes beside it: titles, summaries, suggestions.
 *
 * @module
 */
import type { ModelRequest } from '../request-record.ts';
import { toolsOf } from './request-tools.ts';

/**
 * The requests that carry a program's conversation: of all that a server has seen those that declare as many tools as
 * any of them. What names a chat or guesses the next prompt declares none, or fewer.
 *
 * It is as sharp as what it has seen: give it all requests of a program and not only the latest.
 *
 * @param requests The requests of one program.
 * @returns Those of the conversation, in their order.
 * @since 0.1.0
 */
export function mainRequests<T extends Pick<ModelRequest, 'body'>>(requests: readonly T[]): readonly T[] {
  const counts = requests.map((request) => toolsOf(request).length);
  const most = Math.max(0, ...counts);
  return requests.filter((_, index) => counts[index] === most);
}
