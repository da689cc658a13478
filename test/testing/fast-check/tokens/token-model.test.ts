import { describe, expect, it } from 'vitest';

import { TokenModel } from '../../../../src/testing/fast-check/tokens/token-model.ts';

describe('the naive model of tokens', () => {
  it('The model passes a cancel down and never up, the first reason wins, and a kill keeps it', () => {
    const model = new TokenModel();
    model.make('child', []);
    model.make('child', [0]);
    model.make('child', [0]);
    expect(model.cancel(1, 'one', undefined)).toBe(true);
    expect([0, 1, 2].map((node) => model.read(node))).toEqual(['live', 'one', 'live']);
    expect([model.cancel(0, 'all', undefined), model.cancel(0, 'again', undefined)]).toEqual([true, false]);
    expect([0, 1, 2].map((node) => model.read(node))).toEqual(['all', 'one', 'all']);
    model.kill(0, 'now');
    expect([0, 1, 2].map((node) => model.read(node))).toEqual(['all!', 'one!', 'all!']);
  });

  it('The model cancels `any` with the first and `all` with the last, and a shield lets only a kill through', () => {
    const model = new TokenModel();
    for (const kind of ['child', 'child'] as const) model.make(kind, []);
    model.make('any', [0, 1]);
    model.make('all', [0, 1]);
    model.make('shield', [0]);
    model.cancel(0, 'a', undefined);
    expect([2, 3, 4].map((node) => model.read(node))).toEqual(['a', 'live', 'live']);
    model.cancel(1, 'b', undefined);
    model.kill(0, 'k');
    expect([2, 3, 4].map((node) => model.read(node))).toEqual(['a!', 'b', 'a!']);
  });

  it('The model freezes what a released token says, and goes on telling what is below it', () => {
    const model = new TokenModel();
    model.make('child', []);
    model.make('child', [0]);
    model.make('child', [1]);
    model.release(1);
    model.cancel(0, 'late', undefined);
    expect([1, 2].map((node) => model.read(node))).toEqual(['live', 'late']);
  });

  it('The model cancels with a limit when its time has come, and says who holds no source', () => {
    const model = new TokenModel();
    model.make('child', []);
    model.make('foreign', []);
    model.limit(0, 5, 'limit');
    model.advance(4);
    expect(model.read(0)).toBe('live');
    model.advance(1);
    expect([model.read(0), model.cancel(1, 'no', undefined), model.watched(0)]).toEqual(['limit', undefined, 0]);
    model.abort(1, 'aborted');
    expect(model.read(1)).toBe('aborted');
  });
});
