import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { TokenModel } from '../support/token-model/token-model.ts';
import { differenceFromModel, playTokens, tokenScript, type TokenStep } from '../support/token-model/token-script.ts';

const fork: readonly TokenStep[] = [
  { act: 'make', kind: 'child', parents: [] },
  { act: 'make', kind: 'child', parents: [0] },
  { act: 'on', node: 1, rung: 'cancel', script: [{ act: 'throw' }] },
  { act: 'cancel', node: 0, graceMs: 3 },
  { act: 'advance', ms: 3 },
];

/** Tokens as somebody writes them by hand: a child remembers what its parent was when it was made. */
class HandMade extends TokenModel {
  override read(node: number): string {
    return node === 1 ? 'live' : super.read(node);
  }
}

describe('tokenScript', () => {
  it('tokenScript makes every act and every kind, and only those it was asked for', () => {
    const steps = fc.sample(tokenScript(), { numRuns: 200, seed: 1 }).flat();
    expect(new Set(steps.map(({ act }) => act)).size).toBe(9);
    expect(new Set(steps.flatMap((step) => (step.act === 'make' ? [step.kind] : []))).size).toBe(6);
    const few = fc.sample(tokenScript({ kinds: ['child'], acts: ['cancel', 'on'], maxLength: 5 }), {
      numRuns: 200,
      seed: 1,
    });
    expect(few.every((script) => script.length <= 5)).toBe(true);
    const inside = few.flat().flatMap((step): TokenStep[] => (step.act === 'on' ? [step, ...step.script] : [step]));
    expect(new Set(inside.map(({ act }) => act))).toEqual(new Set(['make', 'cancel', 'on']));
  });

  it.each([
    [{ kinds: [] }, 'kinds must name at least one'],
    [{ acts: ['pause'] }, 'acts names "pause", which does not exist'],
    [{ kinds: ['uncle'] }, 'kinds names "uncle", which does not exist'],
  ])('tokenScript refuses %j', (constraints, message) => {
    expect(() => tokenScript(constraints as never)).toThrow(new TypeError(message));
  });
});

describe('playTokens', () => {
  it('playTokens writes down answers, callbacks and states in their order', () => {
    const log: string[] = [];
    const model = new TokenModel({ onError: () => log.push('error') });
    expect(playTokens(model, fork, { log })).toEqual([
      ...['make', 'live', 'watched 0', 'make', 'live live', 'watched 0 0'],
      ...[
        'on',
        'live live',
        'watched 1 1',
        'cancel',
        'cancel c0 on 1: c1 c1',
        'error',
        'cancel true',
        'c1 c1',
        'watched 0 0',
      ],
      ...['advance', 'c1! c1!', 'watched 0 0', 'c1! c1!'],
    ]);
  });
});

describe('differenceFromModel', () => {
  it('differenceFromModel finds nothing between the model and itself', () => {
    fc.assert(
      fc.property(tokenScript(), fc.boolean(), (script, look) => {
        expect(differenceFromModel(script, (onError) => new TokenModel({ onError }), { look })).toBeUndefined();
      }),
    );
  });

  it('differenceFromModel finds a child that does not hear of its parent, in a script that shrinks to three steps', () => {
    const { counterexample, failed } = fc.check(
      fc.property(
        tokenScript({ kinds: ['child'], acts: ['cancel', 'advance'] }),
        (script) => differenceFromModel(script, (onError) => new HandMade({ onError })) === undefined,
      ),
      { seed: 1 },
    );
    expect(failed).toBe(true);
    expect(counterexample?.[0].map(({ act }) => act).sort()).toEqual(['cancel', 'make', 'make']);
  });

  it('differenceFromModel shows both from where they part, also where one says less', () => {
    const said = differenceFromModel(fork, (onError) => new HandMade({ onError }));
    expect(said).toMatch(
      /^after 10 lines the model says:\ncancel c0 on 1: c1 c1\n[^]*and the forest:\ncancel c0 on 1: c1 live\n/,
    );
    const silent = differenceFromModel(fork, () => new TokenModel());
    expect(silent).toMatch(/^after 11 lines the model says:\nerror\n[^]*and the forest:\ncancel true\n/);
  });

  it('differenceFromModel does not ask a forest what hangs on its tokens if it cannot tell', () => {
    const open = (onError: () => void): TokenModel => {
      const forest = new TokenModel({ onError });
      Object.defineProperty(forest, 'watched', { value: undefined });
      return forest;
    };
    expect(differenceFromModel(fork, open)).toBeUndefined();
  });
});
