import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../src/core/interrupt/outcomes.ts';
import { answerCall, assignRows, valueText, type UnansweredCall } from '../../src/transcript/answers.ts';
import { createWords, wordingTable } from '../../src/transcript/wording.ts';

const words = createWords(undefined);
const user = createReason({ kind: 'user', at: 1 });
const idle = createReason({ kind: 'idle', at: 1 });
const base = { id: 'a', name: 'read', call: undefined, ms: 0 };

function answer(call: Partial<UnansweredCall>, reason = createReason({ kind: 'deadline', at: 1 })) {
  return answerCall(
    { name: 'read', row: undefined, cutBy: undefined, batchHasRows: false, inLastBatch: false, ...call },
    reason,
    words,
  );
}

describe('answerCall', () => {
  it.each<[ToolOutcome, string]>([
    [{ ...base, status: 'failed', error: new Error('no such file') }, 'This call failed: no such file'],
    [{ ...base, status: 'failed', error: 'plainly' }, 'This call failed: plainly'],
    [{ ...base, status: 'failed', error: new Error(' ') }, 'This call failed without saying why.'],
    [{ ...base, status: 'failed', error: undefined }, 'This call failed without saying why.'],
    [{ ...base, status: 'not-started', reason: user }, wordingTable.user['not-started']],
    [
      { ...base, status: 'skipped', reason: createReason({ kind: 'interjection', at: 1 }) },
      wordingTable.interjection.skipped,
    ],
    [{ ...base, status: 'declined' }, wordingTable.deadline.declined],
    [{ ...base, status: 'declined', message: 'use git' }, `${wordingTable.deadline.declined}\nTheir words: use git`],
    [{ ...base, status: 'unknown', reason: idle }, wordingTable.idle.unknown],
    [
      { ...base, status: 'stopped', reason: user, partial: { lines: 2 }, by: 'coder' },
      `${wordingTable.user.stopped}\nInterrupted in: coder\nOutput so far:\n{"lines":2}`,
    ],
  ])('says %j', (row, text) => {
    expect(answer({ row })).toEqual({ status: row.status, text });
  });

  it('hands on what completed', () => {
    expect(answer({ row: { ...base, status: 'completed', value: [1] } })).toEqual({ status: 'completed', value: [1] });
  });

  it('never claims more than is known without a row', () => {
    expect(answer({})).toEqual({ status: 'unrecorded', text: wordingTable.unknown.unrecorded });
    expect(answer({ inLastBatch: true })).toEqual({ status: 'unrecorded', text: wordingTable.deadline.unrecorded });
    expect(answer({ batchHasRows: true })).toEqual({
      status: 'not-started',
      text: wordingTable.deadline['not-started'],
    });
    expect(answer({ cutBy: user })).toEqual({ status: 'not-started', text: wordingTable.user['not-started'] });
  });

  it('gives no cause that nobody gave', () => {
    const call: UnansweredCall = { name: 'x', row: undefined, cutBy: undefined, batchHasRows: true, inLastBatch: true };
    expect(answerCall(call, undefined, words)).toEqual({
      status: 'not-started',
      text: wordingTable.unknown['not-started'],
    });
  });
});

describe('assignRows', () => {
  const call = (id: string, cut = false) => ({ id, cut });
  const row = (id: string, value: unknown): ToolOutcome => ({ ...base, id, status: 'completed', value });
  const valueOf = (found: ToolOutcome | undefined) => (found?.status === 'completed' ? found.value : undefined);

  it('counts from the end where ids come again', () => {
    const calls = [call('call_0'), call('x'), call('call_0'), call('call_0')];
    const rows = assignRows(calls, [row('call_0', 1), row('call_0', 2), row('gone', 3)], (one) => one.cut);
    expect(calls.map((one) => valueOf(rows.get(one)))).toEqual([undefined, undefined, 1, 2]);
  });

  it('leaves a cut call what the others do not need', () => {
    const calls = [call('call_0'), call('call_0', true)];
    expect(calls.map((one) => valueOf(assignRows(calls, [row('call_0', 1)], (o) => o.cut).get(one)))).toEqual([
      1,
      undefined,
    ]);
    const eager = [call('own', true)];
    expect(valueOf(assignRows(eager, [row('own', 1)], (o) => o.cut).get(eager[0]!))).toBe(1);
  });
});

describe('valueText', () => {
  const cyclic: Record<string, unknown> = { n: 1n, list: [{}] };
  cyclic['self'] = cyclic;
  const shared = { s: 1 };

  it.each<[unknown, string]>([
    ['as it is', 'as it is'],
    [undefined, ''],
    [null, 'null'],
    [{ a: [1] }, '{"a":[1]}'],
    [7n, '"7"'],
    [cyclic, '{"n":"1","list":[{}],"self":"[Circular]"}'],
    [{ n: 1n, one: shared, two: shared }, '{"n":"1","one":{"s":1},"two":{"s":1}}'],
    [() => 1, '[object Function]'],
    [
      {
        toJSON: () => {
          throw new Error('no');
        },
      },
      '[object Object]',
    ],
  ])('%#', (value, text) => {
    expect(valueText(value)).toBe(text);
  });
});
