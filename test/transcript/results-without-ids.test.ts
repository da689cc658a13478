/** Two calls of one tool whose results have no ids: their order says which of them has the one that was pushed. */
import { describe, expect, it } from 'vitest';

import { dialectNamed, repair } from '../../src/transcript/index.ts';

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

describe.each(['gemini', 'ollama'] as const)('%s', (name) => {
  const { user, reply, results } = forms[name];
  const dialect = dialectNamed(name) as never;

  /** What each call of the last reply is answered in the end. */
  function answers(messages: readonly object[]): string[] {
    const settled = repair(messages as never, { dialect }).messages as object[];
    expect(repair(settled as never, { dialect }).changes, 'repaired for good').toEqual([]);
    const last = settled.findLastIndex((one) => /functionCall|tool_calls/.test(JSON.stringify(one)));
    const tail = settled.slice(last + 1) as { content?: string; parts?: object[] }[];
    return tail.flatMap(({ content, parts = [] }) => content ?? parts.map((part) => JSON.stringify(part)));
  }

  const history = [user, reply('a', 'b'), ...results('of b')];
  it('S17 the result of a batch that has fewer results than calls is that of the first', () => {
    const [first, second] = answers(history);
    expect(first).toContain('of b');
    expect(second).not.toContain('of b');
  });
});
