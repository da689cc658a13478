import { expect, it } from 'vitest';

import { asyncDisposeKey, BaseError, disposeKey } from '../../../src/core/foundation/platform-names.ts';

it('the names of the platform are those of the platform', () => {
  expect([BaseError, disposeKey, asyncDisposeKey]).toEqual([Error, Symbol.dispose, Symbol.asyncDispose]);
});
