import { describe, expect, it } from 'vitest';

import { identify } from '../../../../src/core/interrupt/calls/call-identity.ts';
import { errorOf, stage } from '../kit.ts';

describe('shapes that are known', () => {
  it.each([
    ['Anthropic', { type: 'tool_use', id: 'toolu_1', name: 'search', input: { q: 'x' } }, 'toolu_1', 'search'],
    [
      'OpenAI chat',
      { id: 'call_1', type: 'function', function: { name: 'search', arguments: '{}' } },
      'call_1',
      'search',
    ],
    [
      'OpenAI chat, custom tool',
      { id: 'call_1', type: 'custom', custom: { name: 'patch', input: 'a' } },
      'call_1',
      'patch',
    ],
    [
      'OpenAI Responses',
      { type: 'function_call', id: 'fc_9', call_id: 'call_1', name: 'search', arguments: '{}' },
      'call_1',
      'search',
    ],
    [
      'OpenAI Responses, custom tool',
      { type: 'custom_tool_call', id: 'ctc_9', call_id: 'call_1', name: 'patch', input: 'a' },
      'call_1',
      'patch',
    ],
    ['AI SDK', { type: 'tool-call', toolCallId: 'call_1', toolName: 'search', input: {} }, 'call_1', 'search'],
    ['plain', { id: 'a', name: 'b' }, 'a', 'b'],
  ])('%s', async (_sdk, given, id, name) => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool }) => tool(given, (seen) => seen));
    expect(report.calls).toEqual([expect.objectContaining({ id, name, call: given, status: 'completed' })]);
    expect(report.calls[0]?.call).toBe(given);
    expect((report.calls[0] as { value?: unknown }).value).toBe(given);
  });
});

describe('identify', () => {
  it('knows what we do not', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tools }) =>
      tools([['a1', 'grep'] as const, ['a2', 'ls'] as const], ([id]) => id, {
        identify: ([id, name]) => ({ id, name }),
      }),
    );
    expect(report.calls.map(({ id, name }) => `${id} ${name}`)).toEqual(['a1 grep', 'a2 ls']);
  });

  it('comes before what we know', () => {
    expect(identify({ id: 'a', name: 'b' }, () => ({ id: 'x', name: 'y' }))).toEqual({ id: 'x', name: 'y' });
  });
});

describe('shapes that nobody knows', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'search'],
    ['no id', { name: 'search' }],
    ['an empty id', { id: '', name: 'search' }],
    ['a number for an id', { id: 7, name: 'search' }],
    ['no name', { id: 'a' }],
    ['an empty name', { id: 'a', name: '' }],
    ['a function that is null', { id: 'a', function: null }],
    ['a function without a name', { id: 'a', function: {} }],
  ])('%s: TypeError, before anything starts', async (_what, bad) => {
    const { agent, events } = stage();
    let ran = 0;
    const report = await agent.runTurn(async ({ tools }) =>
      errorOf(tools([{ id: 'a', name: 'good' }, bad as never], () => (ran += 1))),
    );
    expect(report.unwrap()).toBeInstanceOf(TypeError);
    expect(ran).toBe(0);
    expect(report.calls).toEqual([]);
    expect(events.filter(({ type }) => type === 'tool-outcome')).toEqual([]);
  });

  it('a hole in the array: TypeError, before anything starts', async () => {
    const { agent } = stage();
    const calls = new Array<{ id: string; name: string }>(2);
    calls[0] = { id: 'a', name: 'good' };
    const report = await agent.runTurn(async ({ tools }) => errorOf(tools(calls, () => 1)));
    expect(report.unwrap()).toBeInstanceOf(TypeError);
    expect(report.calls).toEqual([]);
  });

  it('what identify gives is checked as well', async () => {
    const { agent } = stage();
    for (const identity of [undefined, {}, { id: 'a' }, { id: 1, name: 'b' }]) {
      const report = await agent.runTurn(({ tool }) =>
        errorOf(tool('x', () => 1, { identify: () => identity as never })),
      );
      expect(report.unwrap()).toBeInstanceOf(TypeError);
    }
  });

  it('identify has to be a function, and the error says what it was', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool }) =>
      errorOf(tool({ id: 'a', name: 'b' }, () => 1, { identify: 'id' as never })),
    );
    expect(report.unwrap()).toMatchObject({ name: 'TypeError', message: expect.stringMatching(/identify.*"id"/) });
  });
});
