import { describe, expect, it, vi } from 'vitest';
import { cancellableFetch } from '../../../src/adapters/fetch/index.ts';
import { attempt } from '../../../src/adapters/fetch/attempt.ts';
import { CallScope } from '../../../src/adapters/internal/call-scope.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** Answers never, as long as its signal lives. */
function silence(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

describe('an attempt with a limit', () => {
  it('that has no answer by then is given up, with an error that may be retried', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const scope = new CallScope([source.token], {});
    const failure = attempt(scope, silence, 100, () => undefined).catch((error: unknown) => error);
    await clock.advance(100);
    expect(await failure).toMatchObject({ name: 'TimeoutError', limitMs: 100, reason: { kind: 'deadline' } });
    expect(scope.isCancelled).toBe(false);
    scope.release();
  });

  it('that is stopped fails with the stop, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const scope = new CallScope([source.token], {});
    const failure = attempt(scope, silence, 100, () => undefined).catch((error: unknown) => error);
    source.cancel('user');
    expect(await failure).toBe(source.signal.reason);
    expect(clock.pending).toBe(0);
  });
});

it('S09 a request whose attempt is silent is sent again, and the limit does not touch the body', async () => {
  const clock = new VirtualClock();
  const source = new CancellationTokenSource({ clock });
  let signal: AbortSignal | null | undefined;
  const answers = vi.fn((_input: unknown, init?: RequestInit) => {
    signal = init?.signal;
    return answers.mock.calls.length < 3 ? silence(signal as AbortSignal) : Promise.resolve(new Response('hello'));
  });
  const retry = { attempts: 3, timeoutMs: 100, backoff: 10 };
  const running = cancellableFetch('http://x.test', { token: source.token, retry, fetch: answers });
  await clock.advance(1000);
  const response = await running;
  await clock.advance(1000);
  expect([answers.mock.calls.length, signal?.aborted, await response.text()]).toEqual([3, false, 'hello']);
});

it('a limit of an attempt that makes no sense is refused', async () => {
  await expect(cancellableFetch('http://x.test', { retry: { timeoutMs: -1 } })).rejects.toThrow('retry.timeoutMs');
});
