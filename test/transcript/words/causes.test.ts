import { expect, it } from 'vitest';

import { cancelKinds, isKind as isKindOfCore, standardKind } from '../../../src/core/foundation/cancel-kind.ts';
import { causeOf, causes, isKind } from '../../../src/transcript/words/causes.ts';

it('has words for every kind of the core, in its order', () => {
  expect(Object.keys(causes)).toEqual([...cancelKinds]);
});

it.each([
  ...cancelKinds,
  'app:loop',
  ':',
  'app:',
  ':loop',
  'a:b:c',
  '',
  'nobody',
  '__proto__',
  'toString',
  7,
  undefined,
])('takes %s for a kind where the core does', (kind) => {
  expect(isKind(kind)).toBe(isKindOfCore(kind));
  if (typeof kind === 'string') expect(causeOf(kind)).toBe(standardKind(kind as never));
});
