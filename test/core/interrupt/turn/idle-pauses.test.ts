import { describe, expect, it } from 'vitest';

import { IdlePauses } from '../../../../src/core/interrupt/turn/idle-pauses.ts';

function attempt() {
  const said: string[] = [];
  return { said, pause: () => void said.push('pause'), resume: () => void said.push('resume') };
}

describe('idle pauses', () => {
  it('pause everything that runs, until what paused it is over', () => {
    const pauses = new IdlePauses();
    const [one, two] = [attempt(), attempt()];
    pauses.begin(one);
    pauses.begin(two);
    const paused = pauses.pause();
    expect([one.said, two.said]).toEqual([['pause'], ['pause']]);
    pauses.resume(paused);
    expect([one.said, two.said]).toEqual([
      ['pause', 'resume'],
      ['pause', 'resume'],
    ]);
  });

  it('are nothing to what begins later, and to what is over', () => {
    const pauses = new IdlePauses();
    expect(pauses.pause()).toBeUndefined();
    const [over, later] = [attempt(), attempt()];
    pauses.begin(over);
    const paused = pauses.pause();
    pauses.end(over);
    pauses.begin(later);
    pauses.resume(paused);
    pauses.resume(undefined);
    expect([over.said, later.said]).toEqual([['pause', 'resume'], []]);
    pauses.end(later);
    expect(pauses.pause()).toBeUndefined();
  });
});
