import { describe, expect, it } from 'vitest';

import { TokenModel } from '../support/token-model/token-model.ts';

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

  it('The model tells of a kill also by a way past a token that was only cancelled', () => {
    const model = new TokenModel();
    const heard: string[] = [];
    model.make('child', []);
    model.make('child', []);
    model.make('all', [0, 1]);
    model.make('join', [1, 2]);
    model.make('join', [1, 2]);
    model.cancel(0, 'c', undefined);
    model.on(2, 'cancel', () => heard.push('all: cancel'));
    model.on(3, 'kill', () => heard.push('first: kill'));
    model.on(4, 'cancel', () => heard.push('second: cancel'));
    model.kill(1, 'k');
    expect([2, 3, 4].map((node) => model.read(node))).toEqual(['k', 'k!', 'k!']);
    expect(heard).toEqual(['all: cancel', 'first: kill', 'second: cancel']);
  });

  it('The model leaves a kill to be told by its own walk, where a cancel from inside a callback comes by first', () => {
    const model = new TokenModel();
    const heard: string[] = [];
    model.make('child', []);
    model.make('child', []);
    model.make('any', [0, 1]);
    model.make('child', [2]);
    model.on(0, 'cancel', () => model.cancel(1, 'c', undefined));
    model.on(3, 'kill', () => heard.push('kill'));
    model.kill(0, 'k');
    expect(heard).toEqual(['kill']);
  });

  it('The model says that the order is open where a token of several parents hangs on a released one', () => {
    let undecided = 0;
    const model = new TokenModel({ onUndecided: () => undecided++ });
    model.make('child', []);
    model.make('child', [0]);
    model.make('child', [1]);
    model.make('all', [0, 1]);
    for (const node of [2, 3]) model.on(node, 'cancel', () => undefined);
    model.release(1);
    model.cancel(0, 'c', undefined);
    expect(undecided).toBe(1);
  });
});
