import { describe, expect, it } from 'vitest';

import { KeyDecoder } from '../../../src/adapters/internal/keyboard/decoder/key-decoder.ts';
import { TypeAhead } from '../../../src/adapters/terminal/type-ahead.ts';

function typed(text: string): TypeAhead {
  const decoder = new KeyDecoder();
  const ahead = new TypeAhead();
  for (const event of [...decoder.feed(new TextEncoder().encode(text)), ...decoder.flush()]) ahead.push(event);
  return ahead;
}

describe('TypeAhead', () => {
  it('keeps text, and nothing that is no text', () => {
    expect(typed('a\x1b[A é\x03\x1b').takeAll()).toBe('a é');
    expect(typed('\x1bx\x01\x1b[I\x1b[<0;1;1M').takeAll()).toBe('');
  });

  it('gives one line per prompt, and loses none', () => {
    const ahead = typed('one\rtwo\rthr');
    expect([ahead.takeLine(), ahead.takeLine(), ahead.takeLine(), ahead.takeLine()]).toEqual([
      'one\n',
      'two\n',
      'thr',
      '',
    ]);
  });

  it('lets Backspace edit the last line only', () => {
    expect(typed('ab\x7fc').takeAll()).toBe('ac');
    expect(typed('x\r\x7f\x7f').takeAll()).toBe('x\n');
    expect(typed('a👩‍💻\x7f').takeAll()).toBe('a');
    expect(typed('\x7f').takeAll()).toBe('');
  });

  it('keeps a paste, its line breaks as line breaks', () => {
    expect(typed('\x1b[200~one\r\ntwo\rthree\n\x1b[201~').takeAll()).toBe('one\ntwo\nthree\n');
  });

  it('is bounded', () => {
    const ahead = new TypeAhead();
    for (let round = 0; round < 3; round++) ahead.push({ type: 'paste', text: 'x'.repeat(500_000), truncated: false });
    expect(ahead.takeAll()).toHaveLength(1_048_576);
  });
});
