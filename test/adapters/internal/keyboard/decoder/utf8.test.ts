import { describe, expect, it } from 'vitest';

import { Utf8Collector } from '../../../../../src/adapters/internal/keyboard/decoder/utf8.ts';

function collect(text: string): string | undefined {
  const [lead = 0, ...rest] = new TextEncoder().encode(text);
  const collector = new Utf8Collector();
  expect(collector.start(lead)).toBe(true);
  let read: ReturnType<Utf8Collector['push']>;
  for (const byte of rest) {
    expect(read).toBeUndefined();
    read = collector.push(byte);
  }
  return typeof read === 'object' ? read.text : undefined;
}

describe('Utf8Collector', () => {
  it.each(['é', '日', '💻', '\ufeff', '\u{10ffff}'])('puts %j together', (character) => {
    expect(collect(character)).toBe(character);
  });

  it.each([0x80, 0xbf, 0xc0, 0xc1, 0xf5, 0xff])('refuses 0x%s as a beginning', (byte) => {
    expect(new Utf8Collector().start(byte)).toBe(false);
  });

  it('says that a byte does not belong', () => {
    const collector = new Utf8Collector();
    collector.start(0xe6);
    expect(collector.push(0x1b)).toBe('broken');
  });

  it('begins anew after a broken one', () => {
    const collector = new Utf8Collector();
    collector.start(0xf0);
    collector.push(0x9f);
    collector.start(0xc3);
    expect(collector.push(0xa9)).toEqual({ text: 'é' });
  });
});
