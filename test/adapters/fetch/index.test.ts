import { expect, it } from 'vitest';
import * as door from '../../../src/adapters/fetch/index.ts';

it('opens this name', () => {
  expect(Object.keys(door)).toEqual(['cancellableFetch']);
});
