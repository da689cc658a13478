import { describe, expect, it } from 'vitest';

import { Commits } from '../../../../src/core/combinators/engine/commits.ts';

describe('the commits of a piece of work', () => {
  it('commits are open until the last of them is left, and the longest limit counts until then', () => {
    const commits = new Commits();
    expect(commits).toMatchObject({ open: 0, limitMs: 0 });
    commits.enter(50);
    commits.enter(20);
    commits.leave(undefined, false);
    expect(commits).toMatchObject({ open: 1, limitMs: 50 });
    commits.leave(undefined, false);
    expect(commits).toMatchObject({ open: 0, limitMs: 0 });
    commits.enter(20);
    expect(commits.limitMs).toBe(20);
  });

  it('commits run until the last of them is left; what is only held runs nothing', () => {
    const commits = new Commits();
    commits.begin();
    commits.enter(20);
    commits.enter(20);
    expect(commits).toMatchObject({ open: 3, running: 2, limitMs: Infinity });
    commits.leave(undefined, false);
    commits.end();
    expect(commits).toMatchObject({ open: 1, running: 1 });
    commits.leave(undefined, false);
    expect(commits).toMatchObject({ open: 0, running: 0, limitMs: 0 });
  });

  it('commits remember what was made last, also after one that failed', () => {
    const commits = new Commits();
    expect(commits.committed).toBeUndefined();
    commits.enter(1);
    commits.leave({ value: undefined }, false);
    expect(commits.committed).toEqual({ value: undefined });
    commits.enter(1);
    commits.leave(undefined, false);
    expect(commits.committed).toEqual({ value: undefined });
  });
});
