import { describe, expect, it } from 'vitest';

import { asAnswer } from '../../../src/adapters/internal/as-answer.ts';
import type { CancelContext } from '../../../src/core/combinators/engine/work-context.ts';
import { CancelledError, DeadlineExceededError } from '../../../src/core/foundation/errors.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { withCancellation } from '../../../src/core/combinators/with-cancellation.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** A library that resolves when it is aborted, as clack's prompts do. */
const resolving = ({ signal }: CancelContext): Promise<unknown> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve(Symbol('clack:cancel'));
    });
  });

describe('an answer', () => {
  it('is passed on as it is, also one that came at once', async () => {
    expect(
      await withCancellation(
        null,
        asAnswer(() => Promise.resolve('yes')),
      ),
    ).toBe('yes');
    expect(
      await withCancellation(
        null,
        asAnswer(() => undefined),
      ),
    ).toBeUndefined();
  });

  it('that a library makes of a stop is none, with every way of settling', async () => {
    for (const settle of ['wait', 'try', 'abandon'] as const) {
      const source = new CancellationTokenSource();
      const asked = withCancellation(source.token, asAnswer(resolving), { settle });
      source.cancel('user');
      await expect(asked).rejects.toThrow(CancelledError);
    }
  });

  it('that a library makes of the limit is none', async () => {
    const clock = new VirtualClock();
    const asked = withCancellation(null, asAnswer(resolving), { timeoutMs: 10, clock });
    const end = expect(asked).rejects.toThrow(DeadlineExceededError);
    await clock.advance(10);
    await end;
  });

  it('of the tick of the stop is none', async () => {
    const source = new CancellationTokenSource();
    let answer = (_value: string): void => undefined;
    const asked = withCancellation(
      source.token,
      asAnswer(() => new Promise<string>((resolve) => (answer = resolve))),
    );
    answer('yes');
    source.cancel('user');
    await expect(asked).rejects.toThrow(CancelledError);
  });

  it('keeps the error of what asked', async () => {
    const refusal = new Error('no terminal');
    await expect(
      withCancellation(
        null,
        asAnswer(() => Promise.reject(refusal)),
      ),
    ).rejects.toBe(refusal);
  });
});
