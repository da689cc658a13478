import { describe, expect, it } from 'vitest';

import {
  isControl,
  press,
  pressCharacter,
  pressCodePoint,
  pressControl,
} from '../../../../../src/adapters/internal/keyboard/decoder/key-event.ts';

describe('key events', () => {
  it('a named key types what its name says', () => {
    expect(press('enter').text).toBe('\n');
    expect(press('tab').text).toBe('\t');
    expect(press('up').text).toBe('');
  });

  it('types nothing while ctrl, alt or super is held', () => {
    expect(press('enter', { alt: true }).text).toBe('');
    expect(pressCharacter('a', { ctrl: true }).text).toBe('');
    expect(pressCharacter('a', { super: true }).text).toBe('');
    expect(pressCharacter('a', { shift: true }).text).toBe('a');
  });

  it('an upper-case letter is its key with shift', () => {
    expect(pressCharacter('Ä')).toMatchObject({ name: 'ä', text: 'Ä', shift: true });
    expect(pressCharacter('7')).toMatchObject({ name: '7', shift: false });
    expect(pressCharacter(' ')).toMatchObject({ name: 'space', text: ' ' });
  });

  it.each([
    [0x00, 'space', true],
    [0x03, 'c', true],
    [0x1a, 'z', true],
    [0x1c, '\\', true],
    [0x1f, '_', true],
    [0x08, 'backspace', false],
    [0x7f, 'backspace', false],
    [0x09, 'tab', false],
    [0x0a, 'enter', false],
    [0x0d, 'enter', false],
    [0x1b, 'escape', false],
  ])('byte %i is %s', (byte, name, ctrl) => {
    expect(isControl(byte)).toBe(true);
    expect(pressControl(byte)).toMatchObject({ name, ctrl });
  });

  it('Ctrl+[ is ESC without a modifier', () => {
    expect(pressCodePoint(0x5b, { ctrl: true })).toEqual(press('escape'));
    expect(pressCodePoint(0x5b, {})).toMatchObject({ name: '[' });
    expect(pressCodePoint(0x03, {})).toMatchObject({ name: 'c', ctrl: true });
  });
});
