/** A program may give on what it got from the package, and write declarations. */
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readDoors } from '../../scripts/doors.ts';
import { limitMs } from '../support/limit.ts';
import { isLong } from '../support/long.ts';
import { installPacked, root, type Consumer } from './consumer.ts';
import { unnameable } from './nameable.ts';

let consumer: Consumer;

beforeAll(() => {
  consumer = installPacked();
});
afterAll(() => {
  consumer.remove();
});

describe('the declarations of a program that gives on what a door gives', () => {
  it.each(isLong ? (['mts', 'cts', 'ts'] as const) : (['mts'] as const))(
    'the declarations of a .%s program name every type by a door',
    (extension) => {
      const { faults, members } = unnameable(consumer.folder, readDoors(root), extension, [
        join(root, 'node_modules/@types'),
      ]);
      expect(members).toBeGreaterThan(2_000);
      expect(faults).toEqual([]);
    },
    limitMs(60_000),
  );
});
