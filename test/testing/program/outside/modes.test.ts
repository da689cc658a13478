import fc from 'fast-check';
import { expect, it } from 'vitest';

import { Screen } from '../../../../src/testing/program/outside/screen.ts';

function left(output: string): readonly string[] {
  const screen = new Screen();
  screen.write(output);
  return screen.modesOn;
}

/** What is written, what a person notices of it, and what takes it back. */
const each: readonly (readonly [on: string, name: string, off: string])[] = [
  ['\x1b[?47h', 'the alternate screen', '\x1b[?47l'],
  ['\x1b[?1049h', 'the alternate screen', '\x1b[?1047l'],
  ['\x1b[?1h', 'application cursor keys', '\x1b[?1l'],
  ['\x1b=', 'the application keypad', '\x1b>'],
  ['\x1b[?7l', 'lines that do not wrap', '\x1b[?7h'],
  ['\x1b[?25l', 'a hidden cursor', '\x1b[?25h'],
  ['\x1b[4h', 'insert mode', '\x1b[4l'],
  ['\x1b[?5h', 'a reversed screen', '\x1b[?5l'],
  ['\x1b[?1015h', 'mouse coordinates', '\x1b[?1015l'],
  ['\x1b[?4242h', 'the mode ?4242', '\x1b[?4242l'],
  ['\x1b[5;10r', 'a scroll region', '\x1b[r'],
  ['\x1b[2r', 'a scroll region', '\x1b[1;40r'],
  ['\x1b(0', 'line drawing characters', '\x1b(B'],
  ['\x0e', 'line drawing characters', '\x0f'],
  ['\x1b[=1;1u', 'the keyboard protocol', '\x1b[=0u'],
  ['\x1b[=3;2u', 'the keyboard protocol', '\x1b[=3;3u'],
  ['\x1b[>1u\x1b[>1u', 'the keyboard protocol', '\x1b[<2u'],
  ['\x1b[>4;1m', 'modified keys', '\x1b[>4n'],
  ['\x1b[?2004s\x1b[?2004h', 'bracketed paste', '\x1b[?2004r'],
];

it.each(each)('%j leaves %s, until %j', (on, name, off) => {
  expect(left(on)).toEqual([name]);
  expect(left(on + off)).toEqual([]);
});

it('a soft reset takes back what it is for, and a full reset everything', () => {
  const all = each.map(([on]) => on).join('');
  expect(left(`${all}\x1b[!p`)).not.toContain('insert mode');
  expect(left(`${all}\x1b[!p`)).toContain('bracketed paste');
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...each.flatMap(([on, , off]) => [on, off]))), (written) => {
      expect(left(`${written.join('')}\x1bc`)).toEqual([]);
    }),
  );
});

it('each screen has a keyboard of its own, and what another resource is reset to is not this one', () => {
  expect(left('\x1b[?1049h\x1b[>1u\x1b[?1049l')).toEqual([]);
  expect(left('\x1b[>1u\x1b[?1049h\x1b[<1u\x1b[?1049l')).toEqual(['the keyboard protocol']);
  expect(left('\x1b[>4;2m\x1b[>1m')).toEqual(['modified keys']);
  expect(left('\x1b[>4;2m\x1b[>m')).toEqual([]);
});

it('what a terminal begins with, and what nobody notices, is nothing that is left', () => {
  expect(left('\x1b[?7h\x1b[?25h\x1b[?12h\x1b[?1034h\x1b[12h\x1b[r\x1b[0;0r')).toEqual([]);
  // What was off before it was kept is off again.
  expect(left('\x1b[?25l\x1b[?25s\x1b[?25h\x1b[?25r')).toEqual(['a hidden cursor']);
});
