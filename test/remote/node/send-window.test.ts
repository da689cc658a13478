import { describe, expect, it } from 'vitest';

import { SendWindow } from '../../../src/remote/node/send-window.ts';
import { deferred, type Deferred } from '../../../src/testing/fakes.ts';

describe('a window', () => {
  /** Sends `count` operations that the test answers. */
  function stage(count: number) {
    const window = new SendWindow();
    const sent: { readonly n: number; readonly answer: Deferred<number> }[] = [];
    const results = Array.from({ length: count }, (_, n) =>
      window
        .run(() => {
          const answer = deferred<number>();
          sent.push({ n, answer });
          return answer.promise;
        })
        .catch((error: unknown) => String(error)),
    );
    return { window, sent, results };
  }

  it('a window sends a thousand at once, and each further one when one was answered, in their order', async () => {
    const { sent, results } = stage(1_003);
    expect(sent.length).toBe(1_000);
    sent[7]!.answer.resolve(7);
    sent[3]!.answer.reject(new Error('refused'));
    expect([await results[7], await results[3]]).toEqual([7, 'Error: refused']);
    await Promise.resolve();
    expect(sent.slice(1_000).map(({ n }) => n)).toEqual([1_000, 1_001]);
    for (const { n, answer } of sent) answer.resolve(n);
    await results[1_001];
    await Promise.resolve();
    sent[1_002]!.answer.resolve(1_002);
    expect((await Promise.all(results)).at(-1)).toBe(1_002);
  });

  it('a window refuses at once what waits behind an engine that does not answer, and sends again later', async () => {
    const { window, sent, results } = stage(1_002);
    window.refuseWaiting(new Error('late'));
    expect(await Promise.all(results.slice(1_000))).toEqual(['Error: late', 'Error: late']);
    for (const { answer } of sent) answer.reject(new Error('late'));
    await Promise.all(results);
    expect(await window.run(() => Promise.resolve('well'))).toBe('well');
  });

  it('a window sends a hundred thousand in linear time', async () => {
    const window = new SendWindow();
    let sum = 0;
    await Promise.all(Array.from({ length: 100_000 }, () => window.run(() => Promise.resolve(sum++))));
    expect(sum).toBe(100_000);
  });
});
