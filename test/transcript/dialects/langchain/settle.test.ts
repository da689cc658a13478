import { describe, expect, it } from 'vitest';

import { createReason } from '../../../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../../../src/core/interrupt/public-types/outcomes.ts';
import { checkTranscript, wordingTable } from '../../../../src/transcript/index.ts';
import { cutReply } from '../../support/cut-reply.ts';
import { repairWith } from '../../support/repair-with.ts';
import { langchain, type LangChainMessage } from '../../../../src/transcript/dialects/langchain/index.ts';

type Turn = Omit<Parameters<typeof repairWith>[1], 'dialect'>;

const user = createReason({ kind: 'user', at: 1 });
const call = (id: string, args: unknown = {}) => ({ type: 'tool_call', id, name: 'read', args });
const reply = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more });
const calls = (...tool_calls: object[]) => reply('', { tool_calls });
const tool = (tool_call_id: string, content: unknown = `${tool_call_id} done`) => ({
  role: 'tool',
  tool_call_id,
  content,
});
const failed = (id: string, content: string) => ({ ...tool(id, content), name: 'read', status: 'error' });
const row = (id: string, status: ToolOutcome['status'], more: object = {}): ToolOutcome =>
  ({ id, name: 'read', call: undefined, ms: 1, status, ...more }) as ToolOutcome;

function settle(messages: readonly LangChainMessage[], turn: Turn = {}) {
  const { messages: settled, changes } = repairWith(messages, { ...turn, dialect: langchain });
  expect(checkTranscript(settled, { dialect: langchain })).toEqual([]);
  return { settled, rules: changes.map(({ at, rule }) => `${at} ${rule}`) };
}

it('S12 S17 done, running, not started, awaiting approval: four truths, in call order, before anybody speaks', () => {
  const batch = calls(call('done'), call('running'), call('queued'), call('asking'));
  const { settled, rules } = settle(['Go', batch, 'Hello'], {
    outcomes: [
      row('done', 'completed', { value: 'ok' }),
      row('running', 'unknown', { reason: user }),
      row('queued', 'not-started', { reason: user }),
      row('asking', 'declined'),
    ],
  });
  expect(settled).toEqual([
    'Go',
    batch,
    { ...failed('done', 'ok'), status: 'success' },
    failed('running', wordingTable.user.unknown),
    failed('queued', wordingTable.user['not-started']),
    failed('asking', wordingTable.unknown.declined),
    'Hello',
  ]);
  expect(settled[1]).toBe(batch);
  expect(rules).toEqual(Array<string>(4).fill('1 call-answered'));
});

describe('results out of place', () => {
  it.each<[string, LangChainMessage[], string[]]>([
    [
      'after another speaker',
      ['Hello', tool('a'), tool('b')],
      ['0 call-answered', '0 call-answered', '2 result-has-call', '3 result-has-call'],
    ],
    ['in another order', [tool('b'), tool('a')], ['0 results-in-order']],
    ['twice', [tool('a'), tool('b'), tool('a')], ['1 goes-with-others', '3 one-result-per-call']],
    ['with a stranger', [tool('a'), tool('z'), tool('b')], ['2 result-has-call']],
  ])('%s', (_how, after, rules) => {
    const seen = settle([calls(call('a'), call('b')), ...after]);
    expect(seen.settled.slice(1, 3)).toEqual([tool('a'), tool('b')]);
    expect(seen.rules).toEqual(rules);
  });
});

describe('a result in a message of the user, as Claude has it', () => {
  const block = (tool_use_id: string, more: object = {}) => ({ type: 'tool_result', tool_use_id, ...more });
  const asked = (content: unknown) => ({ role: 'user', content });

  it('becomes a tool message, which every provider takes, before what the user says', () => {
    const text = { type: 'text', text: 'Well?' };
    const picture = [{ type: 'image', source: { type: 'url', url: 'https://a.b/c.png' } }];
    const blocks = [block('a', { content: 'ok' }), text, block('b', { content: picture, is_error: true }), block('c')];
    const { settled, rules } = settle([calls(call('a'), call('b'), call('c')), asked(blocks)]);
    const made = { name: 'read', status: 'success' };
    expect(settled).toEqual([
      calls(call('a'), call('b'), call('c')),
      { ...tool('a', 'ok'), ...made },
      { ...tool('b', picture), ...made, status: 'error' },
      { ...tool('c', ''), ...made },
      asked([text]),
    ]);
    expect(rules).toEqual([...Array<string>(3).fill('0 call-answered'), '1 results-alone']);
  });

  it('is of the call that it names, once, and of none it is gone', () => {
    const [first, second] = [calls(call('a')), calls(call('b'))];
    const { settled } = settle([first, tool('a'), second, asked([block('b', { content: 'x' }), block('z')])]);
    expect(settled).toEqual([first, tool('a'), second, { ...tool('b', 'x'), name: 'read', status: 'success' }]);
  });

  it('is named by the id that its call gets', () => {
    const { settled } = settle([calls(call('f:1')), asked([block('f:1', { content: 'x' })])]);
    const [reply, result] = settled as unknown as [{ tool_calls: { id: string }[] }, { tool_call_id: string }];
    expect(result.tool_call_id).toBe(reply.tool_calls[0]?.id);
    expect(result.tool_call_id).toMatch(/^f_1_/);
  });
});

