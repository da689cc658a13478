import { expect, it } from 'vitest';

import { asyncDisposeKey, disposeKey } from '../../../src/core/foundation/disposable.ts';

it('the keys of disposal are those of the platform', () => {
  expect([disposeKey, asyncDisposeKey]).toEqual([Symbol.dispose, Symbol.asyncDispose]);
});
