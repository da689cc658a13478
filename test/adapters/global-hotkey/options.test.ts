import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { resolveHotkeyOptions, type GlobalHotkeyOptions } from '../../../src/adapters/global-hotkey/options.ts';

it('the hotkey is ESC, one press cancels, and an unknown focus is none', () => {
  const options = resolveHotkeyOptions({});
  expect(options).toMatchObject({ mode: 'single', doubleMs: 500, stopsUnknown: false, input: undefined });
  expect(options.combination.code).toBe('Escape');
  expect(options.places.at(-1)).toBe(`${process.cwd()}/package.json`);
  expect(resolveHotkeyOptions({ resolveFrom: '/app/main.js' }).places[0]).toBe('/app/main.js');
});

it.each([
  [{ keys: 'escape' }, /options.keys is no option/],
  [{ key: 'any' }, /key must be/],
  [{ mode: 'triple' }, /mode must be/],
  [{ doubleMs: -1 }, /doubleMs must be/],
  [{ gate: true }, /gate must be an object/],
  [{ focusProbe: true }, /focusProbe must be a function/],
  [{ front: 'one' }, /front must be a function/],
  [{ onArmed: 1 }, /onArmed must be a function/],
  [{ unknownFocus: 'stop' }, /unknownFocus must be/],
  [{ resolveFrom: 1 }, /resolveFrom must be a file/],
  [{ resolveFrom: 'main.js' }, /by its absolute path or its URL, got "main.js"/],
])('the options %o are refused', (options, message) => {
  expect(() => resolveHotkeyOptions(options as GlobalHotkeyOptions)).toThrow(message);
});

describe('the places of the package', () => {
  const [, main] = process.argv;
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'desist-places-')));
  });
  afterEach(() => {
    process.argv[1] = main!;
    rmSync(folder, { recursive: true, force: true });
  });

  it('are those of the file behind a link, as npm makes one for a command', () => {
    writeFileSync(join(folder, 'cli.mjs'), '');
    symlinkSync(join(folder, 'cli.mjs'), join(folder, 'cli'));
    process.argv[1] = join(folder, 'cli');
    const { places } = resolveHotkeyOptions({ resolveFrom: 'file:///app/main.js' });
    expect(places.slice(0, 3)).toEqual(['file:///app/main.js', join(folder, 'cli.mjs'), join(folder, 'cli')]);
  });

  it.each(['-', 'foo', undefined])('do not include a main file that is none: %s', (name) => {
    process.argv[1] = name as string;
    expect(resolveHotkeyOptions({}).places).toEqual([`${process.cwd()}/package.json`]);
  });

  it('do not include a working directory that is gone', () => {
    const gone = vi.spyOn(process, 'cwd').mockImplementation(() => {
      throw new Error('ENOENT: uv_cwd');
    });
    process.argv[1] = '-';
    expect(resolveHotkeyOptions({}).places).toEqual([]);
    gone.mockRestore();
  });
});

it('options that are no object are refused', () => {
  expect(() => resolveHotkeyOptions(null as never)).toThrow(/options must be an object/);
});
