import { describe, expect, it } from 'vitest';

import { GenerationContext, type Generation } from '../../../src/core/interrupt/generation-context.ts';
import { tokenOf } from '../../../src/core/token/link.ts';
import { CancellationToken } from '../../../src/index.ts';

function context() {
  const told: unknown[] = [];
  const generation: Generation = {
    turn: { budget: { produced: (tokens) => told.push(tokens) } },
    continuation: undefined,
    isWrapUp: true,
    watch: { progress: () => told.push('progress') },
    partial: undefined,
    outputTokens: 0,
  };
  const receipt = { accepted: false, turnId: undefined, settled: new Promise<never>(() => undefined) };
  const host = {
    token: tokenOf(null),
    graceToken: () => CancellationToken.none,
    progress: () => undefined,
    enterCommit: () => undefined,
    leaveCommit: () => undefined,
  };
  const made = new GenerationContext(host, () => receipt, generation);
  return { made, told, generation };
}

describe('the context of a model call', () => {
  it('can be taken apart, and keeps what it is given; each piece is progress', () => {
    const { made, told, generation } = context();
    const { partial, progress, usage, isWrapUp, continuation } = made;
    partial('half');
    progress();
    usage({ outputTokens: 3 });
    expect(told).toEqual(['progress', 'progress', 3]);
    expect(generation.partial).toEqual({ value: 'half' });
    expect([isWrapUp, continuation]).toEqual([true, undefined]);
  });

  it('counts output once, whatever is told again', () => {
    const { made, told } = context();
    for (const outputTokens of [5, 5, 8, 2, undefined, 9]) made.usage({ outputTokens });
    expect(told).toEqual([5, 3, 1]);
    expect(() => {
      made.usage({ outputTokens: -1 });
    }).toThrow(RangeError);
  });
});
