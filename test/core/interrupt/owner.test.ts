import { expect, it } from 'vitest';

import { CancellationTokenSource } from '../../../src/index.ts';
import { CallOwner, Owner } from '../../../src/core/interrupt/owner.ts';
import { contextOf, placeOf } from '../../../src/core/interrupt/place.ts';
import { tokenOf } from '../../../src/core/token/link.ts';

const tokenFor = (owner?: object) => {
  const token = tokenOf(new CancellationTokenSource({ name: 'own' }).token);
  if (owner instanceof Owner) owner.owns(token);
  else if (owner !== undefined && token.extra !== undefined) token.extra.owner = owner;
  return token;
};

it('is found from its token, and from what was made of it', () => {
  const turn = new (class extends Owner {})();
  const token = tokenFor(turn);
  expect(placeOf(token)).toBe(turn);
  const child = token.child();
  child.release();
  expect(placeOf(tokenOf(child.token))).toBeUndefined();
  expect(placeOf(tokenOf(token.child().token))).toBe(turn);
});

it('a call is no turn, and knows what its tool was given only from its start on', () => {
  const call = new (class extends CallOwner {})();
  const token = tokenFor(call);
  expect([placeOf(token), contextOf(token)]).toEqual(['call', undefined]);
  const context = {} as NonNullable<CallOwner['context']>;
  call.context = context;
  expect(contextOf(token)).toBe(context);
});

it('one of another copy of the package is a stranger', () => {
  expect(placeOf(tokenFor({ context: {}, host: {} }))).toBeUndefined();
  expect(placeOf(tokenFor())).toBeUndefined();
});
