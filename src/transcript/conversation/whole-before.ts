/**
 * Where a conversation can be taken apart: between messages that can be sent without those before them.
 *
 * @module
 */
import type { DialectRules } from '../dialects/rules.ts';
import { addAll } from '../reading/join-messages.ts';

/**
 * How many pieces of a conversation can go together, from its start, so that nothing of them is torn from what stays. Which
 * messages are of one reply nobody has to have kept: its results are illegal without it, and it without them.
 *
 * What is torn says where it stands, so that the place before it is the next that can do: a few looks at the whole, however
 * long it is.
 *
 * @param pieces Each as messages.
 * @param end How many messages may go.
 */
export function wholeBefore<M>(rules: DialectRules<M>, pieces: readonly (readonly M[])[], end: number): number {
  const { check, opening } = rules;
  const all = pieces.flat();
  const ends = [0];
  for (const piece of pieces) ends.push((ends.at(-1) as number) + piece.length);
  const endOf = (count: number): number => ends[count] as number;
  const sent: M[] = [];
  let whole = pieces.findIndex((piece) => addAll(rules, sent, piece).length > end);
  if (whole === -1) whole = pieces.length;
  while (whole > 0) {
    const gone = endOf(whole);
    const torn = brokenIn(0, gone).reduce((first, { at }) => Math.min(first, Math.max(at, 0)), gone);
    if (torn < gone) whole = ends.findIndex((one) => one > torn) - 1;
    else {
      const broken = brokenIn(gone, all.length);
      // What waits for somebody is open either way.
      const before = broken.length > 0 ? brokenIn(0, all.length) : [];
      if (broken.every((one) => before.some(({ at, rule }) => at === one.at && rule === one.rule))) break;
      whole -= 1;
    }
  }
  return whole;

  function brokenIn(from: number, to: number): readonly { readonly at: number; readonly rule: string }[] {
    const broken: { at: number; rule: string }[] = [];
    check([opening, ...all.slice(from, to)], (at, rule) => broken.push({ at: from + at - 1, rule }), 'keep', true);
    return broken;
  }
}
