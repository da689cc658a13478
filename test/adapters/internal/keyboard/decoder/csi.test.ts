import { describe, expect, it } from 'vitest';

import { isFinal, readCsi, readLinux, readSs3 } from '../../../../../src/adapters/internal/keyboard/decoder/csi.ts';

/** Name and held modifiers of a key, or the type of what else it is. */
function meaning(body: string): string {
  const read = readCsi(body);
  if (read.kind === 'paste-start') return 'paste-start';
  const event = read.kind === 'key' ? read.key : read.event;
  if (event === undefined) return 'nothing';
  if (event.type !== 'key') return event.type;
  const held = (['super', 'ctrl', 'alt', 'shift', 'repeat'] as const)
    .filter((name) => event[name])
    .map((name) => `${name}+`);
  return `${held.join('')}${event.name}`;
}

describe('readCsi', () => {
  it.each([
    ['A', 'up'],
    ['H', 'home'],
    ['1;2A', 'shift+up'],
    ['1;3D', 'alt+left'],
    ['1;8C', 'ctrl+alt+shift+right'],
    ['5~', 'pageup'],
    ['3;5~', 'ctrl+delete'],
    ['24~', 'f12'],
    ['Z', 'shift+tab'],
    ['R', 'f3'],
    ['1;2R', 'shift+f3'],
  ])('%j is the key %s', (body, key) => {
    expect(meaning(body)).toBe(key);
    expect(readCsi(body).kind).toBe('key');
  });

  it.each([
    ['27u', 'escape'],
    ['27;1u', 'escape'],
    ['27;129u', 'escape'], // NumLock
    ['27;65u', 'escape'], // CapsLock
    ['27;193:1u', 'escape'], // both
    ['27;2u', 'shift+escape'],
    ['27;3u', 'alt+escape'],
    ['27;1:2u', 'repeat+escape'],
    ['27;129:3u', 'nothing'], // a release
    ['99;5u', 'ctrl+c'],
    ['99;133u', 'ctrl+c'],
    ['1089::99;5u', 'ctrl+c'], // the key where C is, on a Cyrillic layout
    ['91;5u', 'escape'],
    ['13u', 'enter'],
    ['57442;5u', 'nothing'], // Ctrl alone
    ['57414u', 'enter'], // keypad
    ['57400u', '1'],
    ['1;1:3A', 'nothing'],
    ['1;1:2A', 'repeat+up'],
    ['1114112u', 'nothing'],
  ])('Kitty %j is %s', (body, key) => {
    expect(meaning(body)).toBe(key);
    expect(readCsi(body).kind).toBe('event');
  });

  it('Kitty tells the text', () => {
    expect(readCsi('97:65;2u')).toMatchObject({ event: { name: 'a', text: 'A', shift: true } });
    expect(readCsi('97;;8364u')).toMatchObject({ event: { name: 'a', text: '€' } });
  });

  it.each([
    ['27;5;99~', 'ctrl+c'],
    ['27;2;13~', 'shift+enter'],
    ['27;5;91~', 'escape'],
  ])('modifyOtherKeys %j is %s', (body, key) => {
    expect(meaning(body)).toBe(key);
  });

  it.each([
    ['27;1;27;1;0;1_', 'escape'],
    ['27;1;27;0;0;1_', 'nothing'],
    ['67;46;3;1;8;1_', 'ctrl+c'],
    ['219;26;27;1;8;1_', 'escape'], // Ctrl+[
    ['81;16;64;1;9;1_', '@'], // AltGr+Q
    ['38;72;0;1;256;1_', 'up'],
    ['116;63;0;1;0;1_', 'f5'],
    ['17;29;0;1;8;1_', 'nothing'], // Ctrl alone
  ])('win32 %j is %s', (body, key) => {
    expect(meaning(body)).toBe(key);
  });

  it.each([
    ['I', 'focus'],
    ['O', 'focus'],
    ['<0;10;20M', 'mouse'],
    ['<0;10;20m', 'mouse'],
    ['32;10;20M', 'mouse'],
    ['24;80R', 'reply'],
    ['1;80R', 'reply'],
    ['?62c', 'reply'],
    ['?1u', 'reply'],
    ['u', 'reply'],
    ['0n', 'reply'],
    ['201~', 'reply'],
    ['99~', 'reply'],
    ['200~', 'paste-start'],
  ])('%j is %s, and no key', (body, what) => {
    expect(meaning(body)).toBe(what);
  });
});

describe('readSs3 and readLinux', () => {
  it('read application mode', () => {
    expect(readSs3('A')).toMatchObject({ key: { name: 'up' } });
    expect(readSs3('M')).toMatchObject({ key: { name: 'enter' } });
    expect(readSs3('q')).toMatchObject({ key: { name: '1', text: '1' } });
    expect(readSs3('z')).toBeUndefined();
  });

  it('read the Linux console', () => {
    expect(readLinux('C')).toMatchObject({ kind: 'key', key: { name: 'f3' } });
    expect(readLinux('Z')).toMatchObject({ kind: 'event', event: { type: 'reply' } });
  });

  it('know where a sequence ends', () => {
    expect([0x3f, 0x40, 0x7e, 0x7f].map(isFinal)).toEqual([false, true, true, false]);
  });
});
