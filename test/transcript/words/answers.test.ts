import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import { createReason } from '../../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../../src/core/interrupt/public-types/outcomes.ts';
import { answerCall, answerOutcome, contentOf, type UnansweredCall } from '../../../src/transcript/words/answers.ts';
import { builtInWords, createWords, wordingTable } from '../../../src/transcript/words/wording.ts';

const words = createWords(undefined);
const user = createReason({ kind: 'user', at: 1 });
const idle = createReason({ kind: 'idle', at: 1 });
const base = { id: 'a', name: 'read', call: undefined, ms: 0 };

function answer(call: Partial<UnansweredCall>, reason = createReason({ kind: 'deadline', at: 1 })) {
  return answerCall({ name: 'read', row: undefined, cutBy: undefined, ...call }, { reason, words });
}

describe('answerCall', () => {
  it.each<[ToolOutcome, string]>([
    [{ ...base, status: 'failed', error: new Error('no such file') }, 'This call failed: no such file'],
    [{ ...base, status: 'failed', error: runInNewContext('new Error("disk full")') }, 'This call failed: disk full'],
    [{ ...base, status: 'failed', error: {} }, 'This call failed without saying why.'],
    [
      {
        ...base,
        status: 'failed',
        error: new AggregateError([new Error('::1 refused'), new Error('127.0.0.1 refused')]),
      },
      'This call failed: ::1 refused; 127.0.0.1 refused',
    ],
    [
      { ...base, status: 'failed', error: Object.assign(new Error(''), { code: 'ECONNREFUSED' }) },
      'This call failed: ECONNREFUSED',
    ],
    [{ ...base, status: 'failed', error: 'plainly' }, 'This call failed: plainly'],
    [{ ...base, status: 'failed', error: { code: 404, detail: 'gone' } }, 'This call failed: {"code":404,"detail":"gone"}'], // prettier-ignore
    // As JSON, as a client's own `toJSON` writes it for a log, and as some throw it.
    [{ ...base, status: 'failed', error: { name: 'Error', message: 'full', stack: 'at x' } }, 'This call failed: full'],
    [
      { ...base, status: 'failed', error: { message: 'no', config: { headers: { key: 'k' } } } },
      'This call failed: no',
    ],
    [{ ...base, status: 'failed', error: { message: '', code: 'E1', stack: 'at x' } }, 'This call failed: E1'],
    [{ ...base, status: 'failed', error: { stack: 'at x' } }, 'This call failed without saying why.'],
    [{ ...base, status: 'failed', error: new Error(' ') }, 'This call failed without saying why.'],
    [{ ...base, status: 'failed', error: undefined }, 'This call failed without saying why.'],
    [{ ...base, status: 'not-started', reason: user }, words('user', 'not-started', 'read', true)],
    [
      { ...base, status: 'skipped', reason: createReason({ kind: 'interjection', at: 1 }) },
      wordingTable.interjection.skipped,
    ],
    [{ ...base, status: 'declined' }, wordingTable.deadline.declined],
    [
      { ...base, status: 'declined', userMessage: 'use git' },
      `${wordingTable.deadline.declined}\nTheir words: use git`,
    ],
    [{ ...base, status: 'unknown', reason: idle }, wordingTable.idle.unknown],
    [
      { ...base, status: 'stopped', reason: user, partial: { lines: 2 }, by: 'coder' },
      `${words('user', 'stopped', 'read', true)}\nInterrupted in: coder\nOutput so far:\n{"lines":2}`,
    ],
    [{ ...base, status: 'stopped', reason: user, partial: '\n' }, words('user', 'stopped', 'read', true)],
  ])('says %j', (row, text) => {
    expect(answer({ row })).toEqual({ status: row.status, text });
  });

  it('hands on what completed', () => {
    expect(answer({ row: { ...base, status: 'completed', value: [1] } })).toEqual({ status: 'completed', value: [1] });
  });

  it('never claims more than is known without a row', () => {
    expect(answer({})).toEqual({ status: 'unrecorded', text: wordingTable.deadline.unrecorded });
    expect(answer({ cutBy: user })).toEqual({ status: 'not-started', text: wordingTable.user['not-started'] });
  });

  it('gives no cause that nobody gave', () => {
    const call: UnansweredCall = { name: 'x', row: undefined, cutBy: undefined };
    expect(answerCall(call, { reason: undefined, words })).toEqual({
      status: 'unrecorded',
      text: wordingTable.unknown.unrecorded,
    });
  });
});

