import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import { dialectNamed } from '../../../src/transcript/index.ts';
import { repairWith } from '../support/repair-with.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../../src/transcript/dialects/openai-responses/index.ts';
import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';
import { createDialect, rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';

it('makes a value that nobody can change, and that settling finds the rules in', () => {
  const rules = rulesOf({ dialect: anthropic });
  const again = createDialect(rules);
  expect(Object.isFrozen(again)).toBe(true);
  expect(rulesOf({ dialect: again })).toBe(rules);
});

it.each([undefined, null, 7, {}, { rules: null }, { rules: {} }])('refuses %j as a dialect', (value) => {
  expect(() => rulesOf({ dialect: value as never })).toThrow(/^options\.dialect must be a dialect, such as /);
});

it('checks by the rules of one dialect', () => {
  expect(anthropic.check([{ role: 'user', content: '' }]).map(({ rule }) => rule)).toEqual(['message-not-empty']);
  expect(() => anthropic.check([], { ids: 'mine' as never })).toThrow("options.ids must be one of 'keep', 'normalise'");
});

describe('a call that a limit cut in its arguments', () => {
  const ids = (calls: readonly { readonly id: string }[]): string[] => calls.map(({ id }) => id);

  it('of Chat Completions may not run', () => {
    const call = (id: string, args: string): object => ({
      id,
      type: 'function',
      function: { name: 'rm', arguments: args },
    });
    const reply = (finish_reason: string, ...tool_calls: object[]): object => ({
      choices: [{ finish_reason, message: { role: 'assistant', content: null, tool_calls } }],
    });
    expect(ids(openaiChat.calls(reply('length', call('a', '{"p":1}'), call('b', '{"p":'))))).toEqual(['a']);
    expect(ids(openaiChat.calls(reply('length', call('a', ''))))).toEqual([]);
    expect(ids(openaiChat.calls(reply('length', call('a', '{"p":1}'))))).toEqual(['a']);
    expect(ids(openaiChat.calls(reply('tool_calls', call('a', '{"p":'), call('b', ''))))).toEqual(['a', 'b']);
  });

  it('of the Messages API may not run', () => {
    const call = { type: 'tool_use', id: 'a', name: 'rm', input: { path: '/home' } };
    const reply = (stop_reason: string, ...content: object[]): object => ({ role: 'assistant', stop_reason, content });
    expect(ids(anthropic.calls(reply('max_tokens', call)))).toEqual([]);
    expect(ids(anthropic.calls(reply('max_tokens', call, { type: 'text', text: 'And' })))).toEqual(['a']);
    expect(ids(anthropic.calls(reply('tool_use', call)))).toEqual(['a']);
  });

  it('of the Responses API may not run', () => {
    const call = (status: string): object => ({
      type: 'function_call',
      call_id: 'a',
      name: 'rm',
      arguments: '{}',
      status,
    });
    expect(ids(openaiResponses.calls({ output: [call('incomplete')] }))).toEqual([]);
    expect(ids(openaiResponses.calls({ output: [call('completed')] }))).toEqual(['a']);
  });
});

describe('the texts of a dialect', () => {
  const row = { id: 'a', name: 'pay', call: {}, ms: 1 };
  const reason = createReason('user');

  it.each([
    ['a value', 4711, '4711'],
    [
      'parts',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'a\nb',
    ],
    ['a result of MCP', { content: [{ type: 'text', text: 'paid' }] }, 'paid'],
    ['a failure of MCP', { content: [{ type: 'text', text: 'no' }], isError: true }, 'This call failed: no'],
    ['half a character', 'x\ud800', 'x\ufffd'],
  ])('say of a call that completed with %s what it gave', (_what, value, text) => {
    expect(anthropic.texts.outcome({ ...row, status: 'completed', value }, undefined)).toBe(text);
  });

  it('say what became of a call, and whether its turn goes on', () => {
    const told = (why?: typeof reason): string => anthropic.texts.outcome({ ...row, status: 'stopped', reason }, why);
    expect(told()).toMatch(/stopped part-way: the user cancelled.*unless you are asked/);
    expect(told(reason)).toMatch(/stopped part-way: the user cancelled.*wait for instructions/);
  });

  it('mark a reply that was cut behind what it had said', () => {
    expect(anthropic.texts.cut('one two \n', reason)).toBe(
      'one two\n\n[This reply was cut off before its end: the user cancelled.]',
    );
  });
});

it.each(['openai-chat', 'langchain'] as const)('%s: a result that is a plain value is told as its text', (name) => {
  const dialect = dialectNamed(name) as unknown as typeof openaiChat;
  const call = { id: 'c', type: 'function', function: { name: 'pay', arguments: '{}' } };
  for (const [content, text] of [
    [{ receipt: 4711 }, '{"receipt":4711}'],
    [4711, '4711'],
    [null, ''],
  ]) {
    const messages = [
      { role: 'user', content: 'Pay.' },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content },
    ] as never[];
    const settled = repairWith(messages, { dialect });
    expect((settled.messages as { content?: unknown }[]).at(-1)?.content).toBe(text);
    expect(settled.changes.map(({ rule }) => rule)).toContain('result-content');
  }
});
