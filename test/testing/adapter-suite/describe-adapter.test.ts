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
});
