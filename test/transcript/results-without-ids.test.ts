/** Two calls of one tool whose results have no ids: the ledger says which of them has the one that was pushed. */
import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../src/index.ts';
import { dialectNamed, settleTranscript } from '../../src/transcript/index.ts';

const reason = createReason({ kind: 'user', at: 1 });

/** How a dialect says it: the calls of one reply, by their paths, and one result. */
const forms = {
  gemini: {
    user: { role: 'user', parts: [{ text: 'Read.' }] } as object,
    reply: (...paths: string[]): object => ({
      role: 'model',
      parts: paths.map((path) => ({ functionCall: { name: 'read', args: { path } } })),
    }),
    results: (...texts: string[]): object[] => [
      { role: 'user', parts: texts.map((output) => ({ functionResponse: { name: 'read', response: { output } } })) },
    ],
  },
  ollama: {
    user: { role: 'user', content: 'Read.' } as object,
    reply: (...paths: string[]): object => ({
      role: 'assistant',
      content: '',
      tool_calls: paths.map((path) => ({ function: { name: 'read', arguments: { path } } })),
    }),
    results: (...texts: string[]): object[] => texts.map((content) => ({ role: 'tool', tool_name: 'read', content })),
  },
};

const row = (path: string, more: object): ToolOutcome =>
  ({ id: 'read', name: 'read', call: { name: 'read', args: { path } }, ms: 1, ...more }) as ToolOutcome;
const done = (path: string) => row(path, { status: 'completed', value: `of ${path}` });
const stopped = (path: string) => row(path, { status: 'stopped', reason });

describe.each(['gemini', 'ollama'] as const)('%s', (name) => {
  const { user, reply, results } = forms[name];
  const dialect = dialectNamed(name) as never;

  /** What each call of the last reply is answered in the end. */
  function answers(messages: readonly object[], outcomes: readonly ToolOutcome[], turnStart?: number): string[] {
    const options = { dialect, outcomes, reason, ...(turnStart === undefined ? {} : { turnStart }) };
    const settled = settleTranscript(messages as never, options).messages as object[];
    expect(settleTranscript(settled as never, options).changes, 'settled for good').toEqual([]);
    const last = settled.findLastIndex((one) => /functionCall|tool_calls/.test(JSON.stringify(one)));
    const tail = settled.slice(last + 1) as { content?: string; parts?: object[] }[];
    return tail.flatMap(({ content, parts = [] }) => content ?? parts.map((part) => JSON.stringify(part)));
  }

  const history = [user, reply('a', 'b'), ...results('of b')];
  it.each<[string, ToolOutcome[]]>([
    ['the first was never begun', [done('b')]],
    ['the first was stopped', [stopped('a'), done('b')]],
    ['the first was not started', [row('a', { status: 'not-started', reason }), done('b')]],
    ['the first failed', [row('a', { status: 'failed', error: new Error('no a') }), done('b')]],
  ])('S17 the result of the second call is not given to the first: %s', (_what, outcomes) => {
    for (const turnStart of [undefined, 0]) {
      const [first, second] = answers(history, outcomes, turnStart);
      expect(first).not.toContain('of b');
      expect(second).toContain('of b');
    }
  });

  it('S17 where its value is another form of what was pushed, it goes to the call that completed', () => {
    const [first, second] = answers(
      [user, reply('a', 'b'), ...results('b, in other words')],
      [stopped('a'), done('b')],
    );
    expect(first).toMatch(/stopped part-way/);
    expect(second).toContain('in other words');
  });

  it('S17 what was pushed for the only call that was begun stays with it, also if that was stopped', () => {
    const [first, second] = answers([user, reply('a', 'b'), ...results('It was stopped.')], [stopped('a')]);
    expect(first).toContain('It was stopped.');
    expect(second).not.toContain('It was stopped.');
  });

  it('S17 a round before it, whose calls are all answered, stays as it is', () => {
    const before = [user, reply('b', 'a'), ...results('of b', 'of a')];
    const [first, second] = answers([...before, ...history.slice(1)], [done('b'), done('a'), stopped('a'), done('b')]);
    expect(first).toMatch(/stopped part-way/);
    expect(second).toContain('of b');
  });

  it('S17 without a ledger the order tells', () => {
    const [first, second] = answers(history, []);
    expect(first).toContain('of b');
    expect(second).not.toContain('of b');
  });
});
