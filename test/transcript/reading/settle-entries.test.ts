import { describe, expect, it } from 'vitest';

import type { TranscriptCall } from '../../../src/transcript/index.ts';
import { rowsOf, settleEntries, type Entry } from '../../../src/transcript/reading/settle-entries.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';

const call = (id: string, raw: object = {}): TranscriptCall => ({ id, name: 'read', input: {}, raw });
const row = (value: string) => ({ id: 'x', name: 'x', call: {}, ms: 1, status: 'completed', value }) as const;
const options = {
  isOver: true,
  reason: undefined,
  words: createWords(undefined),
  ids: 'normalise' as const,
};

describe('rowsOf', () => {
  it('asks by the call as the caller has it, once', () => {
    const raw = {};
    const asked: string[] = [];
    const rowOf = rowsOf(
      () => [call('legal', raw)],
      () => [call('f:0')],
      ({ id }) => {
        asked.push(id);
        return row(id);
      },
    );
    expect([rowOf({ at: 0, raw }), rowOf({ at: 0, raw })]).toMatchObject([{ value: 'f:0' }, { value: 'f:0' }]);
    expect(asked).toEqual(['f:0']);
  });

  it('asks by the id that a call got where it had none', () => {
    const [one, two] = [{}, {}];
    const rowOf = rowsOf(
      () => [call('call_1', one), call('b', two)],
      () => [call('b')],
      ({ id }) => row(id),
    );
    expect([rowOf({ at: 0, raw: one }), rowOf({ at: 0, raw: two })]).toMatchObject([
      { value: 'call_1' },
      { value: 'b' },
    ]);
  });

  it('knows nothing of what is no call, and asks nobody where nobody knows', () => {
    expect(rowsOf(() => [], () => [], () => row('x'))({ at: 0, raw: {} })).toBeUndefined(); // prettier-ignore
    expect(rowsOf(() => [call('a')], () => [], undefined)({ at: 0, raw: {} })).toBeUndefined(); // prettier-ignore
  });
});

describe('settleEntries', () => {
  const rules = (seen: Entry<string>[]) => ({
    giveIds: (messages: readonly string[]) => messages,
    callsIn: () => [],
    isReply: (message: string) => message.startsWith('reply'),
    write: (entries: readonly Entry<string>[]) => {
      seen.push(...entries);
      return entries.map(({ message }) => message);
    },
  });

  it('knows the last reply as the one that was cut, where one was', () => {
    const cut = { by: { kind: 'user' as const }, isWhole: false };
    const messages = ['ask', 'reply 1', 'result', 'reply 2', 'result'];
    const [with_, without]: Entry<string>[][] = [[], []];
    expect(settleEntries(messages, { ...options, cut }, rules(with_ as Entry<string>[])).messages).toEqual(messages);
    settleEntries(messages, options, rules(without as Entry<string>[]));
    expect(with_?.map((entry) => entry.cut)).toEqual([undefined, undefined, undefined, cut, undefined]);
    expect(without?.map((entry) => entry.cut)).toEqual(messages.map(() => undefined));
  });
});
