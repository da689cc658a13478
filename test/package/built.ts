/**
 * Reads what the build left in `dist`, and pins kept beside the tests.
 *
 * @module
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from 'vitest';

import { requireBuild, root } from './consumer.ts';
import type { Files } from './rules.ts';

/** The built files whose path in `dist` matches, those of doors below a door too. */
export function readBuilt(pattern: RegExp): Files {
  requireBuild();
  const names = readdirSync(join(root, 'dist'), { encoding: 'utf8', recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => pattern.test(name));
  return new Map(names.map((name) => [name, readFileSync(join(root, 'dist', name), 'utf8')]));
}

/** Compares with a committed pin. `UPDATE_PINS=1` writes it instead: a change of what is published is then a visible diff. */
export function expectPinned(file: string, value: unknown): void {
  const path = join(root, 'test/package', file);
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (process.env['UPDATE_PINS'] === '1') writeFileSync(path, text);
  expect(
    JSON.parse(text),
    `differs from ${file}; if that is meant: UPDATE_PINS=1 npx vitest run --project package`,
  ).toEqual(JSON.parse(readFileSync(path, 'utf8')));
}
