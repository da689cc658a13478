import { describe, expect, it } from 'vitest';

import { requireKnown, requireOptions } from '../../../src/adapters/internal/known-options.ts';

describe('requireKnown', () => {
  it('names the option that there is not, and takes those that there are', () => {
    expect(() => {
      requireKnown('open', { limit: 1, limmit: 2 }, ['limit']);
    }).toThrow(new TypeError('open has no option "limmit"'));
    requireKnown('open', { limit: undefined }, ['limit']);
  });

  it.each([null, 7, undefined])('refuses %s for an object', (options) => {
    expect(() => {
      requireKnown('open', options, []);
    }).toThrow(`options of open must be an object, got ${String(options)}`);
  });
});

it('requireOptions takes any object, and shows what is none', () => {
  requireOptions('init', {});
  expect(() => {
    requireOptions('init', 'fast');
  }).toThrow(new TypeError('init must be an object, got "fast"'));
});
