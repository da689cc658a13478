import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../../src/core/interrupt/public-types/outcomes.ts';
import {
  checkTranscript,
  settleTranscript,
  wordingTable,
  type SettleTranscriptOptions,
} from '../../../src/transcript/index.ts';
import { openaiResponses, type OpenAIResponsesItem } from '../../../src/transcript/dialects/openai-responses/index.ts';

type Item = OpenAIResponsesItem & Readonly<Record<string, unknown>>;

const dialect = openaiResponses;
const reason = createReason({ kind: 'user', at: 1 });
const hello: Item = { role: 'user', content: 'Hello' };
const call = (call_id: string, more: object = {}): Item => ({
  type: 'function_call',
  call_id,
  name: 'read',
  arguments: '{}',
  ...more,
});
const output = (call_id: string, value: unknown = 'ok'): Item => ({
  type: 'function_call_output',
  call_id,
  output: value,
});
const reasoning: Item = { type: 'reasoning', id: 'rs_1', summary: [] };
const say = (text: string, more: object = {}): Item => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...more,
});
const mark = { type: 'output_text', text: wordingTable.user.cut, annotations: [] };
const row = (id: string, more: object): ToolOutcome => ({ id, name: 'read', call: {}, ms: 1, ...more }) as ToolOutcome;

function settle(items: readonly Item[], turn: Omit<SettleTranscriptOptions<typeof dialect>, 'dialect'> = {}) {
  const settled = settleTranscript(items, { dialect, ...turn });
  expect(checkTranscript(settled.messages, { dialect })).toEqual([]);
  const again = settleTranscript(settled.messages, { dialect, ...turn });
  expect([again.messages, again.changes]).toEqual([settled.messages, []]);
  return settled;
}

function rules(items: readonly Item[]): string[] {
  return settle(items).changes.map(({ at, rule }) => `${String(at)} ${rule}`);
}

