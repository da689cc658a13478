import { describe, expect, it } from 'vitest';

import { glyphWidth, textWidth } from '../../../../src/adapters/terminal/output/glyph-width.ts';

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
