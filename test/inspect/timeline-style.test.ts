import { expect, it } from 'vitest';

import { timelineStyle } from '../../src/inspect/timeline-style.ts';

/** Relative luminance, as WCAG 2 has it. */
function luminance(colour: string): number {
  const hex = colour.length === 4 ? [...colour.slice(1)].map((each) => each + each).join('') : colour.slice(1);
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

it.each(['light', 'dark'])('every colour can be read on %s paper', (scheme) => {
  const blocks = [...timelineStyle.matchAll(/:root \{([^}]*)\}/g)].map(([, block = '']) => block);
  const colours = new Map(
    [...(blocks[scheme === 'light' ? 0 : 1] ?? '').matchAll(/--([a-z]+): (#[0-9a-f]+)/g)].map(
      ([, name = '', hex = '']) => [name, hex],
    ),
  );
  const paper = luminance(colours.get('paper') ?? '');
  for (const name of ['ink', 'completed', 'cancelled', 'failed', 'detached', 'other', 'survivor']) {
    const colour = luminance(colours.get(name) ?? '');
    const contrast = (Math.max(colour, paper) + 0.05) / (Math.min(colour, paper) + 0.05);
    expect(contrast, name).toBeGreaterThan(4.5);
  }
});
