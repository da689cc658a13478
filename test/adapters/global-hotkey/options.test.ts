import { expect, it } from 'vitest';

import { resolveHotkeyOptions, type GlobalHotkeyOptions } from '../../../src/adapters/global-hotkey/options.ts';

it('the hotkey is ESC, one press cancels, and an unknown focus is none', () => {
  const options = resolveHotkeyOptions({});
  expect(options).toMatchObject({ mode: 'single', doubleMs: 500, stopsUnknown: false, input: undefined });
  expect(options.combination.code).toBe('Escape');
  expect(options.places.at(-1)).toBe(`${process.cwd()}/package.json`);
  expect(resolveHotkeyOptions({ resolveFrom: '/app/main.js' }).places[0]).toBe('/app/main.js');
});

it.each([
  [{ keys: 'escape' }, /watchGlobalHotkey has no option "keys"/],
  [{ key: 'any' }, /key must be/],
  [{ mode: 'triple' }, /mode must be/],
  [{ doubleMs: -1 }, /doubleMs must be/],
  [{ gate: true }, /gate must be an object/],
  [{ focusProbe: true }, /focusProbe must be a function/],
  [{ front: 'one' }, /front must be a function/],
  [{ onArmed: 1 }, /onArmed must be a function/],
  [{ unknownFocus: 'stop' }, /unknownFocus must be/],
  [{ resolveFrom: 1 }, /resolveFrom must be a file/],
])('the options %o are refused', (options, message) => {
  expect(() => resolveHotkeyOptions(options as GlobalHotkeyOptions)).toThrow(message);
});

it('options that are no object are refused', () => {
  expect(() => resolveHotkeyOptions(null as never)).toThrow(/options of watchGlobalHotkey must be an object/);
});
