import { expect, it } from 'vitest';

import { createReason, type CancelReason } from '../../../src/core/foundation/reason.ts';
import { EntryWriter, type Replied, type TurnState } from '../../../src/transcript/conversation/entries.ts';
import { takeReply } from '../../../src/transcript/conversation/take-reply.ts';
import { rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import { openaiChat, type OpenAIChatMessage } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';

const user = createReason({ kind: 'user', at: 0 });

function written(reason?: CancelReason) {
  const rules = rulesOf({ dialect: openaiChat });
  const words = createWords(undefined);
  const writer = new EntryWriter<OpenAIChatMessage>(rules, words, undefined);
  const tool = { id: 'a', type: 'function', function: { name: 'pay', arguments: '{}' } };
  const value = { role: 'assistant', content: null, tool_calls: [tool] };
  const reply = takeReply(rules, value, { cutBy: undefined, words, idOf: (id) => id });
  writer.add(reply);
  const turn: TurnState = { reason: () => reason, isOver: false, replaced: [] };
  const entry: Replied<OpenAIChatMessage> = { turn, reply };
  const result = (): unknown => (writer.write(entry)[1] as { readonly content?: unknown } | undefined)?.content;
  return { writer, entry, turn, call: reply.calls[0] as object, result };
}

it('a call without an outcome may have run, also once its turn is over: whoever made the request has it', () => {
  const { writer, turn, call, result } = written();
  expect(result()).toContain('It may have run');
  turn.isOver = true;
  expect(result()).toContain('It may have run');
  Object.assign(writer.stateOf(call) ?? {}, { isOfLoop: true, isHanded: false });
  expect(result()).toContain('was not started');
});

it('what a request has carried of a call without an outcome stays, whatever stops its turn', () => {
  for (const isOfLoop of [false, true]) {
    const { writer, entry, turn, call, result } = written(user);
    Object.assign(writer.stateOf(call) ?? {}, { isOfLoop, isHanded: !isOfLoop });
    expect(result()).toContain('the user cancelled');
    writer.pass(entry);
    turn.isOver = true;
    expect(result()).toContain('the run was interrupted. It may have run');
    Object.assign(writer.stateOf(call) ?? {}, {
      outcome: { id: 'a', name: 'pay', ms: 0, status: 'completed', value: 'paid', call },
    });
    expect(result()).toBe('paid');
  }
});

it('an outcome is found by the call object, and one of somebody else is not', () => {
  const { writer, call, result } = written();
  const outcome = { id: 'x', name: 'y', ms: 0, status: 'completed', value: 'paid' } as const;
  expect(writer.stateOf({ ...call })).toBeUndefined();
  const state = writer.stateOf(call);
  if (state !== undefined) state.outcome = { ...outcome, call };
  expect(result()).toBe('paid');
});

it('S19 a stopped call says to wait as soon as its turn is stopped, and not before', () => {
  for (const reason of [undefined, user]) {
    const { writer, call, result } = written(reason);
    const state = writer.stateOf(call);
    if (state !== undefined) state.outcome = { id: 'a', name: 'pay', call, ms: 0, status: 'stopped', reason: user };
    expect(result()).toContain(reason === undefined ? 'unless you are asked to' : 'wait for instructions');
  }
});

it('a call that was stopped alone is told the same while its turn goes on and when that has ended', () => {
  const { writer, call, turn, result } = written();
  const state = writer.stateOf(call);
  const reason = createReason('enough hits');
  if (state !== undefined) state.outcome = { id: 'a', name: 'pay', call, ms: 0, status: 'stopped', reason };
  const before = result();
  expect(before).toContain('only this call was interrupted');
  turn.isOver = true;
  expect(result()).toBe(before);
});

it('what was told stays as it was told, and is final once every outcome is known', () => {
  const { writer, entry, call, turn, result } = written();
  expect(writer.isFinal(entry)).toBe(false);
  const state = writer.stateOf(call);
  if (state !== undefined) state.outcome = { id: 'a', name: 'pay', call, ms: 0, status: 'stopped', reason: user };
  expect(writer.isFinal(entry)).toBe(true);
  entry.told = writer.write(entry);
  const before = result();
  turn.isOver = true;
  expect(result()).toBe(before);
});
