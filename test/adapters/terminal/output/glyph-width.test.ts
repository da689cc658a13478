import { describe, expect, it } from 'vitest';

import { fitText, glyphWidth, textWidth } from '../../../../src/adapters/terminal/output/glyph-width.ts';

describe('glyphWidth', () => {
  it.each([
    ['a', 1],
    ['é', 1],
    ['\u00ad', 1],
    ['\u0301', 0],
    ['\u200d', 0],
    ['\ufe0f', 0],
    ['\u1161', 0],
    ['日', 2],
    ['한', 2],
    ['😀', 2],
    ['🏽', 2],
    ['„', 1],
  ])('counts %j as %i columns', (character, width) => {
    expect(glyphWidth(character.codePointAt(0) ?? 0)).toBe(width);
  });

  it('counts a text as the sum of its characters', () => {
    expect(textWidth('a日e\u0301😀')).toBe(6);
  });
});

describe('fitText', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['ae\u0301x', 2, 'a…'],
    ['ab', 1, '…'],
    ['ab', 0, ''],
  ])('cuts %j to %i columns', (text, columns, fitting) => {
    expect(fitText(text, columns)).toBe(fitting);
  });
});
