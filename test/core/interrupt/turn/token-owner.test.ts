import { expect, it } from 'vitest';

import { own } from '../../../../src/core/interrupt/turn/token-owner.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { findOwner } from '../../../../src/core/token/tree/owner.ts';
import { CancellationTokenSource } from '../../../../src/index.ts';

const isAny = (_owner: object): _owner is object => true;

it('own() writes on a token what it was made for, and takes it off again', () => {
  const { token } = new CancellationTokenSource();
  const below = tokenOf(token.child().token);
  const owner = {};
  own(tokenOf(token), owner);
  expect(findOwner(below, isAny)).toBe(owner);
  own(tokenOf(token), undefined);
  expect(findOwner(below, isAny)).toBeUndefined();
});
