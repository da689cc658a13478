import { describe, expect, it } from 'vitest';

import { KeyDecoder, type KeyEvent } from '../../../../../src/adapters/internal/keyboard/decoder/key-decoder.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function names(events: readonly KeyEvent[]): string[] {
  return events.map((event) =>
    event.type === 'key' ? `${event.alt ? 'alt+' : ''}${event.ctrl ? 'ctrl+' : ''}${event.name}` : event.type,
  );
}

describe('KeyDecoder', () => {
  it('takes a lone ESC for a key only after silence', () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed(bytes('\x1b'))).toEqual([]);
    expect(decoder.pending).toBe('escape');
    expect(names(decoder.flush())).toEqual(['escape']);
    expect(decoder.pending).toBe(false);
    expect(decoder.flush()).toEqual([]);
  });

  it.each([
    ['\x1b\x1b', ['escape', 'escape']], // tmux puts two presses into one chunk
    ['\x1b\x1b[A', ['alt+up']],
    ['\x1b\x1b[I', ['escape', 'focus']],
    ['\x1b\x1b[<0;3;4M', ['escape', 'mouse']], // as xterm tells it
    ['\x1b\x1b[M !!', ['escape', 'mouse']], // and as X10 does
    ['\x1b\x1b[97u', ['escape', 'a']],
    ['\x1b\x1b[0n', ['escape', 'reply']],
    ['\x1b\x1b[200~x\x1b[201~', ['escape', 'paste']],
    ['\x1b\x03', ['escape', 'ctrl+c']],
    ['\x1b[12\x03', ['ctrl+c']], // a control byte ends what it stands in
    ['\x1b[27;1:1u', ['escape']],
    ['\x1b[27;129u', ['escape']], // NumLock
    ['\x1b[27;1:3u', []], // let go
    ['\x1b[27;1:2u', ['escape again']],
    ['\x1b[99;5u', ['ctrl+c']],
    ['\x1b[91;5u', ['escape']], // Ctrl+[
    ['\x1b[27;5;99~', ['ctrl+c']], // modifyOtherKeys
    ['\x1b[27;1;27;1;0;1_', ['escape']], // Windows
    ['\x1b[27;1;27;0;0;1_', []],
  ])('reads %j as %j', (text, expected) => {
    const decoder = new KeyDecoder();
    const said = [...decoder.feed(bytes(text)), ...decoder.flush()].map((event) => {
      if (event.type !== 'key') return event.type;
      const { ctrl, alt, name, repeat } = event;
      return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${name}${repeat ? ' again' : ''}`;
    });
    expect(said).toEqual(expected);
  });

  it('puts an arrow key together byte by byte', () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed(bytes('\x1b'))).toEqual([]);
    expect(decoder.feed(bytes('['))).toEqual([]);
    expect(decoder.pending).toBe('escape'); // Alt+[ so far
    expect(names(decoder.feed(bytes('A')))).toEqual(['up']);
  });

  it('waits longer for the rest of a sequence that can be no key', () => {
    const decoder = new KeyDecoder();
    decoder.feed(bytes('\x1b[1;'));
    expect(decoder.pending).toBe('sequence');
    expect(decoder.flush()).toEqual([]);
  });

  it('keeps ESC and Ctrl+C inside a paste', () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed(bytes('\x1b[200~a\x1b\x03'))).toEqual([]);
    expect(decoder.pending).toBe('sequence');
    expect(decoder.feed(bytes('b\x1b[201~'))).toEqual([{ type: 'paste', text: 'a\x1b\x03b', truncated: false }]);
  });

  it('heals a paste whose end was lost', () => {
    const decoder = new KeyDecoder();
    decoder.feed(bytes('\x1b[200~abc\x1b[20'));
    expect(decoder.flush()).toEqual([{ type: 'paste', text: 'abc\x1b[20', truncated: true }]);
    expect(names(decoder.feed(bytes('x')))).toEqual(['x']);
  });

  it('lets no string swallow a key for long: Alt+P is a key after silence', () => {
    const decoder = new KeyDecoder();
    decoder.feed(bytes('\x1bP'));
    expect(decoder.pending).toBe('escape');
    expect(decoder.flush()).toMatchObject([{ name: 'p', alt: true, shift: true }]);
  });

  it('drops a string that never ends, and hears the ESC that comes after it', () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed(bytes('\x1b]0;title'))).toEqual([]);
    decoder.feed(bytes('\x1b'));
    expect(decoder.pending).toBe('string-end');
    expect(names(decoder.flush())).toEqual(['escape']);
  });

  it('K3 caps a string and reads on', () => {
    const decoder = new KeyDecoder();
    decoder.feed(bytes(`\x1b]${'x'.repeat(65_536)}`));
    expect(names(decoder.feed(bytes('y')))).toEqual(['y']);
  });

  it('K3 caps a control sequence without taking its tail for keys', () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed(bytes(`\x1b[${'1'.repeat(300)}A`))).toEqual([]);
    expect(decoder.pending).toBe(false);
  });

  it('K2 lets ESC abort a broken character', () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed(Uint8Array.of(0xe6, 0x97, 0x1b))).toMatchObject([{ name: '\ufffd' }]);
    expect(names(decoder.flush())).toEqual(['escape']);
  });

  it('reads a character that was cut in two', () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed(Uint8Array.of(0xc3))).toEqual([]);
    expect(decoder.feed(Uint8Array.of(0xa9))).toMatchObject([{ name: 'é', text: 'é' }]);
  });
});
