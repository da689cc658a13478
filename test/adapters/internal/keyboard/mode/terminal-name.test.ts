import { expect, it } from 'vitest';

import {
  terminalName,
  type TerminalNameHost,
} from '../../../../../src/adapters/internal/keyboard/mode/terminal-name.ts';

const devices: Readonly<Record<string, number>> = {
  '/dev/tty': 0x500,
  '/dev/tty1': 0x401,
  '/dev/sda': 0x8803,
  '/dev/pts/2': 0x8802,
  '/dev/pts/3': 0x8803,
  '/dev/console': 0x501,
};

function host(controlling: number | undefined, ps = ''): TerminalNameHost {
  return {
    controlling: () => controlling,
    names: (folder) =>
      Object.keys(devices)
        .filter((path) => path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes('/'))
        .map((path) => path.slice(folder.length + 1)),
    device: (path) => {
      const device = devices[path];
      if (device === undefined) throw new Error('ENOENT');
      return device;
    },
    ps: () => {
      if (ps === '') throw new Error('ENOENT');
      return ps;
    },
  };
}

it('is the name that was given, unless that means to each its own', () => {
  expect(terminalName('/dev/pts/2', host(0x8803))).toBe('/dev/pts/2');
});

it.each([
  [0x8803, '/dev/pts/3'],
  [0x401, '/dev/tty1'],
  [0x501, '/dev/console'],
  [0x8804, undefined],
  [0, undefined],
])('is looked for by the number of its device: %i is %s', (device, name) => {
  expect(terminalName('/dev/tty', host(device))).toBe(name);
});

it('is no name where a folder cannot be read', () => {
  const unreadable = (): never => {
    throw new Error('EACCES');
  };
  expect(terminalName('/dev/tty', { ...host(0x8803), names: unreadable })).toBeUndefined();
});

it.each([
  ['ttys003\n', '/dev/ttys003'],
  ['pts/4\n', '/dev/pts/4'],
  ['??\n', undefined],
  ['', undefined],
])('is asked of ps where the kernel does not say: %j is %s', (ps, name) => {
  expect(terminalName('/dev/tty', host(undefined, ps))).toBe(name);
});
