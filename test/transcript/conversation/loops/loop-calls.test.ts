import { describe, expect, it } from 'vitest';
import { shownOf } from '../../../../src/core/foundation/results/shown.ts';
import { InterruptController } from '../../../../src/index.ts';
import type { LoopRecorder } from '../../../../src/core/inside.ts';
import { recorderOf } from '../../../../src/core/inside.ts';
import { Conversation, mapDialect } from '../../../../src/transcript/index.ts';
import { openaiAgents, type OpenAIAgentsItem } from '../../../../src/transcript/dialects/openai-agents/index.ts';
import { EntryWriter, type CallState } from '../../../../src/transcript/conversation/entries.ts';
import { isNested, LoopCalls, rowOfTold } from '../../../../src/transcript/conversation/loops/loop-calls.ts';
import type { TranscriptCall } from '../../../../src/transcript/dialect.ts';
import { rulesOf } from '../../../../src/transcript/dialects/create-dialect.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';
import { createWords } from '../../../../src/transcript/words/wording.ts';

const call = (id: string) => ({ id, name: 'pay', input: {}, raw: {} });
const row = (id: string, more: object = {}) =>
  ({
    id,
    name: 'pay',
    ms: 1,
    status: 'completed',
    value: id,
    call: { id, name: 'pay', isSingle: true, ...more },
  }) as const;

/** What is known of calls whose reply was taken. */
function taken(calls: LoopCalls, ...own: readonly TranscriptCall[]): (CallState | undefined)[] {
  const writer = new EntryWriter(rulesOf({ dialect: openaiChat }), createWords(undefined), undefined);
  writer.add({ calls: own, runnable: own });
  calls.take(writer, own, false);
  return own.map((one) => writer.stateOf(one));
}

describe('the calls of a framework', () => {
  it('are known by their ids', () => {
    const calls = new LoopCalls();
    const own = call('a');
    expect(taken(calls, own)).toEqual([{ isOfLoop: true, isHanded: false, mayRun: true }]);
    expect([calls.get('a'), calls.of(row('a')), calls.of(row('b'))]).toEqual([own, own, undefined]);
  });

  it('keep what became of one before its reply was there, for calls that were announced', () => {
    const calls = new LoopCalls();
    calls.reserve('a');
    const [early, strange] = [row('a'), row('b')];
    expect([calls.of(early), calls.of(strange)]).toEqual([undefined, undefined]);
    expect([calls.takes('a'), calls.takes('a')]).toEqual([true, false]);
    expect(taken(calls, call('a'), call('b')).map((one) => one?.outcome)).toEqual([early, undefined]);
  });

  it('are known by the ids that they have elsewhere, if they are here', () => {
    const calls = new LoopCalls();
    const own = call('a');
    taken(calls, own);
    calls.know(
      new Map([
        ['stored', call('a')],
        ['gone', call('b')],
        ['a', call('b')],
      ]),
    );
    expect([calls.get('stored'), calls.get('gone'), calls.get('a')]).toEqual([own, undefined, own]);
    expect([...calls.calls.keys()]).toEqual(['a', 'stored']);
  });

  it('are not those that a tool makes which is itself an agent', () => {
    const calls = new LoopCalls();
    taken(calls, call('a'));
    expect(calls.of(row('a', { within: 'b' }))).toBeUndefined();
  });
});

it('what a framework told of a call is told as it is', () => {
  const output = { type: 'text', value: 'paid' };
  const told = rowOfTold(call('a'), { output });
  expect(told).toMatchObject({ id: 'a', name: 'pay', status: 'completed' });
  expect(shownOf(told.call, 'anything', true)).toEqual({ value: output });
});

it('what a framework tells of a call, and its changes of a reply, are in messages of the type of the conversation', async () => {
  interface Mine {
    readonly wire: OpenAIAgentsItem;
    readonly calls: readonly unknown[];
  }
  const fromWire = (wire: OpenAIAgentsItem, calls: readonly unknown[]): Mine => ({ wire, calls });
  const toWire = (one: Mine): OpenAIAgentsItem => {
    if (!('wire' in one)) throw new TypeError('not of this type');
    return one.wire;
  };
  const chat = new Conversation(mapDialect<Mine, OpenAIAgentsItem>(openaiAgents, { toWire, fromWire }));
  const hosted = (name: string, data: object) => ({
    ...{ type: 'hosted_tool_call', name },
    providerData: { type: name, ...data },
  });
  const question = hosted('mcp_approval_request', { id: 'q', name: 'pay', arguments: '{}' });
  const answer = hosted('mcp_approval_response', { approve: true, approval_request_id: 'q' });
  const item = { type: 'function_call', callId: 'a', name: 'pay', arguments: '{}', status: 'completed' };
  const result = { type: 'function_call_result', callId: 'a', name: 'pay', status: 'completed', output: 'paid' };
  await chat.runTurn(new InterruptController(), undefined, async (turn) => {
    const recorder = recorderOf(turn) as LoopRecorder;
    expect(recorder.callId('a')).toBe('a');
    await recorder.model(() => [item], {}, { read: (value) => value });
    recorder.told('a', { message: result });
    recorder.amend('a', (message) => ({ ...(message as object), more: 1 }));
    await recorder.model(() => [question], {}, { read: (value) => value });
    recorder.told('q', { message: answer });
  });
  expect(chat.messages).toEqual([
    { wire: { ...item, more: 1 }, calls: [] },
    { wire: result, calls: [{ id: 'a', name: 'pay', status: 'completed' }] },
    { wire: question, calls: [] },
    { wire: answer, calls: [] },
  ]);
});

it('tells a call that another call made from one of the model', () => {
  const row = (call: unknown) => ({ id: 'a', name: 'read', call, ms: 1, status: 'completed', value: 1 }) as const;
  expect(isNested(row({ isSingle: true, within: 'toolu_1' }))).toBe(true);
  for (const call of [undefined, {}, { isSingle: true }, { within: 'toolu_1' }, []]) {
    expect(isNested(row(call))).toBe(false);
  }
});