describe('answerOutcome', () => {
  const telling = { reason: user, words };
  const stopped: ToolOutcome = { ...base, status: 'stopped', reason: user };

  it('S19 says wait only where the turn was stopped, and not where one call was', () => {
    expect(answerOutcome(stopped, telling)).toMatchObject({ text: wordingTable.user.stopped });
    const alone = answerOutcome(stopped, { reason: undefined, goesOn: true, words });
    expect(alone).toMatchObject({
      text: 'This call was stopped part-way: the user cancelled. What it had already done may remain. Do not retry it unless you are asked to.',
    });
    expect(answerOutcome(stopped, { reason: idle, words })).toEqual(alone);
  });

  it('S48 names what goes on in the background', () => {
    expect(answerOutcome({ ...base, status: 'detached', partial: 'so far' }, telling)).toEqual({
      status: 'detached',
      text: `${wordingTable.user.detached}\nIt goes on as: a\nOutput so far:\nso far`,
    });
  });

  it('S46 says of what returned after the stop that what it did is real, and never that it may be cut', () => {
    const answer = answerOutcome({ ...base, status: 'completed', value: 'paid', afterStop: true }, telling);
    expect(contentOf(answer)?.parts.map((part) => part.type === 'text' && part.text)).toEqual([
      'paid',
      wordingTable.user['after-stop'],
    ]);
    expect(wordingTable.user['after-stop']).toMatch(/what it did is real: do not repeat that\.$/);
  });

  it('S46 says of what returned behind a stop of its own whose that was, as its row has it', () => {
    const row: ToolOutcome = { ...base, status: 'completed', value: 'paid', afterStop: true };
    const noteOf = (kind: 'user' | 'deadline') =>
      contentOf(answerOutcome({ ...row, reason: createReason(kind) }, { reason: undefined, words: builtInWords }));
    expect(noteOf('user')?.parts.at(-1)).toMatchObject({ text: wordingTable.user['after-stop'] });
    expect(noteOf('deadline')?.parts.at(-1)).toMatchObject({ text: wordingTable.deadline['after-stop'] });
  });

  it('says of a call that was stopped alone, by whom nobody said, that the run goes on', () => {
    const own = { ...stopped, reason: createReason('enough hits') };
    const text = 'This call was stopped part-way: only this call was interrupted. What it had already done may remain.';
    expect(answerOutcome(own, { reason: undefined, goesOn: true, words: builtInWords })).toMatchObject({ text });
    expect(answerOutcome(own, { reason: undefined, words: builtInWords })).toMatchObject({
      text: wordingTable.unknown.stopped,
    });
  });

  it('lets the application choose what a result says', () => {
    const render = (row: ToolOutcome): unknown => (row.status === 'completed' ? { n: 1 } : undefined);
    const done: ToolOutcome = { ...base, status: 'completed', value: 'long' };
    expect(answerOutcome(done, { ...telling, render })).toEqual({
      status: 'completed',
      value: { n: 1 },
      isRendered: true,
    });
    expect(answerOutcome(stopped, { ...telling, render })).toMatchObject({ text: wordingTable.user.stopped });
    expect(answerOutcome(stopped, { ...telling, render: () => ' ' })).toMatchObject({
      text: 'This call failed without saying why.',
    });
  });

  it('says what an application chose, were it an empty text, and refuses a promise of it', () => {
    const done: ToolOutcome = { ...base, status: 'completed', value: 'long' };
    expect(answerOutcome(done, { ...telling, render: () => '' })).toMatchObject({ value: '' });
    const render = () => Promise.resolve('short');
    for (const row of [done, stopped]) {
      expect(() => answerOutcome(row, { ...telling, render })).toThrow(/^what render returns must be a value, got/);
    }
  });

  it('explains a row that lost its reason by the reason of the turn', () => {
    const row = { id: 'c1', name: 'deploy', status: 'unknown' } as unknown as ToolOutcome;
    expect(answerOutcome(row, telling)).toMatchObject({ text: wordingTable.user.unknown });
  });

  it('reads no message that throws', () => {
    const error = Object.defineProperty(new Error('x'), 'message', {
      get: () => {
        throw new Error('no');
      },
    });
    expect(answerOutcome({ ...base, status: 'failed', error }, telling)).toMatchObject({
      text: 'This call failed without saying why.',
    });
  });
});
