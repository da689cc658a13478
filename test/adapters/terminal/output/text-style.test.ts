import { describe, expect, it } from 'vitest';

import { TextStyle } from '../../../../src/adapters/terminal/output/text-style.ts';

function after(...sequences: readonly string[]): TextStyle {
  const style = new TextStyle();
  for (const sequence of sequences) style.read(sequence);
  return style;
}

describe('TextStyle', () => {
  it.each([
    [['\x1b[31m'], '\x1b[31m'],
    [['\x1b[31m', '\x1b[32m'], '\x1b[32m'],
    [['\x1b[1;31m', '\x1b[39m'], '\x1b[1m'],
    [['\x1b[1m', '\x1b[2m'], '\x1b[1;2m'],
    [['\x1b[1m', '\x1b[2m', '\x1b[22m'], ''],
    [['\x1b[38;5;196;1m'], '\x1b[38;5;196;1m'],
    [['\x1b[48;2;1;2;3m', '\x1b[38:2::9:9:9m'], '\x1b[48;2;1;2;3;38:2::9:9:9m'],
    [['\x1b[4:3m', '\x1b[4:0m'], ''],
    [['\x1b[7;9m', '\x1b[m'], ''],
    [['\x1b[0;35m'], '\x1b[35m'],
    [['\x1b[2J'], ''],
  ])('sums up %j as %j', (sequences, on) => {
    expect(after(...sequences).on).toBe(on);
  });

  it('switches off and on again whatever would be seen in a prompt', () => {
    const style = after('\x1b[1m', '\x1b]8;;https://example.org\x07', '\x1b(0', '\x0e', '\x1b[?25l');
    expect(style.off).toBe('\x1b[0m\x1b]8;;\x1b\\\x1b(B\x0f\x1b[?25h');
    expect(style.on).toBe('\x1b[1m\x1b]8;;https://example.org\x07\x1b(0\x0e\x1b[?25l');
    expect(style.off).not.toBe('');
  });

  it('is plain again after everything was switched off', () => {
    const ends = ['\x1b[0m', '\x1b]8;;\x1b\\', '\x1b(B', '\x0f', '\x1b[?25h'];
    const style = after('\x1b[1m', '\x1b]8;;https://example.org\x07', '\x1b(0', '\x0e', '\x1b[?25l', ...ends);
    expect([style.off, style.on]).toEqual(['', '']);
    expect(after('\x1b[1m', '\x1bc').off).toBe('');
  });

  it('knows whether a background is on', () => {
    expect(after('\x1b[41m').hasBackground).toBe(true);
    expect(after('\x1b[41m', '\x1b[49m').hasBackground).toBe(false);
  });

  it('keeps no more for a thousand colours than for one', () => {
    const many = after(...Array.from({ length: 1000 }, (_, index) => `\x1b[38;5;${String(index % 256)}m`));
    expect(many.on).toBe('\x1b[38;5;231m');
  });
});
