/**
 * Replies that follow each other: the API wants a turn of the user before calls.
 *
 * @module
 */
import { callOf, isModel, partsOf, saidIn, type GeminiContent } from './content.ts';

/** The same contents; one with calls takes in what the model said directly before it. */
export function joinReplies(contents: readonly GeminiContent[]): readonly GeminiContent[] {
  const out: GeminiContent[] = [];
  for (const content of contents) {
    const parts = partsOf(content);
    const before = out.at(-1);
    const follows = before !== undefined && isModel(before) && isModel(content);
    if (!follows || !parts.some((part) => callOf(part) !== undefined)) {
      out.push(content);
      continue;
    }
    const said: GeminiContent[] = [];
    for (let last = out.at(-1); last !== undefined && isModel(last); last = out.at(-1))
      said.unshift(out.pop() as never);
    const all = [...said.flatMap(partsOf), ...separator(parts), ...parts];
    out.push({ ...before, parts: all });
  }
  return out;
}

/** What keeps a reply that begins with a call apart from the reply before it in one turn: the call is not that one's. */
export function separator(parts: readonly object[]): readonly object[] {
  const first = parts.find((part) => callOf(part) !== undefined || saidIn(part) !== undefined);
  return first === undefined || callOf(first) === undefined ? [] : [{ text: '\n' }];
}
