import { describe, expect, it } from 'vitest';

import { PasteCollector } from '../../../../../src/adapters/internal/keyboard/decoder/paste.ts';

function push(collector: PasteCollector, text: string): unknown[] {
  return [...new TextEncoder().encode(text)].map((byte) => collector.push(byte)).filter((event) => event !== undefined);
}

const END = '\x1b[201~';

describe('PasteCollector', () => {
  it('ends at the end marker and is ready for the next paste', () => {
    const collector = new PasteCollector(100);
    expect(push(collector, `one${END}two${END}`)).toEqual([
      { type: 'paste', text: 'one', truncated: false },
      { type: 'paste', text: 'two', truncated: false },
    ]);
  });

  it.each(['\x1b', '\x1b\x1b', '\x1b[201', '\x1b[20\x1b[2', '\x1b[200~'])(
    'keeps %j, which only looks like the end',
    (text) => {
      expect(push(new PasteCollector(100), `${text}${END}`)).toEqual([{ type: 'paste', text, truncated: false }]);
    },
  );

  it('keeps what fits under the cap and says that there was more', () => {
    expect(push(new PasteCollector(3), `abcdef${END}`)).toEqual([{ type: 'paste', text: 'abc', truncated: true }]);
  });

  it('gives what it has when its end was lost, a half marker included', () => {
    const collector = new PasteCollector(100);
    push(collector, 'abc\x1b[2');
    expect(collector.heal()).toEqual({ type: 'paste', text: 'abc\x1b[2', truncated: true });
    expect(push(collector, `x${END}`)).toEqual([{ type: 'paste', text: 'x', truncated: false }]);
  });
});
