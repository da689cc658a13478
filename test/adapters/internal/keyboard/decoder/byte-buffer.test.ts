import { describe, expect, it } from 'vitest';

import { ByteBuffer } from '../../../../../src/adapters/internal/keyboard/decoder/byte-buffer.ts';

function filled(cap: number, text: string): ByteBuffer {
  const buffer = new ByteBuffer(cap);
  for (const byte of new TextEncoder().encode(text)) buffer.push(byte);
  return buffer;
}

describe('ByteBuffer', () => {
  it('gives back what it took, across its growth', () => {
    const text = 'é'.repeat(500);
    expect(filled(10_000, text).text()).toBe(text);
    expect(filled(10_000, text).length).toBe(1000);
  });

  it('stops at its cap and says so', () => {
    const buffer = filled(100, 'x'.repeat(101));
    expect(buffer.length).toBe(100);
    expect(buffer.overflowed).toBe(true);
    expect(filled(100, 'x'.repeat(100)).overflowed).toBe(false);
  });

  it('keeps a cap below its first size', () => {
    expect(filled(3, 'abcd').text()).toBe('abc');
  });

  it('reads bytes as they are', () => {
    expect(filled(10, '\x1b[é').latin1()).toBe('\x1b[Ã©');
  });

  it('is empty after clear, also after growing large', () => {
    const buffer = filled(10_000, 'x'.repeat(9000));
    buffer.clear();
    expect(buffer.text()).toBe('');
    buffer.push(0x61);
    expect(buffer.text()).toBe('a');
    expect(buffer.overflowed).toBe(false);
  });
});
