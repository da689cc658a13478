/**
 * Where a conversation can be taken apart: between messages that can be sent without those before them.
 *
 * @module
 */
import type { DialectRules } from '../dialects/rules.ts';

/**
 * How many pieces of a conversation can go together, from its start, so that nothing of them is torn from what stays. Which
 * messages are of one reply nobody has to have kept: its results are illegal without it, and it without them.
 *
 * @param pieces Each as messages.
 * @param end How many messages may go.
 */
export function wholeBefore<M>(
  { check, opening, join = (messages) => messages }: DialectRules<M>,
  pieces: readonly (readonly M[])[],
  end: number,
): number {
  let whole = 0;
  let run: M[] = [];
  const before: M[] = [];
  for (const [at, piece] of pieces.entries()) {
    before.push(...piece);
    if (before.length > end && join(before).length > end) break;
    run.push(...piece);
    const broken: string[] = [];
    check([opening, ...run], (_at, rule) => broken.push(rule), 'keep', true);
    if (broken.length > 0) continue;
    whole = at + 1;
    run = [];
  }
  return whole;
}
