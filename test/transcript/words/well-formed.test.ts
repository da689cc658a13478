import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { wellFormed } from '../../../src/transcript/words/well-formed.ts';

const own = Object.getOwnPropertyDescriptor(String.prototype, 'isWellFormed');

describe.each(['with', 'without'])('%s the help of the runtime', (help) => {
  beforeEach(() => {
    if (help === 'without') delete (String.prototype as { isWellFormed?: unknown }).isWellFormed;
  });
  afterEach(() => {
    if (own !== undefined) Object.defineProperty(String.prototype, 'isWellFormed', own);
  });

  it('replaces half characters in texts and in keys, and leaves its input alone', () => {
    const broken = { a: ['x\ud83d', '\ude80y', '🚀'], ['k\ud83d']: { n: 1, none: null } };
    expect(wellFormed(broken)).toEqual({ a: ['x\ufffd', '\ufffdy', '🚀'], ['k\ufffd']: { n: 1, none: null } });
    expect(broken.a[0]).toBe('x\ud83d');
    expect(wellFormed('\udc00')).toBe('\ufffd');
  });

  it('gives the same object where nothing is broken', () => {
    const whole = { a: ['🚀', 1, undefined], b: { c: true } };
    expect(wellFormed(whole)).toBe(whole);
    expect(wellFormed(undefined)).toBe(undefined);
  });

  it('looks into no class, and once into what holds itself', () => {
    const data = new (class {
      text = '\ud83d';
    })();
    expect(wellFormed({ data }).data).toBe(data);
    const ring: { self?: object; text: string } = { text: '\ud83d' };
    ring.self = ring;
    expect(wellFormed(ring).text).toBe('\ufffd');
  });
});
