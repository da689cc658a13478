import { describe, expect, it } from 'vitest';

import { EscapeSplitter } from '../../../../src/adapters/terminal/output/escape-splitter.ts';

function texts(...chunks: readonly string[]): string[] {
  const splitter = new EscapeSplitter();
  return chunks.map((chunk) =>
    splitter
      .split(chunk)
      .map(({ text }) => text)
      .join('|'),
  );
}

describe('EscapeSplitter', () => {
  it('cuts glyphs, controls and sequences apart', () => {
    expect(new EscapeSplitter().split('ab\x1b[31mc\r\n\x1b7')).toEqual([
      { kind: 'glyphs', text: 'ab' },
      { kind: 'sequence', text: '\x1b[31m' },
      { kind: 'glyphs', text: 'c' },
      { kind: 'control', text: '\r' },
      { kind: 'control', text: '\n' },
      { kind: 'sequence', text: '\x1b7' },
    ]);
  });

  it.each([
    ['a style', '\x1b[38;5;196m'],
    ['a title', '\x1b]0;a title\x07'],
    ['a link', '\x1b]8;;https://example.org\x1b\\'],
    ['a character set', '\x1b(0'],
    ['an emoji', '😀'],
  ])('keeps %s until it is whole, wherever it is cut', (_what, sequence) => {
    for (let at = 1; at < sequence.length; at++) {
      expect(texts(`x${sequence.slice(0, at)}`, `${sequence.slice(at)}y`).join('')).toContain(sequence);
      expect(texts(`x${sequence.slice(0, at)}`)).toEqual(['x']);
    }
  });

  it('passes on what a terminal would give up', () => {
    expect(texts('\x1b[3\x1b[4mx')).toEqual(['\x1b[3|\x1b[4m|x']);
    expect(texts('\x1b[1\x18x')).toEqual(['\x1b[1|\x18|x']);
    expect(texts('\x1b]0;t\x1b[4mx')).toEqual(['\x1b]0;t|\x1b[4m|x']);
    expect(texts('\x1b 0')).toEqual(['\x1b 0']);
    expect(texts('\x1b日')).toEqual(['\x1b|日']);
  });

  it('loses nothing of an unfinished sequence', () => {
    const splitter = new EscapeSplitter();
    splitter.split('\x1b]0;never');
    expect(splitter.flush()).toEqual([{ kind: 'sequence', text: '\x1b]0;never' }]);
    expect(splitter.flush()).toEqual([]);
  });

  it('holds no picture back', () => {
    const splitter = new EscapeSplitter();
    expect(splitter.split(`\x1bP${'q'.repeat(70_000)}`).map(({ text }) => text.length)).toEqual([70_002]);
    expect(splitter.split(`\x1b[${'1;'.repeat(300)}`)).toHaveLength(1);
  });

  it('takes time in proportion, also for a long string that comes character by character', () => {
    const time = (length: number): number => {
      const splitter = new EscapeSplitter();
      const from = process.cpuUsage(); // what other programs take meanwhile is not counted
      splitter.split('\x1b]0;');
      for (let at = 0; at < length; at++) splitter.split('x');
      for (let at = 0; at < length; at++) splitter.split('a\x1b[1mb\n');
      return process.cpuUsage(from).user / 1000;
    };
    const best = (length: number): number => Math.min(...Array.from({ length: 5 }, () => time(length)));
    best(8000); // warm
    expect(best(64_000)).toBeLessThan(40 * Math.max(1, best(8000)));
  });
});
