import { describe, expect, it } from 'vitest';

import { KeyDecoder } from '../../../../src/adapters/internal/keyboard/decoder/key-decoder.ts';
import { editLine, emptyLine, type LineState } from '../../../../src/adapters/terminal/line-editor/line-state.ts';

/** The line after what a person types, with `|` for the cursor. */
function typed(keys: string, line: LineState = emptyLine): string {
  const decoder = new KeyDecoder();
  let ended = '';
  for (const event of [...decoder.feed(Buffer.from(keys)), ...decoder.flush()]) {
    const step = editLine(line, event);
    line = step.line;
    ended = step.end ?? ended;
  }
  return `${line.text.slice(0, line.cursor)}|${line.text.slice(line.cursor)}${ended === '' ? '' : ` ${ended}`}`;
}

const [left, right, home, end, del, back] = ['\x1b[D', '\x1b[C', '\x1b[H', '\x1b[F', '\x1b[3~', '\x7f'];

describe('editLine', () => {
  it.each([
    ['abc', 'abc|'],
    [`abc${left}${left}X`, 'aX|bc'],
    [`abc${home}X${end}Y`, 'XabcY|'],
    [`abc${back}`, 'ab|'],
    [`abc${home}${del}`, '|bc'],
    [`a${left}${left}${right}${right}${right}`, 'a|'],
    ['one two  \x17', 'one |'],
    ['one two\x1bb\x1bbX', 'X|one two'],
    [`one two${home}\x1bfX`, 'oneX| two'],
    [`one two${home}\x1bd`, '| two'],
    [`abc${left}\x15`, '|c'],
    [`abc${left}${left}\x0b`, 'a|'],
    ['a b', 'a b|'],
    ['`', '`|'],
    ['日本', '日本|'],
    ['\t\x1b[A\x1b[5~', '\t|'],
    ['a\r', 'a| submit'],
    ['a\x1b\rb', 'a\nb|'],
    ['a\x03', 'a| close'],
    ['a\x1b', 'a| close'],
    [back, '|'],
  ])('makes of %j the line %j', (keys, line) => {
    expect(typed(keys)).toBe(line);
  });

  it('takes a family, a flag and a letter with its accent as one step each', () => {
    expect(typed(`a👩‍👩‍👧${left}X`)).toBe('aX|👩‍👩‍👧');
    expect(typed(`a👩‍👩‍👧${back}`)).toBe('a|');
    expect(typed(`a🇩🇪${back}`)).toBe('a|');
    expect(typed(`ae\u0301${left}${del}`)).toBe('a|');
  });

  it('keeps a pasted text of three lines whole, and does not submit it', () => {
    expect(typed('x\x1b[200~one\r\ntwo\rthree\x1b[201~y')).toBe('xone\ntwo\nthreey|');
  });

  it('takes no control characters from a paste', () => {
    expect(typed('\x1b[200~a\x07\x1b[31mb\x1b[201~')).toBe('a[31mb|');
  });

  it('edits a pasted book as fast as a word', () => {
    const book: LineState = { text: 'word 👩‍👩‍👧 '.repeat(100_000), cursor: 700_000 };
    const from = performance.now();
    for (let round = 0; round < 50; round++) typed(`${left}${right}\x1bb\x1bf`, book);
    expect(performance.now() - from).toBeLessThan(1000);
  });
});
