import { describe, expect, it } from 'vitest';

import { type TokenLike, withCancellation } from '../../../src/index.ts';
import {
  describeAdapter,
  type AdapterCall,
  type AdapterVerdict,
} from '../../../src/testing/adapter-suite/describe-adapter.ts';
import { deferred } from '../../../src/testing/fakes.ts';

type Adapt = (token: TokenLike | undefined, work: (signal: AbortSignal) => Promise<string>) => Promise<string>;

/** A call of an adapter around work that obeys, and counts itself. */
function harness(adapt: Adapt, begin: 'in the call' | 'a turn later' = 'in the call') {
  return (token: TokenLike | undefined): AdapterCall => {
    const [begun, end] = [deferred<undefined>(), deferred<string>()];
    let running = 0;
    const done = adapt(token, async (signal) => {
      if (begin === 'a turn later') await Promise.resolve();
      running += 1;
      begun.resolve(undefined);
      const onAbort = (): void => {
        end.reject(signal.reason as Error);
      };
      signal.addEventListener('abort', onAbort);
      return end.promise.finally(() => {
        running -= 1;
        signal.removeEventListener('abort', onAbort);
      });
    });
    return {
      done,
      begun: begun.promise,
      isRunning: () => running > 0,
      finish: () => end.resolve('done'),
      fail: end.reject,
    };
  };
}

const good: Adapt = (token, work) => withCancellation(token, ({ signal }) => work(signal));

const failed = (verdicts: readonly AdapterVerdict[]): string[] =>
  verdicts.filter(({ status }) => status === 'failed').map(({ law, why }) => `${law}: ${why ?? ''}`);

const soon = { settleMs: 60, quietMs: 1 };

describe('describeAdapter', () => {
  it('describeAdapter passes an adapter that keeps the laws', async () => {
    const verdicts = await describeAdapter({ name: 'good', start: harness(good) });
    expect(verdicts.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(7);
  });

  const planted: readonly (readonly [string, Adapt, RegExp])[] = [
    [
      'starts whatever the token says',
      (token, work) =>
        withCancellation(token, ({ signal }) => work(signal)).finally(() => void work(new AbortController().signal)),
      /nothing is started|nothing runs on/,
    ],
    ['does not tell the work', (token, work) => withCancellation(token, () => work(new AbortController().signal), { settle: 'abandon' }), /the work has ended/], // prettier-ignore
    ['ignores the stop', (_, work) => work(new AbortController().signal), /settles/],
    ['swallows the stop', (token, work) => good(token, work).catch(() => 'nothing'), /resolved as if|did not reject/],
    [
      'says a reason of its own',
      (token, work) =>
        good(token, work).catch((error: unknown) =>
          token === undefined
            ? Promise.reject(error as Error)
            : Promise.reject(new DOMException('Aborted', 'AbortError')),
        ),
      /rejected with|did not reject/,
    ],
    [
      'keeps its listener',
      (token, work) => {
        if (token !== undefined && 'onCancelled' in token) token.onCancelled(() => undefined);
        else token?.addEventListener('abort', () => undefined);
        return good(token, work);
      },
      /nothing of the call hangs|no listener is left/,
    ],
    ['reports a failure as a stop', (token, work) => good(token, work).catch(() => withCancellation(AbortSignal.abort(), () => '')), /a failure was reported/], // prettier-ignore
    [
      'leaves a promise that nobody hears',
      (token, work) => {
        const done = good(token, work);
        void done.then(() => undefined);
        return done;
      },
      /unhandled rejections/,
    ],
  ];

  it.each(planted)('describeAdapter finds an adapter that %s', async (_, adapt, why) => {
    // What a bad adapter does not hear is the suite's to hear, and nobody else's.
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    const found = failed(await describeAdapter({ name: 'bad', start: harness(adapt), atOnce: 3 }, soon));
    await new Promise((resolve) => void setImmediate(resolve));
    for (const other of others) process.on('unhandledRejection', other);
    expect(found.join('\n')).toMatch(why);
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
