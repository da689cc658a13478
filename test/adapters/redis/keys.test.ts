import { describe, expect, it } from 'vitest';

import { Keys } from '../../../src/adapters/redis/keys.ts';

describe('the keys of Redis', () => {
  it('the keys of Redis share one hash tag and one prefix, and no two of them are the same', () => {
    const keys = new Keys('agents');
    const all = [keys.record('x'), keys.inbox('x'), keys.group('x'), keys.lease('x'), keys.channel('x'), keys.since];
    for (const key of [...all, keys.records]) expect(key).toMatch(/^\{agents\}:stop:[a-z]+/);
    expect(new Set(all).size).toBe(all.length);
  });
});
