import { describe, expect, it } from 'vitest';

import { createLinks } from '../../../src/transcript/reading/links.ts';

describe('createLinks', () => {
  it('links a result to the nearest call before it', () => {
    const links = createLinks<string>();
    const first = links.open(0, 'a', 'read', {});
    links.close(1, 'a', 'one');
    const second = links.open(2, 'a', 'read', {});
    expect(links.close(3, 'a', 'two')).toBe(second);
    expect(links.close(4, 'a', 'again')).toBe(second);
    expect(first.results).toEqual([{ result: 'one', at: 1, order: 0 }]);
    expect(second.results.map((one) => one.result)).toEqual(['two', 'again']);
  });

  it('knows a result without a call', () => {
    const links = createLinks<string>();
    expect(links.close(0, 'a', 'early')).toBeUndefined();
    links.open(1, 'a', 'read', {});
    expect(links.close(2, undefined, 'nobody')).toBeUndefined();
  });
});
