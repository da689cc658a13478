import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  conversation,
  type CallIdStyle,
  type Conversation,
  type ConversationRound,
  type ResultStyle,
} from '../../../../src/testing/fast-check/transcripts/conversation.ts';

const callsOf = ({ replies }: ConversationRound) => replies.flatMap(({ calls }) => calls);
const allCalls = ({ rounds }: Conversation) => rounds.flatMap(callsOf);
const sample = (given: Parameters<typeof conversation>[0], numRuns = 200): readonly Conversation[] =>
  fc.sample(conversation(given), { seed: 21, numRuns });
const idsOf = (style: CallIdStyle) => sample({ ids: [style] }).flatMap((one) => allCalls(one).map(({ id }) => id));

describe('conversation()', () => {
  it('conversation() gives the same for the same seed and path, whatever was drawn before', () => {
    const draw = (): unknown => fc.sample(conversation(), { seed: 7, numRuns: 40 });
    const first = draw();
    fc.sample(conversation(), 3);
    expect(draw()).toEqual(first);
    const law = fc.property(conversation(), (one) => allCalls(one).length < 3);
    const found = fc.check(law, { seed: 7 });
    const again = fc.check(law, { seed: 7, path: found.counterexamplePath ?? '', endOnFailure: true });
    expect([found.failed, again.counterexample]).toEqual([true, found.counterexample]);
  });

  it('conversation() gives a mark to each thing in it, once', () => {
    for (const { rounds } of sample({})) {
      const marks = rounds.flatMap(({ prompt, replies, results }) => [
        prompt,
        ...replies.flatMap(({ text, calls }) => [text, ...calls.map(({ mark }) => `text<${mark}>`)]),
        ...results.filter(({ isOrphan }) => isOrphan).map(({ mark }) => `text<${mark}>`),
      ]);
      expect(new Set(marks).size).toBe(marks.length);
    }
  });

  it.each<[CallIdStyle, (id: string | undefined) => boolean]>([
    ['unique', (id) => /^id_\d+$/.test(id ?? '')],
    ['empty', (id) => id === ''],
    ['missing', (id) => id === undefined],
    ['shared', (id) => id === 'shared'],
    ['foreign', (id) => /^functions\.read:\d+$/.test(id ?? '')],
    ['long', (id) => (id?.length ?? 0) > 64],
    ['renumbered', (id) => /^call_[0-3]$/.test(id ?? '')],
    ['mixed', (id) => id === '' || /^id_\d+$/.test(id ?? '')],
  ])('conversation() has ids that are %s', (style, isFine) => {
    const ids = idsOf(style);
    expect(ids.length).toBeGreaterThan(100);
    expect(ids.filter((id) => !isFine(id))).toEqual([]);
  });

  it.each<[ResultStyle, (calls: readonly string[], results: readonly string[]) => boolean]>([
    ['all', (calls, results) => results.join() === calls.join()],
    ['shuffled', (calls, results) => results.join() === [...calls].reverse().join()],
    ['some', (calls, results) => results.join() === calls.slice(1).join()],
    ['none', (_, results) => results.length === 0],
    ['twice', (calls, results) => results.join() === [...calls, ...calls].join()],
    ['orphan', (calls, results) => results.length === calls.length + 1 && !calls.includes(results.at(-1) ?? '')],
  ])('conversation() has results of which there are %s', (style, isFine) => {
    for (const { rounds, answered } of sample({ results: [style], ids: ['unique'] })) {
      for (const round of rounds) {
        const whole = callsOf(round).filter(({ isHalf }) => !isHalf);
        const results = round.results.map(({ mark }) => mark);
        expect(isFine(whole.map(({ mark }) => mark), results)).toBe(true); // prettier-ignore
        for (const { mark, isOrphan } of round.results) expect(answered.has(mark)).toBe(!isOrphan);
      }
    }
  });

  it('conversation() leaves only the last result out where the order alone tells whose it is', () => {
    for (const { rounds } of sample({
      results: ['some'],
      ids: ['missing', 'empty', 'mixed', 'shared', 'renumbered'],
    })) {
      for (const round of rounds) {
        const whole = callsOf(round).filter(({ isHalf }) => !isHalf);
        expect(round.results.map(({ mark }) => mark)).toEqual(whole.slice(0, -1).map(({ mark }) => mark));
      }
    }
  });

  it('conversation() cuts the last call or none, and none if it may not', () => {
    const halves = sample({}).map((one) => allCalls(one).map(({ isHalf }) => isHalf));
    expect(halves.filter((all) => all.includes(true)).length).toBeGreaterThan(20);
    expect(halves.filter((all) => all.slice(0, -1).includes(true))).toEqual([]);
    expect(sample({ cut: false }).flatMap(allCalls).filter(({ isHalf }) => isHalf)).toEqual([]); // prettier-ignore
  });

  it('conversation() keeps to its limits and reaches them', () => {
    const most = (of: (one: Conversation) => number, given: Parameters<typeof conversation>[0]): number =>
      Math.max(...sample({ ids: ['unique'], ...given }, 400).map(of));
    const rounds = (one: Conversation): number => one.rounds.length;
    const replies = (one: Conversation): number => Math.max(...one.rounds.map((round) => round.replies.length));
    const calls = (one: Conversation): number =>
      Math.max(...one.rounds.flatMap((round) => round.replies.map((reply) => reply.calls.length)));
    expect([most(rounds, {}), most(replies, {}), most(calls, {})]).toEqual([3, 2, 2]);
    const given = { maxRounds: 12, maxReplies: 1, maxCalls: 5 };
    expect([most(rounds, given), most(replies, given), most(calls, given)]).toEqual([12, 1, 5]);
    expect(most(calls, { maxCalls: 0 })).toBe(0);
    const tools = new Set(sample({ tools: ['pay', 'ship'] }).flatMap((one) => allCalls(one).map(({ name }) => name)));
    expect(tools).toEqual(new Set(['pay', 'ship']));
  });

  it('conversation() shrinks to one plain round with what is wrong in it', () => {
    const law = fc.property(conversation(), ({ rounds }) => rounds.every(({ results }) => results.length <= 1));
    const { counterexample } = fc.check(law, { seed: 1, numRuns: 1_000 });
    const [{ rounds }] = counterexample as [Conversation];
    expect(rounds).toHaveLength(1);
    expect(allCalls({ rounds, answered: new Set() }).map(({ id }) => id)).toEqual(['id_3', 'id_4']);
    expect(rounds[0]?.results).toHaveLength(2);
  });

  it.each([
    [{ ids: [] }, TypeError, 'ids must name at least one'],
    [{ ids: ['odd'] }, TypeError, 'ids names "odd", which does not exist'],
    [{ results: ['lost'] }, TypeError, 'results names "lost", which does not exist'],
    [{ tools: [] }, TypeError, 'tools must name at least one'],
    [{ maxRounds: 0 }, RangeError, 'maxRounds must be a whole number from 1, got 0'],
    [{ maxReplies: 1.5 }, RangeError, 'maxReplies must be a whole number from 1, got 1.5'],
    [{ maxCalls: -1 }, RangeError, 'maxCalls must be a whole number from 1, got -1'],
  ])('conversation() refuses %o', (given, kind, words) => {
    expect(() => conversation(given as never)).toThrow(new kind(words));
  });
});
