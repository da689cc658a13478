import { expect, it } from 'vitest';

import { parseHotkey } from '../../../src/adapters/global-hotkey/key-names.ts';

const bare = { ctrl: false, alt: false, shift: false, meta: false };

it.each([
  ['escape', { ...bare, code: 'Escape' }],
  ['ESC', { ...bare, code: 'Escape' }],
  ['f12', { ...bare, code: 'F12' }],
  ['Ctrl+Shift+x', { ...bare, ctrl: true, shift: true, code: 'X' }],
  ['alt+meta+up', { ...bare, alt: true, meta: true, code: 'ArrowUp' }],
])('the key %o is read with exactly its modifiers', (text, combination) => {
  expect(parseHotkey(text)).toEqual(combination);
});

it.each(['', 'f25', 'f0', 'ctrl', 'ctrl+', 'hyper+x', 'ctrl+ctrl+x', 'constructor', 27, undefined])(
  'the key %o is refused by name',
  (key) => {
    expect(() => parseHotkey(key)).toThrow(TypeError);
    expect(() => parseHotkey(key)).toThrow(/key must be a key such as/);
  },
);
