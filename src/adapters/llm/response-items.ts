/**
 * Whose the calls are among the items of a response.
 *
 * @module
 */
import { textIn } from './folds/fold.ts';

type Fields = Readonly<Record<string, unknown>>;

const callType = /^(?:function|custom_tool|shell|local_shell|apply_patch|computer|tool_search)_call$/;

/** Whether a type is of calls that the caller may have to answer. */
export function isCall(type: unknown): boolean {
  return callType.test(String(type));
}

/** Whether it is for the caller to answer: the provider runs what stands in a container, and may search by itself. */
export function isOurs({ type, environment, execution }: Fields): boolean {
  const isInside = textIn((environment as Fields | null | undefined)?.['type']).startsWith('container');
  return isCall(type) && !isInside && (type !== 'tool_search_call' || execution === 'client');
}

/** Whether the provider runs it itself: it may have run to its end, however little of it had come. */
export function isTheirs(item: Fields): boolean {
  return textIn(item['type']).endsWith('_call') && !isOurs(item);
}
