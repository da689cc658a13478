import { describe, expect, it } from 'vitest';

import type { CancelContext } from '../../../src/core/combinators/context.ts';
import { DelegatedContext } from '../../../src/core/interrupt/delegated-context.ts';
import { CancellationTokenSource, withCancellation } from '../../../src/index.ts';

describe('a context that is handed on', () => {
  it.each(['token', 'signal', 'graceToken', 'checkpoint', 'progress', 'commit'] as const)(
    'says of %s what the original says',
    async (field) => {
      const { token } = new CancellationTokenSource();
      await withCancellation(token, (original: CancelContext) => {
        expect(new DelegatedContext(original)[field]).toBe(original[field]);
      });
    },
  );

  it('makes no signal that nobody reads', () => {
    let made = 0;
    const original = {
      get signal(): AbortSignal {
        made += 1;
        return new AbortController().signal;
      },
    } as CancelContext;
    const handed = new DelegatedContext(original);
    expect(made).toBe(0);
    expect(handed.signal.aborted).toBe(false);
    expect(made).toBe(1);
  });
});
