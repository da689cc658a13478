import { describe, expect, it } from 'vitest';
import { shownOf } from '../../../../src/core/foundation/results/shown.ts';
import { EntryWriter, type CallState } from '../../../../src/transcript/conversation/entries.ts';
import { LoopCalls, rowOfTold } from '../../../../src/transcript/conversation/loops/loop-calls.ts';
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
