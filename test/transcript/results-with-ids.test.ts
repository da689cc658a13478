/** A history that was trimmed in its middle keeps a result whose call is gone: where both sides have ids, it is for no other call. */
import { describe, expect, it } from 'vitest';

import { checkTranscript, dialectNamed } from '../../src/transcript/index.ts';
import { repairWith } from './support/repair-with.ts';

/** How a dialect says it: one call of a tool, and one result, each with an id or without. */
const forms = {
  gemini: {
    user: { role: 'user', parts: [{ text: 'Pay Ann.' }] } as object,
    said: { role: 'model', parts: [{ text: 'Hm.' }] } as object,
    call: (id?: string): object => ({
      role: 'model',
      parts: [{ functionCall: { ...(id === undefined ? {} : { id }), name: 'pay', args: { to: 'Ann' } } }],
    }),
    result: (output: string, id?: string): object => ({
      role: 'user',
      parts: [{ functionResponse: { ...(id === undefined ? {} : { id }), name: 'pay', response: { output } } }],
    }),
  },
  ollama: {
    user: { role: 'user', content: 'Pay Ann.' } as object,
    said: { role: 'assistant', content: 'Hm.' } as object,
    call: (id?: string): object => ({
      role: 'assistant',
      content: '',
      tool_calls: [{ ...(id === undefined ? {} : { id }), function: { name: 'pay', arguments: { to: 'Ann' } } }],
    }),
    result: (content: string, id?: string): object => ({
      role: 'tool',
      tool_name: 'pay',
      ...(id === undefined ? {} : { tool_call_id: id }),
      content,
    }),
  },
};

describe.each(['gemini', 'ollama'] as const)('%s', (name) => {
  const { user, said, call, result } = forms[name];
  const dialect = dialectNamed(name) as never;

  function settled(messages: readonly object[]): { readonly text: string; readonly rules: readonly string[] } {
    const { messages: out, changes } = repairWith(messages as never, { dialect });
    expect(checkTranscript(out as never, { dialect })).toEqual([]);
    expect(repairWith(out as never, { dialect }).changes, 'settled for good').toEqual([]);
    return { text: JSON.stringify(out), rules: changes.map(({ rule }) => rule) };
  }

  it('S17 a result with the id of a call that is gone is not told for an open call of its tool', () => {
    const { text, rules } = settled([user, call('id1'), said, result('paid, receipt 7', 'id2')]);
    expect(text).not.toContain('receipt 7');
    expect(text).toContain('No result was recorded');
    expect(rules).toContain('result-has-call');
  });

  it('S17 it is not joined to the result that another call has', () => {
    const { text, rules } = settled([user, call('id1'), result('no account', 'id1'), said, result('receipt 7', 'id2')]);
    expect(text).not.toContain('receipt 7');
    expect(text).toContain('no account');
    expect(rules).toContain('result-has-call');
  });

  it('S17 check names it where it stands directly behind another call', () => {
    const rules = checkTranscript([user, call('id1'), result('receipt 7', 'id2')] as never, { dialect });
    expect(rules).not.toEqual([]);
  });

  it.each([
    ['the call has none', [call(), result('receipt 7', 'made-up')]],
    ['the result has none', [call('id1'), result('receipt 7')]],
    ['neither has one', [call(), result('receipt 7')]],
  ])('S17 without ids on both sides a result still goes by its tool: %s', (_what, turn) => {
    expect(settled([user, ...turn]).text).toContain('receipt 7');
  });
});

it('S17 an id that is no text is none', () => {
  const { user, call } = forms.ollama;
  const messages = [user, call('id1'), { role: 'tool', tool_name: 'pay', tool_call_id: 5, content: 'receipt 7' }];
  const dialect = dialectNamed('ollama') as never;
  const settled = repairWith(messages as never, { dialect }).messages;
  expect(JSON.stringify(settled)).toContain('receipt 7');
  expect(checkTranscript(settled, { dialect })).toEqual([]);
});
