import { describe, expect, it } from 'vitest';

import { createReason } from '../../../../src/core/foundation/reason.ts';
import { CancellationTokenSource } from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { findOwner, tellStopped, type StoppedWork } from '../../../../src/core/token/tree/owner.ts';
import { extraOf } from '../../../../src/core/token/tree/node.ts';

describe('the owner of a token', () => {
  it('the owner is the nearest upwards that is wanted, of several parents that of the first', () => {
    const [first, second] = [new CancellationTokenSource(), new CancellationTokenSource()];
    const below = new CancellationTokenSource({ parent: [first.token, second.token] });
    const [one, two] = [{ name: 'one' }, { name: 'two' }];
    extraOf(tokenOf(second.token)).owner = two;
    const isAny = (_owner: object): _owner is object => true;
    expect(findOwner(tokenOf(below.token), isAny)).toBe(two);
    extraOf(tokenOf(first.token)).owner = one;
    expect(findOwner(tokenOf(below.token), isAny)).toBe(one);
    expect(findOwner(tokenOf(below.token), (owner): owner is object => owner === two)).toBe(two);
  });

  it('the owner hears of work that was stopped; one that does not want to, and nobody at all, are no error', () => {
    const heard: StoppedWork[] = [];
    const source = new CancellationTokenSource();
    const { token } = source.token.child();
    const work = { reason: createReason('user') };
    tellStopped(tokenOf(token), work);
    extraOf(tokenOf(source.token)).owner = {};
    tellStopped(tokenOf(token), work);
    extraOf(tokenOf(source.token)).owner = { workStopped: (each: StoppedWork) => heard.push(each) };
    tellStopped(tokenOf(token), work);
    expect(heard).toEqual([work]);
  });
});
