import { describe, expect, it } from 'vitest';

import { runShielded } from '../../../../src/core/combinators/engine/shielded.ts';
import type { Outcome } from '../../../../src/core/combinators/outcome.ts';
import { Source } from '../../../../src/core/token/source.ts';
import { Token } from '../../../../src/core/token/token.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

describe('shielded work', () => {
  it('shielded work starts under a cancelled parent, and with its token cancelled under a killed one', () => {
    const seen: boolean[] = [];
    for (const how of ['cancel', 'kill'] as const) {
      const parent = new Source(new Token(undefined));
      parent[how]('user');
      runShielded(
        parent.token,
        (token) => void seen.push(token.isCancelled),
        100,
        () => undefined,
      );
    }
    expect(seen).toEqual([false, true]);
  });

  it('shielded work is given up when its grace is over, with the error of a limit', async () => {
    const clock = new VirtualClock();
    const parent = new Source(new Token(undefined), { clock });
    const heard: [Outcome<never>, unknown][] = [];
    const deaf = (): Promise<never> => new Promise(() => undefined);
    runShielded(parent.token, deaf, 50, (...all) => heard.push(all));
    parent.cancel('user');
    await clock.advance(49);
    expect(heard).toEqual([]);
    await clock.advance(2);
    expect(heard).toMatchObject([
      [
        { status: 'abandoned', name: 'deaf' },
        { name: 'TimeoutError', limitMs: 50 },
      ],
    ]);
  });
});
