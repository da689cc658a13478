import { describe, expect, it } from 'vitest';

import { withCancellation } from '../../../src/index.ts';
import { describeAdapter, type AdapterVerdict } from '../../../src/testing/adapter-suite/describe-adapter.ts';
import { good, harness, type Adapt } from './counted-harness.ts';

const failed = (verdicts: readonly AdapterVerdict[]): string[] =>
  verdicts.filter(({ status }) => status === 'failed').map(({ law, why }) => `${law}: ${why ?? ''}`);

const soon = { settleMs: 60, quietMs: 1 };

describe('the laws of an adapter', () => {
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
});
