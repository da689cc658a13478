import { describe, expect, it } from 'vitest';

import { CancellationTokenSource } from '../../../../src/index.ts';
import { LAYOUT } from '../../../../src/core/token/tree/layout.ts';

describe('LAYOUT', () => {
  it('LAYOUT is what tokens are branded with, so that copies know whose nodes they can share', () => {
    expect(Number.isInteger(LAYOUT)).toBe(true);
    const { token } = new CancellationTokenSource();
    expect((token as unknown as Record<symbol, unknown>)[Symbol.for('desist.token')]).toBe(LAYOUT);
  });
});
