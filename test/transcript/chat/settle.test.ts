import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../../src/core/interrupt/public-types/outcomes.ts';
import { checkTranscript, wordingTable } from '../../../src/transcript/index.ts';
import { cutReply } from '../support/cut-reply.ts';
import { repairWith } from '../support/repair-with.ts';
import { openaiChat, type OpenAIChatMessage } from '../../../src/transcript/dialects/openai-chat/index.ts';

type Turn = Omit<Parameters<typeof repairWith>[1], 'dialect'>;

const user = createReason({ kind: 'user', at: 1 });
const message = (role: string, more: object): OpenAIChatMessage => ({ role, ...more }) as OpenAIChatMessage;
const call = (id: string, args = '{}') => ({ id, type: 'function', function: { name: 'read', arguments: args } });
const calls = (...tool_calls: object[]) => message('assistant', { content: null, tool_calls });
const tool = (tool_call_id: string, content = `${tool_call_id} done`) => message('tool', { tool_call_id, content });
const hello = message('user', { content: 'Hello' });
const row = (id: string, status: ToolOutcome['status'], more: object = {}): ToolOutcome =>
  ({ id, name: 'read', call: undefined, ms: 1, status, ...more }) as ToolOutcome;

function settle(messages: readonly OpenAIChatMessage[], turn: Turn = {}) {
  const { messages: settled, changes } = repairWith(messages, { ...turn, dialect: openaiChat });
  expect(checkTranscript(settled, { dialect: openaiChat })).toEqual([]);
  return { settled, rules: changes.map(({ at, rule }) => `${at} ${rule}`) };
}

describe('S12 S17 a batch that was cancelled', () => {
  it('done, running, not started, awaiting approval: four truths, in call order, before anybody speaks', () => {
    const batch = calls(call('done'), call('running'), call('queued'), call('asking'));
    const { settled, rules } = settle([hello, batch, hello], {
      outcomes: [
        row('done', 'completed', { value: 'ok' }),
        row('running', 'unknown', { reason: user }),
        row('queued', 'not-started', { reason: user }),
        row('asking', 'declined'),
      ],
    });
    expect(settled).toEqual([
      hello,
      batch,
      tool('done', 'ok'),
      tool('running', wordingTable.user.unknown),
      tool('queued', wordingTable.user['not-started']),
      tool('asking', wordingTable.unknown.declined),
      hello,
    ]);
    expect(settled[1]).toBe(batch);
    expect(rules).toEqual(Array<string>(4).fill('1 call-answered'));
  });

  it('keeps the order of the calls where only some have their result in place', () => {
    const before = [calls(call('x')), tool('x')];
    const { settled } = settle([...before, calls(call('a'), call('b')), tool('a')]);
    expect(settled.slice(3)).toEqual([tool('a'), tool('b', wordingTable.unknown.unrecorded)]);
  });

  it('gives ids that come again to the right round', () => {
    const round = [calls(call('call_0')), tool('call_0', 'first')];
    const { settled } = settle([...round, calls(call('call_0'))], {
      outcomes: [row('call_0', 'completed', { value: 'second' })],
    });
    expect(settled).toEqual([...round, calls(call('call_0')), tool('call_0', 'second')]);
  });
});

describe('results out of place', () => {
  it.each<[string, OpenAIChatMessage[], string[]]>([
    [
      'after another role',
      [hello, tool('a'), tool('b')],
      ['0 call-answered', '0 call-answered', '2 result-has-call', '3 result-has-call'],
    ],
    ['one late', [tool('a'), hello, tool('b')], ['0 call-answered', '3 result-has-call']],
    ['twice', [tool('a'), tool('b'), tool('a')], ['3 one-result-per-call']],
    ['with a stranger', [tool('a'), tool('z'), tool('b')], ['2 result-has-call']],
    ['without content', [tool('a'), message('tool', { tool_call_id: 'b' })], ['2 result-content']],
  ])('%s', (_how, after, rules) => {
    const seen = settle([calls(call('a'), call('b')), ...after]);
    expect(seen.settled.slice(1, 3).map((one) => (one as { tool_call_id?: string }).tool_call_id)).toEqual(['a', 'b']);
    expect(seen.rules).toEqual(rules);
  });

  it('leaves the order of results that were legal', () => {
    const messages = [calls(call('a'), call('b')), tool('b'), tool('a')];
    const seen = settle(messages);
    expect(seen.settled.every((one, i) => one === messages[i])).toBe(true);
    expect(seen.rules).toEqual([]);
  });
});

