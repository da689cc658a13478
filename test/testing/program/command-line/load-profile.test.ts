import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { loadProfile } from '../../../../src/testing/program/command-line/load-profile.ts';

const folder = mkdtempSync(join(tmpdir(), 'profile-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

it('a profile is loaded from JSON and from a module', async () => {
  expect(await loadProfile(file('a.json', '{ "command": ["a"] }'))).toEqual({ command: ['a'] });
  expect(await loadProfile(file('b.mjs', 'export default { command: ["b"] }'))).toEqual({ command: ['b'] });
});

it('a file that holds none is refused with its path and why', async () => {
  await expect(loadProfile(file('c.json', '{ "command": 1 }'))).rejects.toThrow(
    /c\.json: command of a profile must be a list/,
  );
  await expect(loadProfile(file('d.mjs', 'export const x = 1'))).rejects.toThrow(/d\.mjs: a profile must be an object/);
  await expect(loadProfile(join(folder, 'none.json'))).rejects.toThrow(/none\.json: ENOENT/);
});
