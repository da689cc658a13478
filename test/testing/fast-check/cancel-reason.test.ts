import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { CancellationTokenSource } from '../../../src/index.ts';
import { isCancelReason } from '../../../src/core/foundation/reason.ts';
import { reasonFromJSON, reasonToJSON } from '../../../src/core/foundation/reason-json.ts';
import { cancelReason } from '../../../src/testing/fast-check/cancel-reason.ts';

const samples = fc.sample(cancelReason(), { seed: 1, numRuns: 1_000 });

describe('cancelReason', () => {
  it('cancelReason makes reasons that a source takes as they are, and that survive JSON but for their cause', () => {
    fc.assert(
      fc.property(cancelReason(), (reason) => {
        const source = new CancellationTokenSource();
        source.cancel(reason);
        expect(isCancelReason(reason)).toBe(true);
        expect(source.reason).toBe(reason);
        expect(reasonToJSON(reasonFromJSON(JSON.parse(JSON.stringify(reasonToJSON(reason)))))).toEqual(
          reasonToJSON(reason),
        );
      }),
    );
  });

  it('cancelReason reaches every kind, those of an application, and every optional field with and without', () => {
    const kinds = new Set(samples.map(({ kind }) => kind));
    expect([...kinds].filter((kind) => !kind.includes(':'))).toHaveLength(12);
    expect([...kinds].some((kind) => kind.includes(':'))).toBe(true);
    for (const field of ['by', 'source', 'detail', 'cause'] as const) {
      const has = new Set(samples.map((reason) => reason[field] !== undefined));
      expect([...has].sort(), field).toEqual([false, true]);
    }
  });

  it('cancelReason keeps to the kinds it is given, and shrinks towards the first', () => {
    const kinds = ['shutdown', 'app:loop'] as const;
    expect(new Set(fc.sample(cancelReason({ kinds }), 200).map(({ kind }) => kind))).toEqual(new Set(kinds));
    for (let seed = 0; seed < 30; seed += 1) {
      const { counterexample } = fc.check(
        fc.property(cancelReason(), () => false),
        { seed },
      );
      expect(counterexample?.[0]).toMatchObject({ kind: 'user', at: 0 });
      expect(counterexample?.[0]).not.toHaveProperty('detail');
    }
  });

  it('cancelReason refuses kinds that do not exist, and none at all, before any run', () => {
    expect(() => cancelReason({ kinds: ['stop' as 'user'] })).toThrow(TypeError);
    expect(() => cancelReason({ kinds: [] })).toThrow('kinds must name at least one kind');
  });
});