describe('S12 each outcome in the kind of output its call wants', () => {
  it('function calls, in their order, after the reply', () => {
    const items = [hello, reasoning, call('done'), call('running'), call('queued'), output('done', 'real')];
    const outcomes = [row('running', { status: 'unknown', reason }), row('queued', { status: 'not-started', reason })];
    expect(settle(items, { outcomes, reason }).messages.slice(5)).toEqual([
      output('done', 'real'),
      output('running', wordingTable.user.unknown),
      output('queued', wordingTable.user['not-started']),
    ]);
  });

  it('custom, shell, local shell and apply-patch calls', () => {
    const items: Item[] = [
      { type: 'custom_tool_call', call_id: 'c', name: 'sh', input: 'x' },
      { type: 'shell_call', call_id: 's', action: { commands: ['ls'] } },
      { type: 'shell_call', call_id: 't', action: { commands: ['ls'] } },
      { type: 'local_shell_call', id: 'lsh', call_id: 'l', action: { type: 'exec' } },
      { type: 'apply_patch_call', call_id: 'p', operation: { type: 'delete_file', path: 'a' } },
      { type: 'apply_patch_call', call_id: 'q', operation: { type: 'delete_file', path: 'b' } },
    ];
    const outcomes = [row('t', { status: 'completed', value: 'files' }), row('q', { status: 'completed', value: '' })];
    const words = wordingTable.user['not-started'];
    expect(settle(items, { outcomes, reason }).messages.slice(6)).toEqual([
      { type: 'custom_tool_call_output', call_id: 'c', output: words },
      {
        type: 'shell_call_output',
        call_id: 's',
        output: [{ stdout: '', stderr: words, outcome: { type: 'exit', exit_code: 1 } }],
      },
      {
        type: 'shell_call_output',
        call_id: 't',
        output: [{ stdout: 'files', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
      },
      { type: 'local_shell_call_output', id: 'l', call_id: 'l', output: words },
      { type: 'apply_patch_call_output', call_id: 'p', status: 'failed', output: words },
      { type: 'apply_patch_call_output', call_id: 'q', status: 'completed', output: '' },
    ]);
  });

  it('hands content of the API on as it is', () => {
    const value = [{ type: 'input_image', image_url: 'data:' }];
    expect(settle([call('a')], { outcomes: [row('a', { status: 'completed', value })] }).messages[1]).toEqual(
      output('a', value),
    );
  });
});

describe('each rule is kept', () => {
  it('answers what nobody answered, each at the end of its own round', () => {
    const items = [call('a'), hello, call('a'), output('a', 'second')];
    expect(settle(items).messages).toEqual([
      call('a'),
      output('a', wordingTable.unknown.unrecorded),
      hello,
      ...items.slice(2),
    ]);
  });

  it('drops reasoning with the call that it led to, and keeps it with an answered one', () => {
    const half = call('a', { arguments: '{"pa' });
    expect(settle([hello, reasoning, half]).messages).toEqual([hello]);
    expect(settle([hello, reasoning, half], { outcomes: [row('a', { status: 'stopped', reason })] }).messages).toEqual([
      hello,
      reasoning,
      call('a', { arguments: '{}' }),
      output('a', wordingTable.user.stopped),
    ]);
    expect(settle([hello, reasoning, call('a')]).messages.slice(0, 3)).toEqual([hello, reasoning, call('a')]);
    const second = { ...reasoning, id: 'rs_2' };
    expect(settle([reasoning, second, half, call('b'), output('b')]).messages).toEqual([
      reasoning,
      second,
      call('b'),
      output('b'),
    ]);
  });

  it.each<[string, Item[]]>([
    ['1 reasoning-followed', [hello, reasoning, hello]],
    ['0 result-has-call', [output('a'), hello]],
    ['1 one-result-per-call', [call('a'), output('a'), output('a', 'more')]],
    ['1 output-kind', [{ type: 'custom_tool_call', call_id: 'a', name: 'sh', input: 'x' }, output('a')]],
    ['1 result-content', [call('a'), output('a', null)]],
    ['0 call-id', [call(''), hello]],
    ['1 call-id', [call('a'), call('a', { id: 'fc_2' }), output('a')]],
    ['0 message-not-empty', [say(''), hello]],
    ['2 item-id', [say('x', { id: 'msg_1' }), hello, say('x', { id: 'msg_1' })]],
    ['2 item-id', [say('x', { id: 'msg_1' }), hello, say('y', { id: 'msg_1' })]],
    ['0 call-answered', [{ type: 'computer_call', call_id: 'a', action: { type: 'screenshot' } }, hello]],
  ])('%s', (change, items) => {
    expect(rules(items)).toContain(change);
  });

  it('keeps what was said under an id twice, and drops only a copy', () => {
    expect(settle([say('x', { id: 'm' }), say('y', { id: 'm' }), say('x', { id: 'm' })]).messages).toEqual([
      say('x', { id: 'm' }),
      say('y'),
    ]);
  });

  it('joins results and makes them of the right kind', () => {
    const shell: Item = { type: 'shell_call', call_id: 's', action: { commands: ['ls'] } };
    expect(settle([shell, output('s', 'files')]).messages[1]).toMatchObject({
      type: 'shell_call_output',
      output: [{ stdout: 'files' }],
    });
    expect(settle([call('a'), output('a', 'one'), output('a', 'two')]).messages[1]).toEqual(output('a', 'one\n\ntwo'));
    const part = { type: 'input_text', text: 'one' };
    expect(settle([call('a'), output('a', [part]), output('a', 'two')]).messages[1]).toEqual(
      output('a', [part, { type: 'input_text', text: 'two' }]),
    );
  });

  it('keeps a picture of the screen, and the last of two', () => {
    const computer: Item = { type: 'computer_call', call_id: 'a', action: { type: 'screenshot' } };
    const picture = (n: number): Item => ({
      type: 'computer_call_output',
      call_id: 'a',
      output: { type: 'computer_screenshot', image_url: String(n) },
    });
    expect(settle([computer, picture(1), picture(2)]).messages).toEqual([computer, picture(2)]);
    expect(settle([hello, computer, output('a', 'no picture')]).messages).toEqual([hello]);
  });
});

describe('S18 a reply that was cut', () => {
  const partial = (value: unknown) => ({ partials: [{ modelCall: 1, value, reason }] });
  it('is added with a mark, without what only a kept response could refer to', () => {
    const value = { message: [reasoning, say('Half a', { id: 'msg_9', status: 'incomplete' })] };
    expect(settle([hello], partial(value)).messages).toEqual([
      hello,
      { ...say('Half a', { status: 'incomplete' }), content: [...(say('Half a')['content'] as object[]), mark] },
    ]);
    expect(settle([hello], partial('Half a')).messages[1]).toMatchObject({
      content: `Half a\n\n${wordingTable.user.cut}`,
    });
  });

  it('keeps reasoning that carries itself along, and the calls that were whole', () => {
    const sealed = { ...reasoning, encrypted_content: 'seal' };
    const value = [sealed, call('a', { id: 'fc_1' }), call('b', { arguments: '{"pa' })];
    expect(settle([hello], partial(value)).messages).toEqual([
      hello,
      sealed,
      call('a'),
      output('a', wordingTable.user['not-started']),
    ]);
    expect(settle([hello], partial([sealed])).messages).toEqual([hello]);
  });

  it('is recognised where the caller pushed it, with its calls and reasoning', () => {
    const sealed = { ...reasoning, encrypted_content: 'seal' };
    const pushed = [hello, sealed, say('Half a', { id: 'msg_9' }), call('b', { arguments: '{"pa' })];
    const settled = settle(pushed, partial(pushed.slice(1)));
    expect(settled.messages).toEqual(pushed.slice(0, 3));
    expect(settle([say('Half a'), hello], partial('Half a')).messages).toHaveLength(3);
    const interjected = {
      partials: [{ modelCall: 1, value: 'Half a', reason: createReason({ kind: 'interjection', at: 1 }) }],
    };
    expect(settle([say('Half a'), hello], interjected).messages).toHaveLength(2);
  });

  it.each([
    ['as it was', 'Half a'],
    ['behind its partial', 'Half a reply'],
  ])('has lost its reasoning on the server where the caller pushed it, %s', (_place, text) => {
    const message = say(text, { id: 'msg_9' });
    const { id: _id, ...bare } = message;
    const cut = partial([reasoning, say('Half a', { id: 'msg_9' })]);
    const settled = settle([hello, reasoning, message], cut);
    expect(settled.messages).toEqual([hello, bare]);
    expect(settled.changes.map(({ at, rule }) => [at, rule])).toEqual([
      [1, 'item-stored'],
      [2, 'item-stored'],
    ]);
    expect(settle(settled.messages, cut)).toEqual({ messages: settled.messages, changes: [] });
    const called = [hello, reasoning, call('a', { id: 'fc_1' })];
    expect(settle(called, partial(called.slice(1))).messages).toEqual([hello, call('a'), expect.anything()]);
    const whole = partial({ message: [reasoning, message], isComplete: true });
    expect(settle([hello, reasoning, message], whole).messages).toEqual([hello, reasoning, message]);
  });

  it('has lost its reasoning on the server also where something stood in the middle of it', () => {
    const sealed = { ...reasoning, id: 'rs_3', encrypted_content: 'seal' };
    const cut = partial([say('Half a')]);
    const settled = settle([hello, sealed, output('of nobody'), reasoning, say('Half a')], cut);
    expect(settled.messages).toEqual([hello, sealed, say('Half a')]);
    expect(settle(settled.messages, cut)).toEqual({ messages: settled.messages, changes: [] });
  });

  it('is not what reasoning of another reply led to', () => {
    const { messages, changes } = settle([hello, reasoning], partial([say('Half a')]));
    expect(messages).toMatchObject([hello, { content: [{ text: 'Half a' }, mark] }]);
    expect(changes.map(({ rule }) => rule)).toEqual(['reasoning-followed', 'partial-kept']);
  });

  it('parts the items it stands among, and of copies of a call the same one stays', () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    const copies = [{ type: 'computer_call', call_id: 'a' }, call('a')];
    const items = [hello, call('a', { arguments: '' }), search, ...copies, output('a')] as Item[];
    expect(settle(items, partial([call('a')])).messages).toEqual(settle(items).messages);
  });

  it('goes before the reply that came after it', () => {
    const two = {
      partials: [
        { modelCall: 1, value: 'First', reason },
        { modelCall: 2, value: 'Second', reason },
      ],
    };
    const { messages } = settle([hello, say('Second')], two);
    expect(messages.map((item) => JSON.stringify(item).match(/First|Second/)?.[0])).toEqual([
      undefined,
      'First',
      'Second',
    ]);
  });
});

describe('S20 where the server holds the conversation', () => {
  const response = (id: string, ...output: Item[]) => ({ id, status: 'completed', output });
  const first = response('resp_1', { ...reasoning }, call('a', { id: 'fc_1' }), call('b', { id: 'fc_2' }));

  it('lists the outputs to submit to the response that waits for them', () => {
    const items = [hello, ...first.output, output('a', 'real')];
    const outcomes = [row('b', { status: 'stopped', reason })];
    const { submit } = settleTranscript(items, { dialect, outcomes, held: { responses: [first] } });
    expect(submit).toEqual({
      previous_response_id: 'resp_1',
      input: [output('a', 'real'), output('b', wordingTable.user.stopped)],
    });
    expect(
      settleTranscript(first.output, { dialect, outcomes, held: { responses: [{ id: 'resp_1' }] } }).submit?.input,
    ).toHaveLength(2);
  });

  it('submits to a conversation', () => {
    const held = { responses: [first], conversation: 'conv_1' };
    expect(settleTranscript([hello, ...first.output], { dialect, held }).submit).toMatchObject({
      conversation: 'conv_1',
      input: [{ call_id: 'a' }, { call_id: 'b' }],
    });
  });

  it('branches from the last clean response where a later one was cut, also out of a conversation', () => {
    const cut = { id: 'resp_2', status: 'cancelled', output: [] };
    const partials = [{ modelCall: 2, value: 'Half a', reason }];
    const items = [hello, ...first.output, output('a'), output('b')];
    for (const conversation of [undefined, 'conv_1']) {
      const { submit } = settleTranscript(items, {
        dialect,
        partials,
        held: { responses: [first, cut], conversation },
      });
      expect(submit?.previous_response_id).toBe('resp_1');
      expect(submit?.conversation).toBeUndefined();
      expect(submit?.input).toEqual([output('a'), output('b'), expect.objectContaining({ role: 'assistant' })]);
    }
  });

  it('branches before a response that words cannot answer; from nothing, with everything', () => {
    const screen = response('resp_2', {
      type: 'computer_call',
      id: 'cc',
      call_id: 'x',
      action: { type: 'screenshot' },
    });
    const said = response('resp_1', say('Hi.', { id: 'msg_1' }));
    const items = [hello, ...said.output, hello, ...screen.output];
    expect(settleTranscript(items, { dialect, held: { responses: [said, screen] } }).submit).toEqual({
      previous_response_id: 'resp_1',
      input: [hello],
    });
    expect(settleTranscript(items, { dialect, held: { responses: [screen] } }).submit).toEqual({
      input: [hello, ...said.output, hello],
    });
  });

  it('adds a cut reply once, where two begin like the one that is held', () => {
    const items = [hello, say('Half a', { id: 'msg_1' }), call('a', { id: 'fc_1' }), hello, output('a')];
    const interjection = createReason({ kind: 'interjection', at: 1 });
    const partials = [
      { modelCall: 1, value: [say('Half a')], reason },
      { modelCall: 2, value: [say('Half a')], reason: interjection },
    ];
    const held = { responses: [response('resp_1', ...items.slice(1, 3))] };
    const { messages, submit } = settle(items, { partials, held });
    expect(messages.slice(0, 5)).toEqual(items);
    expect(messages.slice(5)).toMatchObject([{ content: [{ text: 'Half a' }, mark] }]);
    expect(submit?.input).toEqual(messages.slice(3));
  });

  it('submits the same again, where a cut reply holds a copy of the call that is held', () => {
    const items = [hello, call('a', { id: 'fc_1' }), hello];
    const turn = {
      partials: [{ modelCall: 1, value: [call('a')], reason }],
      held: { responses: [response('resp_1', call('a', { id: 'fc_1' }))] },
    };
    const { messages, submit } = settle(items, turn);
    expect(submit?.input).toMatchObject([
      { call_id: 'a', output: wordingTable.unknown.unrecorded },
      hello,
      call('a'),
      { call_id: 'a', output: wordingTable.user['not-started'] },
    ]);
    expect(settleTranscript(messages, { dialect, ...turn }).submit).toEqual(submit);
  });

  it('tells a call that was cut from the whole one of the next cut reply', () => {
    const half = call('a', { arguments: '{"pa' });
    const partials = [
      { modelCall: 1, value: [half, say('Half a')], reason },
      { modelCall: 2, value: [call('a')], reason },
    ];
    expect(settle([hello], { partials, held: { responses: [{ id: 'resp_1' }] } }).messages).toHaveLength(4);
  });

  it('changes nothing of what is held', () => {
    const items = [reasoning, say(''), call('a', { arguments: '{"pa' }), output('z')];
    const { messages, submit, changes } = settleTranscript(items, { dialect, held: { responses: [{ id: 'resp_1' }] } });
    expect(messages.slice(0, 4)).toEqual(items);
    expect(submit?.input).toMatchObject([{ type: 'function_call_output', call_id: 'a' }]);
    expect(changes.map(({ rule }) => rule)).toEqual(['call-answered']);
  });

  it('has nothing to submit where nothing is missing', () => {
    expect(settleTranscript([hello, say('Hi.')], { dialect, held: { responses: [{ id: 'r' }] } }).submit).toEqual({
      previous_response_id: 'r',
      input: [],
    });
  });
});

describe('a batch that is longer than a function may have arguments', () => {
  it('has an output for each of its calls', { timeout: 60_000 }, () => {
    const count = 150_000;
    const { messages } = settleTranscript(
      Array.from({ length: count }, (_, i) => call(String(i))),
      { dialect },
    );
    expect(messages).toHaveLength(2 * count);
  });
});

describe('a call without arguments', () => {
  it('a call without arguments may have run, unlike one whose arguments were cut off', () => {
    const { messages } = settle([hello, call('a', { arguments: '' }), call('b', { arguments: '{"p' })]);
    expect(messages).toEqual([hello, call('a'), output('a', wordingTable.unknown.unrecorded)]);
  });
});

describe('what a program does', () => {
  const program: Item = { type: 'program', id: 'prog_1', call_id: 'pc', code: 'x', fingerprint: 'F' };
  const caller = { type: 'program', caller_id: 'pc' };

  it('what a program does is answered to it, and the reasoning before it stays', () => {
    const items = [hello, reasoning, program, call('a', { caller })];
    const { messages } = settle(items, { outcomes: [row('a', { status: 'completed', value: 'ok' })] });
    expect(messages).toEqual([...items, { ...output('a'), caller }]);
  });
});

describe('a call that only the ledger has', () => {
  it('a call that only the ledger has is of the kind that it was', () => {
    const sql: Item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'a', name: 'sql', input: 'DROP' };
    const rows = [row('a', { call: { raw: sql }, status: 'completed', value: 'ok' })];
    const { messages } = settle([hello], { outcomes: rows });
    const { id: _id, ...bare } = sql;
    expect(messages).toEqual([hello, bare, { ...output('a'), type: 'custom_tool_call_output' }]);
    const evil = {
      get type(): string {
        throw new Error('no');
      },
    };
    const hostile = settle([hello], {
      outcomes: [row('a', { call: { raw: evil }, status: 'completed', value: 'ok' })],
    });
    expect(hostile.messages).toEqual([hello, call('a'), output('a')]);
  });
});

describe('what the server holds', () => {
  const long = `call_${'k'.repeat(65)}`;

  it('what the server holds keeps its ids, whatever their length', () => {
    const held = { responses: [{ id: 'resp_1', output: [call(long)] }] };
    const outcomes = [row(long, { status: 'completed', value: 'ok' })];
    for (const items of [[hello, call(long)], [hello]]) {
      const settled = settleTranscript(items, { dialect, held, outcomes });
      expect(settled.submit?.input).toEqual([output(long)]);
      expect(settled.messages).toEqual([hello, call(long), output(long)]);
    }
  });

  it('of a response whose output nobody knows is what came before the next', () => {
    const look: Item = { type: 'computer_call', id: 'cu_1', call_id: 'c', action: { type: 'screenshot' } };
    const items = [hello, say('Hi.'), { role: 'user', content: 'Look.' }, look];
    const held = { responses: [{ id: 'resp_0' }, { id: 'resp_1', output: [look] }] };
    const { messages, submit } = settle(items, { held });
    expect(submit).toEqual({ previous_response_id: 'resp_0', input: [items[2]] });
    expect(messages).toEqual(items.slice(0, 3));
  });
});
