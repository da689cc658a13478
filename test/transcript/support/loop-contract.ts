/**
 * What every dialect owes a loop, whatever its messages look like.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../../src/core/interrupt/public-types/outcomes.ts';
import { type TranscriptDialect, messageWriter } from '../../../src/transcript/index.ts';
import { repairWith } from './repair-with.ts';

/** One reply of a provider, as its SDK resolves with it. */
export interface LoopSample<M> {
  readonly dialect: TranscriptDialect<M, unknown>;
  readonly prompt: M;
  /** Says "Hello." and makes one call of `read` with `{ path: 'a.txt' }`. */
  readonly whole: unknown;
  /** The same in the form that a fold has. */
  readonly fold: object;
  /** Says nothing. */
  readonly empty: unknown;
}

const reason = createReason({ kind: 'user', at: 1 });
const news = createReason({ kind: 'interjection', at: 1 });

/** The tests of one dialect. */
export function servesALoop<M>({ dialect, prompt, whole, fold, empty }: LoopSample<M>): void {
  const completed = { status: 'completed', value: whole } as const;
  const base = { name: 'read', call: dialect.calls(whole)[0], ms: 1 };
  const id = dialect.calls(whole)[0]?.id ?? '';
  const rows: readonly ToolOutcome[] = [
    { ...base, id, status: 'completed', value: 'done' },
    { ...base, id, status: 'completed', value: { n: 1 }, afterStop: true },
    { ...base, id, status: 'completed', value: { content: [{ type: 'text', text: 'no' }], isError: true } },
    { ...base, id, status: 'failed', error: new Error('no such file') },
    { ...base, id, status: 'not-started', reason },
    { ...base, id, status: 'stopped', reason, partial: 'half' },
    { ...base, id, status: 'unknown', reason },
    { ...base, id, status: 'skipped', reason: news },
    { ...base, id, status: 'declined', userMessage: 'not today' },
    { ...base, id, status: 'detached' },
  ];

  describe(`a loop with ${dialect.name}`, () => {
    it('gets the calls of a whole reply, of a fold and of an outcome, and of a cut one none', () => {
      const [call, ...more] = dialect.calls(whole);
      expect(call).toMatchObject({ name: 'read', input: { path: 'a.txt' } });
      expect([typeof call?.id, typeof call?.raw, more.length]).toEqual(['string', 'object', 0]);
      expect(dialect.calls(completed)).toEqual([call]);
      expect(dialect.calls({ ...fold, isComplete: true })).toMatchObject([{ name: 'read', input: { path: 'a.txt' } }]);
      // A stream that ended before its reply had.
      expect(dialect.calls(fold)).toEqual([]);
      expect(dialect.calls({ status: 'interjected', partial: whole, reason: news })).toEqual([]);
    });

    it.each(rows.map((row) => [row.status, row] as const))('goes on after a call that is %s', (_status, row) => {
      const messages = [
        prompt,
        ...messageWriter(dialect).reply(completed),
        ...messageWriter(dialect).toolResults([row]),
      ];
      expect(dialect.check(messages)).toEqual([]);
      expect(repairWith(messages, { dialect: dialect as never, outcomes: [row] }).changes).toEqual([]);
    });

    it('goes on after a reply that a message cut, whose call never ran', () => {
      const replies = messageWriter(dialect).reply({ status: 'interjected', partial: fold, reason: news });
      expect(dialect.check([prompt, ...replies])).toEqual([]);
      expect(JSON.stringify(replies)).toMatch(
        /Hello.*(?:not started, so nothing happened|No result was recorded for this call): a newer message came first/s,
      );
      const text = messageWriter(dialect).reply({ status: 'interjected', partial: 'Hel', reason: news });
      expect(JSON.stringify(text)).toMatch(/Hel.*cut off before its end: a newer message came first/s);
    });

    it('says nothing for a reply without content, and no results for no outcomes', () => {
      expect([
        messageWriter(dialect).reply(empty),
        dialect.calls(empty),
        messageWriter(dialect).toolResults([]),
      ]).toEqual([[], [], []]);
      expect(messageWriter(dialect).reply({ status: 'interjected', partial: undefined, reason: news })).toEqual([]);
    });

    it('S19 tells the model to wait only if it is told that the turn ended', () => {
      const stopped = rows.filter(({ status }) => status === 'stopped');
      expect(JSON.stringify(messageWriter(dialect).toolResults(stopped))).toContain(
        'Do not retry it unless you are asked to.',
      );
      expect(JSON.stringify(messageWriter(dialect).toolResults(stopped, { reason }))).toContain(
        'wait for instructions',
      );
      const render = (): string => 'IN MY WORDS';
      expect(JSON.stringify(messageWriter(dialect).toolResults(stopped, { render }))).toContain('IN MY WORDS');
    });

    it('refuses what it finds no reply in, and what is no list of outcomes', () => {
      for (const value of [7, null, undefined, {}, { role: 'user', content: 'x' }]) {
        expect(() => messageWriter(dialect).reply(value)).toThrow(`reply must be a reply of ${dialect.name}`);
        expect(() => dialect.calls(value)).toThrow(TypeError);
      }
      expect(() => messageWriter(dialect).toolResults('x' as never)).toThrow('outcomes must be an array, got "x"');
      expect(() => messageWriter(dialect).toolResults([null] as never)).toThrow(
        'outcomes[0] must be an object, got null',
      );
    });
  });
}
