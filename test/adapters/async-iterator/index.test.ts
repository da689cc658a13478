import { expect, it } from 'vitest';
import * as door from '../../../src/adapters/async-iterator/index.ts';

it('opens these names', () => {
  expect(Object.keys(door).sort()).toEqual(['cancellableIterable', 'sharedStream']);
});
