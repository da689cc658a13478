import { describe, expect, it } from 'vitest';

import { type TokenLike } from '../../../src/index.ts';
import { describeAdapter, type AdapterCall } from '../../../src/testing/adapter-suite/describe-adapter.ts';
import { good, harness } from './counted-harness.ts';

describe('describeAdapter', () => {
  it('describeAdapter passes an adapter that keeps the laws', async () => {
    const verdicts = await describeAdapter({ name: 'good', start: harness(good) });
    expect(verdicts.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(7);
  });

  it('describeAdapter says which laws do not apply, and what a call would need', async () => {
    const start = (token: TokenLike | undefined): AdapterCall => {
      const { finish: _1, fail: _2, ...call } = harness(good)(token);
      return call;
    };
    const verdicts = await describeAdapter({ name: 'short', start, atOnce: 3 });
    expect(verdicts.filter(({ status }) => status !== 'passed')).toEqual([
      {
        law: 'a call that ends leaves nothing on its token or its signal',
        status: 'notApplicable',
        why: 'its calls have no finish()',
      },
      { law: 'without a token the work runs to its end', status: 'notApplicable', why: 'its calls have no finish()' },
      {
        law: 'a failure of the work is its own, and no stop',
        status: 'notApplicable',
        why: 'its calls have no fail()',
      },
    ]);
  });

  it('describeAdapter refuses a harness that starts nothing', async () => {
    await expect(describeAdapter({ name: 'none' } as never)).rejects.toThrow(
      new TypeError('describeAdapter(harness) needs start(), got undefined'),
    );
  });

  it.each([
    [
      'is deaf',
      () => ({ done: new Promise(() => undefined), isRunning: () => true }),
      'until the stopped call settles',
    ],
    [
      'has a witness that says nothing',
      () => ({ done: new Promise(() => undefined), isRunning: () => new Promise<boolean>(() => undefined) }),
      'until the witness answers',
    ],
    ['gives no promise', () => ({ isRunning: () => true }), 'the call has no promise done'],
    ['gives no witness', () => ({ done: Promise.resolve() }), 'the call has no isRunning()'],
  ])('describeAdapter comes to an end with an adapter that %s', async (_what, make, why) => {
    const start = () => ({ begun: Promise.resolve(), ...make() }) as AdapterCall;
    const verdicts = await describeAdapter({ name: 'bad', start, atOnce: 2 }, { settleMs: 20, quietMs: 1 });
    expect(verdicts.filter(({ status }) => status === 'passed')).toEqual([]);
    expect(verdicts.map((verdict) => verdict.why).join()).toContain(why);
  });

  it.each([
    [{ atOnce: 0 }, {}, 'harness.atOnce must be a whole number from 1, got 0'],
    [{ atOnce: 1.5 }, {}, 'harness.atOnce must be a whole number from 1, got 1.5'],
    [{}, { settleMs: -1 }, 'options.settleMs must be a time in ms, got -1'],
    [{}, { quietMs: 'x' }, 'options.quietMs must be a time in ms, got x'],
  ])('describeAdapter refuses %o with %o', async (own, options, words) => {
    const given = { name: 'good', start: harness(good), ...own };
    await expect(describeAdapter(given, options as never)).rejects.toThrow(new RangeError(words));
    await expect(describeAdapter(null as never)).rejects.toThrow(TypeError);
  });
});