describe('what other code left', () => {
  it('says what a call is that does not', () => {
    const { type: _type, ...bare } = call('a');
    const custom = { id: 'b', type: null, custom: { name: 'sh', input: 'ls (' } };
    expect(settle([calls(bare, custom), tool('a'), tool('b')])).toEqual({
      settled: [calls({ ...bare, type: 'function' }, { ...custom, type: 'custom' }), tool('a'), tool('b')],
      rules: ['0 call-type', '0 call-type'],
    });
  });

  it.each([
    ['a voice', message('assistant', { content: null, audio: { id: 'audio_1' } })],
    ['a call of the old kind', message('assistant', { content: null, function_call: { name: 'f', arguments: '{}' } })],
    ['its answer', message('function', { name: 'f', content: 'done' })],
    ['a name', message('assistant', { content: 'x', name: 'Bo' })],
    ['white space', message('assistant', { content: 'x \n' })],
  ])('leaves %s as it is', (_what, one) => {
    expect(settle([hello, one])).toEqual({ settled: [hello, one], rules: [] });
  });

  it('answers before the developer speaks', () => {
    const developer = message('developer', { content: 'Be brief.' });
    expect(settle([calls(call('a'), call('b')), tool('b'), developer, tool('a')]).settled).toEqual([
      calls(call('a'), call('b')),
      tool('a'),
      tool('b'),
      developer,
    ]);
  });
});

describe('what was cut', () => {
  it('removes a call that was cut inside its arguments, and the message that held nothing else', () => {
    expect(settle([hello, calls(call('a', '{"pa'))])).toMatchObject({
      settled: [hello],
      rules: ['1 call-arguments', '1 call-answered'],
    });
    const { settled } = settle([message('assistant', { content: 'I read', tool_calls: [call('a', '{"pa')] })]);
    expect(settled).toEqual([message('assistant', { content: 'I read' })]);
  });

  it('empties such arguments where an outcome or a result exists', () => {
    const { settled } = settle([calls(call('a', '{"pa'), call('b', '')), tool('b')], {
      outcomes: [row('a', 'failed', { error: new Error('bad JSON') })],
    });
    expect(settled).toEqual([calls(call('a'), call('b')), tool('a', 'This call failed: bad JSON'), tool('b')]);
  });

  it('removes an empty list of parts beside calls', () => {
    expect(settle([message('assistant', { content: [], tool_calls: [call('a')] }), tool('a')])).toEqual({
      settled: [calls(call('a')), tool('a')],
      rules: ['0 content-not-empty'],
    });
  });

  it('removes an empty list of calls, and an assistant message without anything', () => {
    expect(
      settle([message('assistant', { content: 'x', tool_calls: [] }), message('assistant', { content: '' })]),
    ).toMatchObject({
      settled: [{ role: 'assistant', content: 'x' }],
      rules: ['0 calls-not-empty', '1 message-not-empty'],
    });
  });
});

describe('a reply that was cut', () => {
  const mark = wordingTable.user.cut;

  it.each<[unknown, object]>([
    ['I wi', { content: `I wi\n\n${mark}` }],
    [{ role: 'assistant', content: 'I wi ', tool_calls: [] }, { content: `I wi\n\n${mark}` }],
    [
      { role: 'assistant', content: [{ type: 'text', text: 'I' }] },
      {
        content: [
          { type: 'text', text: 'I' },
          { type: 'text', text: mark },
        ],
      },
    ],
    [
      { role: 'assistant', content: null, refusal: 'I can' },
      { content: mark, refusal: 'I can' },
    ],
    [{ role: 'assistant', content: 'x', tool_calls: [call('a', '{"')] }, { content: `x\n\n${mark}` }],
  ])('%j has a mark', (value, more) => {
    const said = cutReply(openaiChat, value) as readonly OpenAIChatMessage[];
    expect(said).toEqual([message('assistant', more)]);
    expect(settle([hello, ...said])).toEqual({ settled: [hello, ...said], rules: [] });
  });

  it('answers whole calls as not started, without a mark', () => {
    expect(cutReply(openaiChat, calls(call('a'), call('b', '{"')))).toEqual([
      calls(call('a')),
      tool('a', wordingTable.user['not-started']),
    ]);
  });

  it('writes arguments that are an object as JSON, whatever they hold', () => {
    const circular: Record<string, unknown> = { path: 'a.txt' };
    circular['self'] = circular;
    const given = { id: 'a', type: 'function', function: { name: 'read', arguments: circular } };
    const { settled } = settle([hello, calls(given), tool('a')]);
    expect(settled[1]).toMatchObject({
      tool_calls: [{ function: { arguments: '{"path":"a.txt","self":"[Circular]"}' } }],
    });
  });

  it.each([' ', { role: 'assistant', content: null, tool_calls: [call('a', '{"')] }])('is nothing of %j', (value) => {
    expect(cutReply(openaiChat, value)).toEqual([]);
  });
});

describe('a call without any arguments, as servers write it for a tool that takes none', () => {
  it.each(['', ' \n'])('may have run, and stays: %j', (blank) => {
    const { settled, rules } = settle([hello, calls(call('a', blank))]);
    expect(settled).toEqual([hello, calls(call('a')), tool('a', wordingTable.unknown.unrecorded)]);
    expect(rules).toEqual(['1 call-arguments', '1 call-answered']);
    expect(openaiChat.calls(calls(call('a', blank)))).toMatchObject([{ id: 'a', input: {} }]);
  });

  it('was cut off where its reply was', () => {
    const reply = message('assistant', { content: 'I read.', tool_calls: [call('a', '')] });
    expect(cutReply(openaiChat, reply)).toEqual([
      message('assistant', { content: `I read.\n\n${wordingTable.user.cut}` }),
    ]);
  });
});