describe('what was cut', () => {
  it('removes a call that was cut inside its arguments, and a message that held nothing else', () => {
    expect(settle(['Hello', calls(call('a', null))])).toEqual({
      settled: ['Hello'],
      rules: ['1 call-arguments', '1 call-answered'],
    });
  });

  it('empties such arguments where an outcome exists', () => {
    const { settled } = settle([calls(call('a', null), call('b', null)), tool('b')], {
      outcomes: [row('a', 'failed', { error: new Error('bad JSON') })],
    });
    expect(settled).toEqual([calls(call('a'), call('b')), failed('a', 'This call failed: bad JSON'), tool('b')]);
  });

  it('sends a call that could not be parsed only where it was answered', () => {
    const invalid = reply('x', { tool_calls: [], invalid_tool_calls: [{ id: 'a', name: 'read', args: '{"' }] });
    expect(settle([invalid])).toEqual({ settled: [invalid], rules: [] });
    expect(settle([invalid, tool('a', 'bad JSON')]).settled).toEqual([
      { ...invalid, tool_calls: [call('a')], invalid_tool_calls: [] },
      tool('a', 'bad JSON'),
    ]);
  });

  it('lists calls that only some providers would have been sent', () => {
    const content = [{ type: 'tool_use', id: 'a', name: 'read', input: { x: 1 } }];
    expect(settle([reply(content), tool('a')])).toEqual({
      settled: [reply(content, { tool_calls: [call('a', { x: 1 })] }), tool('a')],
      rules: ['0 call-listed', '1 result-has-call'],
    });
  });

  it('S18 removes reasoning cut before its signature, and reasoning at the end', () => {
    const signed = { type: 'thinking', thinking: 'Hm', signature: 's' };
    const { settled, rules } = settle([reply([signed, { type: 'thinking', thinking: 'So' }])]);
    expect(settled).toEqual([]);
    expect(rules).toEqual(['0 thinking-signed', '0 thinking-not-last']);
    const use = { type: 'tool_use', id: 'a', name: 'read', input: {} };
    const behind = reply([signed, use, signed], { tool_calls: [call('a')] });
    expect(settle([behind, tool('a')])).toEqual({
      settled: [{ ...behind, content: [signed, use] }, tool('a')],
      rules: ['0 thinking-not-last'],
    });
  });

  it('keeps what a server has of a response where its message changes, but for a thought at its end', () => {
    const thought = (id: string) => ({ type: 'reasoning', id, summary: [] });
    const asked = { type: 'function_call', id: 'f', call_id: 'a', name: 'read', arguments: '{}' };
    const of = (...output: object[]) => ({ tool_calls: [call('a')], response_metadata: { id: 'r', output } });
    const blank = { type: 'text', text: '\n' };
    expect(settle([reply([blank], of(thought('1'), asked)), tool('a')]).settled[0]).toEqual(
      reply('', of(thought('1'), asked)),
    );
    const { settled, rules } = settle([reply('I', of(thought('1'), asked, thought('2'))), tool('a')]);
    expect(settled[0]).toEqual(reply('I', of(thought('1'), asked)));
    expect(rules).toEqual(['0 thinking-not-last']);
  });

  it('has no name of a call in a response that it is no whole reply of', () => {
    const kept = { additional_kwargs: { __openai_function_call_ids__: { a: 'f' }, reasoning: { id: '1' }, other: 1 } };
    const asked = (call_id: string) => ({ type: 'function_call', call_id, name: 'read', arguments: '{}' });
    const response_metadata = { id: 'r', output: [asked('a'), asked('b')] };
    const { settled } = settle([reply('', { tool_calls: [call('a')], response_metadata, ...kept }), tool('a')]);
    expect(settled[0]).toEqual(
      reply('', { tool_calls: [call('a')], response_metadata: { id: 'r' }, additional_kwargs: { other: 1 } }),
    );
  });
});

describe('a reply that was cut', () => {
  const mark = wordingTable.user.cut;

  it.each<[unknown, unknown]>([
    ['I wi', reply(`I wi\n\n${mark}`)],
    [{ message: reply(null, { tool_calls: [call('a', null)], refusal: 1 }), text: '' }, undefined],
    [['ai', 'I wi'], { role: 'ai', content: `I wi\n\n${mark}` }],
    [
      reply([
        { type: 'text', text: 'I' },
        { type: 'thinking', thinking: 'Hm' },
      ]),
      reply([
        { type: 'text', text: 'I' },
        { type: 'text', text: mark },
      ]),
    ],
  ])('%j is %j', (value, added) => {
    const said = cutReply<LangChainMessage>(langchain as never, value);
    expect(said).toEqual(added === undefined ? [] : [added]);
    expect(settle(['Hello', ...said])).toEqual({ settled: ['Hello', ...said], rules: [] });
  });

  it('answers whole calls as not started, those of a fold of Anthropic’s stream as well', () => {
    const block = { type: 'tool_use', id: 'a', name: 'read', input: {} };
    expect(cutReply(langchain as never, { message: reply([block]) })).toEqual([
      reply([block], { tool_calls: [call('a')] }),
      failed('a', wordingTable.user['not-started']),
    ]);
  });
});
