import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../../src/core/interrupt/public-types/outcomes.ts';
import { checkTranscript, wordingTable } from '../../../src/transcript/index.ts';
import { cutReply } from '../support/cut-reply.ts';
import { repairWith, type RepairWithOptions } from '../support/repair-with.ts';
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

function settle(items: readonly Item[], turn: Omit<RepairWithOptions<typeof dialect>, 'dialect'> = {}) {
  const settled = repairWith(items, { dialect, ...turn });
  expect(checkTranscript(settled.messages, { dialect })).toEqual([]);
  const again = repairWith(settled.messages, { dialect, ...turn });
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
    expect(settle(items, { outcomes }).messages.slice(5)).toEqual([
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
    const words = wordingTable.unknown.unrecorded;
    expect(settle(items, { outcomes }).messages.slice(6)).toEqual([
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
    ['2 one-result-per-call', [call('a'), output('a'), output('a', 'more')]],
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

  it('keeps what the model says or asks for again in the same words, once somebody has answered', () => {
    const asked = call('a', { id: 'fc_0' });
    const said = say('x', { id: 'm' });
    expect(settle([hello, asked, output('a'), said, hello, asked, output('a', 'more'), said]).messages).toEqual([
      ...[hello, asked, output('a'), said],
      ...[hello, call('a'), output('a', 'more'), say('x')],
    ]);
  });

  it('keeps a second thought under the id of another, and drops one that says nothing new', () => {
    const thought = (seal: string, id: object = { id: 'rs_1' }): Item => ({
      ...{ type: 'reasoning', summary: [], encrypted_content: seal },
      ...id,
    });
    const items = [hello, thought('1'), say('x'), hello, thought('2'), say('y'), hello, thought('1'), say('z')];
    expect(settle(items).messages).toEqual([
      ...[hello, thought('1'), say('x'), hello, thought('2', {}), say('y'), hello, say('z')],
    ]);
  });

  it('drops what nothing but its id tells, where another has that id', () => {
    const reference = { type: 'item_reference', id: 'msg_1' };
    expect(settle([hello, reference, hello, reference, hello]).messages).toEqual([hello, reference, hello, hello]);
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
    expect(settle([hello, computer, output('a', 'no picture')]).messages).toMatchObject([
      hello,
      computer,
      { type: 'computer_call_output', output: { type: 'computer_screenshot' } },
    ]);
  });
});

describe('S18 a reply that was cut', () => {
  it('has a mark, and is without what only a kept response could refer to', () => {
    const value = { message: [reasoning, say('Half a', { id: 'msg_9', status: 'incomplete' })] };
    expect(cutReply(dialect, value)).toEqual([
      { ...say('Half a', { status: 'incomplete' }), content: [...(say('Half a')['content'] as object[]), mark] },
    ]);
    expect(cutReply(dialect, 'Half a')).toMatchObject([{ content: `Half a\n\n${wordingTable.user.cut}` }]);
  });

  it('keeps each of two calls that its server gave one id', () => {
    const [first, second] = [call('a'), call('a', { arguments: '{"path":"b"}' })];
    const told = wordingTable.user['not-started'];
    expect(cutReply(dialect, [first, second, first])).toEqual([
      ...[first, { ...second, call_id: 'a_copy2' }],
      ...[output('a', told), output('a_copy2', told)],
    ]);
  });

  it('keeps reasoning that carries itself along, and the calls that were whole', () => {
    const sealed = { ...reasoning, encrypted_content: 'seal' };
    const value = [sealed, call('a', { id: 'fc_1' }), call('b', { arguments: '{"pa' })];
    expect(cutReply(dialect, value)).toEqual([sealed, call('a'), output('a', wordingTable.user['not-started'])]);
    expect(cutReply(dialect, [sealed])).toEqual([]);
  });
});

describe('S20 where the server holds the conversation', () => {
  const response = (id: string, ...output: Item[]) => ({ id, status: 'completed', output });
  const first = response('resp_1', { ...reasoning }, call('a', { id: 'fc_1' }), call('b', { id: 'fc_2' }));

  it('lists the outputs to submit to the response that waits for them', () => {
    const items = [hello, ...first.output, output('a', 'real')];
    const outcomes = [row('b', { status: 'stopped', reason })];
    const { submit } = repairWith(items, { dialect, outcomes, held: { responses: [first] } });
    expect(submit).toEqual({
      previous_response_id: 'resp_1',
      input: [output('a', 'real'), output('b', wordingTable.user.stopped)],
    });
    expect(
      repairWith(first.output, { dialect, outcomes, held: { responses: [{ id: 'resp_1' }] } }).submit?.input,
    ).toHaveLength(2);
  });

  it('submits to a conversation', () => {
    const held = { responses: [first], conversation: 'conv_1' };
    expect(repairWith([hello, ...first.output], { dialect, held }).submit).toMatchObject({
      conversation: 'conv_1',
      input: [{ call_id: 'a' }, { call_id: 'b' }],
    });
  });

  it('branches from the last clean response where a later one was cut, also out of a conversation', () => {
    const cut = { id: 'resp_2', status: 'cancelled', output: [] };
    const said = cutReply<Item>(dialect, 'Half a');
    const items = [hello, ...first.output, output('a'), output('b'), ...said];
    for (const conversation of [undefined, 'conv_1']) {
      const { submit } = repairWith(items, {
        dialect,
        held: { responses: [first, cut], conversation },
      });
      expect(submit?.previous_response_id).toBe('resp_1');
      expect(submit?.conversation).toBeUndefined();
      expect(submit?.input).toEqual([output('a'), output('b'), ...said]);
    }
  });

  it('goes on from a response that wants a picture of the screen', () => {
    const screen = response('resp_2', {
      type: 'computer_call',
      id: 'cc',
      call_id: 'x',
      action: { type: 'screenshot' },
    });
    const items = [hello, ...screen.output];
    expect(repairWith(items, { dialect, held: { responses: [screen] } }).submit).toMatchObject({
      previous_response_id: 'resp_2',
      input: [
        { type: 'computer_call_output', call_id: 'x' },
        { role: 'user', content: expect.stringContaining('It may have run') as string },
      ],
    });
  });

  it('changes nothing of what is held', () => {
    const items = [reasoning, say(''), call('a', { arguments: '{"pa' }), output('z')];
    const { messages, submit, changes } = repairWith(items, { dialect, held: { responses: [{ id: 'resp_1' }] } });
    expect(messages.slice(0, 4)).toEqual(items);
    expect(submit?.input).toMatchObject([{ type: 'function_call_output', call_id: 'a' }]);
    expect(changes.map(({ rule }) => rule)).toEqual(['call-answered']);
  });

  it('has nothing to submit where nothing is missing', () => {
    expect(repairWith([hello, say('Hi.')], { dialect, held: { responses: [{ id: 'r' }] } }).submit).toEqual({
      previous_response_id: 'r',
      input: [],
    });
  });
});

describe('a batch that is longer than a function may have arguments', () => {
  it('has an output for each of its calls', { timeout: 60_000 }, () => {
    const count = 150_000;
    const { messages } = repairWith(
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

describe('what the server holds', () => {
  const long = `call_${'k'.repeat(65)}`;

  it('what the server holds keeps its ids, whatever their length', () => {
    const held = { responses: [{ id: 'resp_1', output: [call(long)] }] };
    const outcomes = [row(long, { status: 'completed', value: 'ok' })];
    for (const items of [[hello, call(long)], [hello]]) {
      const settled = repairWith(items, { dialect, held, outcomes });
      expect(settled.submit?.input).toEqual([output(long)]);
      expect(settled.messages).toEqual([hello, call(long), output(long)]);
    }
  });

  it('of a response whose output nobody knows is what came before the next', () => {
    const cut = say('Loo', { id: 'msg_1' });
    const items = [hello, say('Hi.'), { role: 'user', content: 'Look.' }, cut];
    const held = { responses: [{ id: 'resp_0' }, { id: 'resp_1', status: 'cancelled', output: [cut] }] };
    const { messages, submit } = settle(items, { held });
    expect(submit).toEqual({ previous_response_id: 'resp_0', input: items.slice(2) });
    expect(messages).toEqual(items);
  });
});
