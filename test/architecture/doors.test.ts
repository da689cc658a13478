import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { readDoors } from '../../scripts/doors.ts';
import { root } from './source.ts';

it('the reference calls every door by what one imports', () => {
  const wrong = readDoors(root).filter(
    ({ specifier, source }) => !readFileSync(join(root, source), 'utf8').includes(`\n * @module ${specifier}\n */`),
  );
  expect(wrong).toEqual([]);
});
