import { expect, it } from 'vitest';

import { latinKey } from '../../../../../src/adapters/internal/keyboard/decoder/layouts.ts';
import { pressCodePoint } from '../../../../../src/adapters/internal/keyboard/decoder/key-event.ts';

it.each([
  ['Russian', 'с', 'в', 'я'],
  ['Greek', 'ψ', 'δ', 'ζ'],
  ['Hebrew', 'ב', 'ג', 'ז'],
  ['Arabic', 'ؤ', 'ي', 'ئ'],
  ['Persian', 'ز', 'ی', 'ظ'],
  ['Georgian', 'ც', 'დ', 'ზ'],
  ['Korean', 'ㅊ', 'ㅇ', 'ㅋ'],
  ['Thai', 'แ', 'ก', 'ผ'],
])('the keys C, D and Z are known on the %s layout', (_name, ...letters) => {
  expect(letters.map(latinKey)).toEqual(['c', 'd', 'z']);
});

it('the key of a letter is the same with every modifier, and a letter without one stays what it is', () => {
  const seen = [{ ctrl: true }, { alt: true }, { super: true }, {}, { shift: true }].map(
    (held) => pressCodePoint(0x0421, held).name, // С
  );
  expect(seen).toEqual(['c', 'c', 'c', 'с', 'с']);
  expect(pressCodePoint(0x0441, { alt: true })).toMatchObject({ name: 'c', alt: true, text: '' });
  expect(pressCodePoint(0x0445, { ctrl: true }).name).toBe('escape'); // where [ is
});

it('a letter that no layout has is its own key, and so is a Latin one', () => {
  expect(['ø', 'c', 'ß', '日'].map(latinKey)).toEqual(['ø', 'c', 'ß', '日']);
});
