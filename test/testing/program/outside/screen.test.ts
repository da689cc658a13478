import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { Screen } from '../../../../src/testing/program/outside/screen.ts';

function screenOf(...pieces: string[]): string {
  const screen = new Screen(undefined, 20, 5);
  for (const piece of pieces) screen.write(piece);
  return screen.text;
}

it.each([
  ['lines and returns', 'one\r\ntwo\rT', 'one\nTwo'],
  ['colours, titles and other things that nobody sees', '\x1b[1;31mred\x1b[0m\x1b]0;title\x07!\x1b(B', 'red!'],
  ['a line that is drawn again', 'thinking 1\r\x1b[2Kthinking 2', 'thinking 2'],
  ['rows that are drawn again', 'a\r\nb\r\n\x1b[2A\x1b[0Jc', 'c'],
  ['a cursor that is sent somewhere', '\x1b[2;3Hx', '\n  x'],
  ['the prompt with its blank', 'hello\r\n> ', 'hello\n> '],
  ['a screen that has scrolled', '1\r\n2\r\n3\r\n4\r\n5\r\n6', '2\n3\n4\n5\n6'],
  ['a line that is too long', 'x'.repeat(22), `${'x'.repeat(20)}\nxx`],
  ['the main screen after the other', 'main\x1b[?1049hother\x1b[?1049l', 'main'],
])('a screen shows %s', (_, output, shown) => {
  expect(screenOf(output)).toBe(shown);
  expect(screenOf(...output)).toBe(shown);
});

it('a screen shows what a real terminal shows, however the output is cut', async () => {
  const word = fc.constantFrom(
    'a',
    'bc',
    ' ',
    '\r',
    '\n',
    '\r\n',
    '\b',
    '\x1b[A',
    '\x1b[2B',
    '\x1b[3C',
    '\x1b[2D',
    '\x1b[K',
    '\x1b[2;4H',
    '\x1b[3G',
    '\x1b[2P',
    '\x1b[2X',
    '\x1b[31m',
    '\x1b7',
    '\x1b8',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 40 }), fc.nat(), async (words, cut) => {
      const output = words.join('');
      const terminal = new Terminal({ cols: 20, rows: 5, allowProposedApi: true });
      await new Promise<void>((resolve) => terminal.write(output, resolve));
      const { active } = terminal.buffer;
      const real = Array.from(
        { length: 5 },
        (__, y) => active.getLine(active.viewportY + y)?.translateToString(true) ?? '',
      );
      terminal.dispose();
      const at = cut % (output.length + 1);
      const shown = screenOf(output.slice(0, at), output.slice(at));
      const trimmed = (text: string) =>
        text
          .split('\n')
          .map((line) => line.trimEnd())
          .join('\n')
          .trimEnd();
      expect(trimmed(shown)).toBe(trimmed(real.join('\n')));
    }),
  );
});

it('a screen answers what programs ask of a terminal, and knows which modes are left on', () => {
  const answers: string[] = [];
  const screen = new Screen((text) => answers.push(text));
  screen.write('\x1b[c\x1b[>c\x1b[5n> \x1b[6n');
  expect(answers).toEqual(['\x1b[?62;22c', '\x1b[>0;10;1c', '\x1b[0n', '\x1b[1;3R']);
  screen.write('\x1b[?2004h\x1b[?1049h\x1b[?25l\x1b[>1u\x1b[>4;2m');
  expect(screen.modesOn).toEqual([
    'a hidden cursor',
    'bracketed paste',
    'modified keys',
    'the alternate screen',
    'the keyboard protocol',
  ]);
  screen.write('\x1b[>4m\x1b[<u\x1b[?25h\x1b[?2004;1049l');
  expect(screen.modesOn).toEqual([]);
});

it('a sequence that never ends is let go, and takes what is behind it with it no longer than that', () => {
  const screen = new Screen();
  screen.write('\x1b]0;');
  for (let n = 0; n < 20; n++) screen.write('x'.repeat(10_000));
  screen.write('\r\n\x1b[2J\x1b[Hback');
  expect(screen.text).toBe('back');
  // Each begins where the one before it has not ended.
  screen.write('\x1b]'.repeat(200_000));
  screen.write('\x07\x1b[2J\x1b[Hagain');
  expect(screen.text).toBe('again');
});
