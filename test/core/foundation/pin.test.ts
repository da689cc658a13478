import { describe, expect, it } from 'vitest';

import { pin } from '../../../src/core/foundation/pin.ts';

describe('pin', () => {
  it('keeps what it is given, and nothing else', async () => {
    const gc = globalThis.gc!;
    const make = (keep: boolean): WeakRef<object> => {
      const instance = { keep };
      if (keep) pin(instance);
      return new WeakRef(instance);
    };
    const [kept, lost] = [make(true), make(false)];
    // A reference that was looked at lives to the end of its turn.
    await new Promise((resolve) => setImmediate(resolve));
    gc();
    expect(kept.deref()).toEqual({ keep: true });
    expect(lost.deref()).toBeUndefined();
  });
});
