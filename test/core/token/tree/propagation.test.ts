import { describe, expect, it, vi } from 'vitest';

import { CancellationToken, CancellationTokenSource, InterruptController, delay } from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { isLive, releaseNode } from '../../../../src/core/token/tree/propagation.ts';
import { Source } from '../../../../src/core/token/source.ts';
import { shieldOf } from '../../../../src/core/token/token.ts';
import { deepFreeze } from '../../../support/deep-freeze.ts';

/** A log, and listeners that write to it. */
function recorder(): { log: string[]; on: (name: string, token: CancellationToken) => void } {
  const log: string[] = [];
  return {
    log,
    on: (name, token) => {
      token.onCancelled(() => void log.push(name));
      token.onKilled(() => void log.push(`${name}!`));
    },
  };
}

function shield(token: CancellationToken): Source {
  return new Source(shieldOf(tokenOf(token)));
}

describe('order (I7)', () => {
  it('a token’s own callbacks, then its children’s in link order, depth first', () => {
    const { log, on } = recorder();
    const root = new CancellationTokenSource();
    const [a, b, c] = [root.token.child(), root.token.child(), root.token.child()];
    const [a1, a2, b1] = [a.token.child(), a.token.child(), b.token.child()];
    // Link order is that of the first listener at or below a child: b (through b1), a (through a2), c.
    on('b1', b1.token);
    on('a2', a2.token);
    on('root', root.token);
    on('a', a.token);
    on('c', c.token);
    on('a1', a1.token);
    on('b', b.token);
    root.cancel();
    expect(log).toEqual(['root', 'b', 'b1', 'a', 'a2', 'a1', 'c']);
    log.length = 0;
    root.kill();
    expect(log).toEqual(['root!', 'b!', 'b1!', 'a!', 'a2!', 'a1!', 'c!']);
  });

  it('the order of a kill (I7) is each node’s cancel callbacks, then its kill callbacks, then the children', () => {
    const { log, on } = recorder();
    const root = new CancellationTokenSource();
    const child = root.token.child();
    on('root', root.token);
    on('child', child.token);
    on('root again', root.token);
    root.kill();
    expect(log).toEqual(['root', 'root again', 'root!', 'root again!', 'child', 'child!']);
  });

  it('a child that lost its last listener and got a new one is linked anew, at the end', () => {
    const { log, on } = recorder();
    const root = new CancellationTokenSource();
    const [a, b] = [root.token.child(), root.token.child()];
    const first = a.token.onCancelled(() => {});
    on('b', b.token);
    first.unregister();
    on('a', a.token);
    root.cancel();
    expect(log).toEqual(['b', 'a']);
  });

  it('a node that two ways lead to hears once', () => {
    const { log, on } = recorder();
    const root = new CancellationTokenSource();
    const joined = CancellationToken.any(root.token.child().token, root.token.child().token);
    on('joined', joined);
    on('below', joined.child().token);
    root.kill();
    expect(log).toEqual(['joined', 'joined!', 'below', 'below!']);
  });
});

describe('from inside a callback', () => {
  it('every descendant already reads cancelled, linked or not (I3)', () => {
    const root = new CancellationTokenSource();
    const linked = root.token.child().token.child();
    const forgotten = root.token.child().token.child();
    const any = CancellationToken.any(forgotten.token, new CancellationTokenSource().token);
    const below = shield(root.token);
    linked.token.onCancelled(() => {});
    const seen = vi.fn();
    root.token.onCancelled(() => {
      seen(
        [root, linked, forgotten].map((one) => one.isCancelled),
        any.isCancelled,
        below.isCancelled,
      );
    });
    root.cancel();
    expect(seen).toHaveBeenCalledWith([true, true, true], true, false);
    const killed = vi.fn();
    root.token.onKilled(
      () => void killed(linked.token.isKilled, forgotten.token.isKilled, any.isKilled, below.isCancelled),
    );
    root.kill();
    expect(killed).toHaveBeenCalledWith(true, true, true, true);
  });

  it('from inside a callback cancel does nothing (I9)', () => {
    const root = new CancellationTokenSource();
    const child = root.token.child();
    const heard = vi.fn();
    root.token.onCancelled(() => {
      expect([root.cancel('shutdown'), child.cancel('shutdown')]).toEqual([false, false]);
    });
    child.token.onCancelled(heard);
    root.cancel('user');
    expect(heard).toHaveBeenCalledTimes(1);
    expect(child.reason).toBe(root.reason);
    expect(root.reason?.kind).toBe('user');
  });

  it('from inside a callback kill upgrades, and tells who has not heard of the cancel yet first (I9)', () => {
    const { log, on } = recorder();
    const root = new CancellationTokenSource();
    const child = root.token.child();
    on('first', root.token);
    root.token.onCancelled(() => {
      log.push('killing');
      expect(root.kill('shutdown')).toBe(true);
      log.push('killed');
    });
    on('last', root.token);
    on('child', child.token);
    root.cancel('user');
    expect(log).toEqual(['first', 'killing', 'last', 'first!', 'last!', 'child', 'child!', 'killed']);
    expect(child.reason).toBe(root.reason);
    expect(root.reason?.kind).toBe('user');
  });

  it('from inside a callback of a kill a cancel that comes to a killed shield first leaves the kill to be told below it', () => {
    const { log, on } = recorder();
    const [root, other] = [new CancellationTokenSource(), new CancellationTokenSource()];
    root.token.onCancelled(() => void other.cancel());
    const below = shield(CancellationToken.any(root.token, other.token)).token.child();
    on('below', below.token);
    root.kill();
    expect(log).toEqual(['below', 'below!']);
    expect([root, other].map(({ token }) => tokenOf(token).extra?.watch ?? 0)).toEqual([0, 0]);
  });

  it.each([0, 1, 2, 3])(
    'from inside a callback release by callback %d lets the rest go, without an error',
    (culprit) => {
      for (const below of [false, true]) {
        const errors: unknown[] = [];
        const root = new CancellationTokenSource({ onCallbackError: (error) => void errors.push(error) });
        const victim = below ? root.token.child() : root;
        const ran: number[] = [];
        for (let i = 0; i < 4; i++) {
          victim.token.onCancelled(() => {
            ran.push(i);
            if (i === culprit) victim.release();
          });
        }
        victim.token.onKilled(() => void ran.push(99));
        victim.token.child().token.onCancelled(() => void ran.push(98));
        expect(root.cancel()).toBe(true);
        root.kill();
        expect(errors).toEqual([]);
        // I7: the child was not released. It is cancelled, so it is told.
        expect(ran).toEqual([...[0, 1, 2, 3].slice(0, culprit + 1), 98]);
        expect(tokenOf(victim.token).extra?.watch).toBe(0);
        expect(victim.isCancelled).toBe(true);
      }
    },
  );

  it.each([0, 1, 2, 3])(
    'from inside a callback release by kill callback %d lets the rest go, without an error',
    (culprit) => {
      const errors: unknown[] = [];
      const root = new CancellationTokenSource({ onCallbackError: (error) => void errors.push(error) });
      const ran: number[] = [];
      for (let i = 0; i < 4; i++) {
        root.token.onKilled(() => {
          ran.push(i);
          if (i === culprit) root.release();
        });
      }
      root.kill();
      expect(errors).toEqual([]);
      expect(ran).toEqual([0, 1, 2, 3].slice(0, culprit + 1));
      expect(tokenOf(root.token).extra?.watch).toBe(0);
      expect(root.token.isKilled).toBe(true);
    },
  );

  it('from inside a callback release of a token the walk has not reached yet: those below it hear all the same', () => {
    const root = new CancellationTokenSource();
    const middle = root.token.child();
    const leaf = middle.token.child();
    const heard = vi.fn();
    root.token.onCancelled(() => middle.release());
    middle.token.onCancelled(() => void heard('middle'));
    leaf.token.onCancelled(() => void heard('leaf'));
    root.cancel('user');
    expect(heard.mock.calls).toEqual([['leaf']]);
    expect([middle.reason, leaf.reason]).toEqual([root.reason, root.reason]);
  });

  it('from inside a callback release of a child by its parent’s callback: the child stays cancelled and hears nothing', () => {
    const root = new CancellationTokenSource();
    const [a, b] = [root.token.child(), root.token.child()];
    const heard = vi.fn();
    root.token.onCancelled(() => a.release());
    a.token.onCancelled(() => void heard('a'));
    b.token.onCancelled(() => void heard('b'));
    root.cancel();
    expect(heard.mock.calls).toEqual([['b']]);
    expect(a.reason).toBe(root.reason);
  });

  it('a link that is laid during the walk moves nobody who has not been told yet', () => {
    const parent = new CancellationTokenSource();
    const heard: number[] = [];
    const children = Array.from({ length: 10 }, () => parent.token.child());
    children.forEach(({ token }, i) => {
      token.onCancelled(() => {
        heard.push(i);
        // By now most of the list is holes: those before it have been told and have gone.
        if (i === 7) parent.token.child().token.onKilled(() => {});
      });
    });
    parent.cancel();
    expect(heard).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('from inside a callback release of the parent by a child’s callback does not lose the sibling of a walk that has begun', () => {
    const root = new CancellationTokenSource();
    const [a, b] = [root.token.child(), root.token.child()];
    const order: string[] = [];
    a.token.onCancelled(() => {
      order.push('a');
      b.release();
    });
    b.token.onCancelled(() => void order.push('b'));
    const c = root.token.child();
    c.token.onCancelled(() => void order.push('c'));
    root.cancel();
    expect(order).toEqual(['a', 'c']);
  });

  it('a cancel of something else is a cancel like any other, nested', () => {
    const { log, on } = recorder();
    const [one, two] = [new CancellationTokenSource(), new CancellationTokenSource()];
    on('one', one.token);
    one.token.onCancelled(() => expect(two.cancel()).toBe(true));
    on('one again', one.token);
    const both = CancellationToken.all(one.token, two.token);
    const either = CancellationToken.any(one.token, two.token);
    on('both', both);
    on('either', either);
    on('two', two.token);
    one.cancel('user');
    expect(log).toEqual(['one', 'two', 'both', 'either', 'one again']);
    expect(either.reason).toBe(one.reason);
    expect(both.reason).toBe(two.reason);
  });
});

describe('kill', () => {
  it('kill reaches those who cancelled earlier, and those below', () => {
    const { log, on } = recorder();
    const root = new CancellationTokenSource();
    const middle = root.token.child();
    const leaf = middle.token.child();
    on('leaf', leaf.token);
    middle.cancel('budget');
    root.cancel('user');
    expect(log).toEqual(['leaf']);
    root.kill();
    expect(log).toEqual(['leaf', 'leaf!']);
    expect(leaf.reason).toBe(middle.reason);
    expect(leaf.token.isKilled).toBe(true);
  });

  it('kill goes through shields; cancel does not (I5)', () => {
    const { log, on } = recorder();
    const root = new CancellationTokenSource();
    const outer = shield(root.token);
    const inner = shield(outer.token);
    const leaf = inner.token.child();
    on('leaf', leaf.token);
    root.cancel('user');
    expect(log).toEqual([]);
    expect([outer, inner, leaf].map((one) => one.isCancelled)).toEqual([false, false, false]);
    root.kill();
    expect(log).toEqual(['leaf', 'leaf!']);
    expect([outer, inner, leaf].map((one) => one.token.isKilled)).toEqual([true, true, true]);
    expect(leaf.reason).toBe(root.reason);
  });

  it('kill finds a shield that was made, or first watched, after the cancel', () => {
    const { log, on } = recorder();
    const root = new CancellationTokenSource();
    const middle = root.token.child();
    const early = shield(middle.token);
    root.cancel('user');
    const late = shield(middle.token);
    const kill = shield(middle.token);
    on('early', early.token);
    on('late', late.token);
    kill.token.onKilled(() => void log.push('kill!'));
    expect([early.isCancelled, late.isCancelled, kill.isCancelled]).toEqual([false, false, false]);
    root.kill();
    expect(log).toEqual(['early', 'early!', 'late', 'late!', 'kill!']);
    expect(shield(middle.token).token.isKilled).toBe(true);
  });

  it('kill finds a kill callback that came after the cancel', () => {
    const { log, on } = recorder();
    const root = new CancellationTokenSource();
    const leaf = root.token.child().token.child();
    root.cancel();
    on('leaf', leaf.token);
    expect(log).toEqual(['leaf']);
    root.kill();
    expect(log).toEqual(['leaf', 'leaf!']);
  });

  it('kill of one parent kills any, of all parents kills all', () => {
    const [one, two] = [new CancellationTokenSource(), new CancellationTokenSource()];
    const any = CancellationToken.any(one.token, two.token);
    const all = CancellationToken.all(one.token, two.token);
    const { log, on } = recorder();
    on('any', any);
    on('all', all);
    one.kill();
    expect([any.isKilled, all.isCancelled]).toEqual([true, false]);
    two.cancel();
    expect([all.isCancelled, all.isKilled]).toEqual([true, false]);
    two.kill();
    expect(all.isKilled).toBe(true);
    expect(log).toEqual(['any', 'any!', 'all', 'all!']);
  });
});

describe('release', () => {
  it('release is what cancels nothing and ends every link', () => {
    const root = new CancellationTokenSource();
    const node = tokenOf(root.token.child().token);
    node.onCancelled(() => {});
    expect(isLive(node)).toBe(true);
    releaseNode(node);
    releaseNode(node);
    expect(isLive(node)).toBe(false);
    expect(tokenOf(root.token).extra?.watch).toBe(0);
    expect(isLive(tokenOf(CancellationToken.none))).toBe(false);
    releaseNode(tokenOf(CancellationToken.none));
    expect(CancellationToken.none.child().cancel()).toBe(true);
  });
});

describe('a token that a consumer has frozen', () => {
  it.each(['cancel', 'kill'] as const)(
    'a frozen token hears of a %s from above, and so do its siblings and what is below it',
    (how) => {
      const session = new CancellationTokenSource();
      const [first, frozen, third] = ['first', 'frozen', 'third'].map((name) => session.token.child({ name }).token);
      const below = frozen?.child({ name: 'below' }).token;
      const tokens = [first, frozen, below, third] as CancellationToken[];
      const { log, on } = recorder();
      for (const token of tokens) on(token.name ?? '', token);
      deepFreeze(frozen);
      new CancellationTokenSource().token.child().cancel();
      new CancellationTokenSource({ parent: session.token }).cancel();
      expect(tokens.map((token) => token.isCancelled)).toEqual([false, false, false, false]);
      expect(session[how]('user')).toBe(true);
      const heard = ['first', 'frozen', 'below', 'third'];
      expect(log).toEqual(how === 'kill' ? heard.flatMap((name) => [name, `${name}!`]) : heard);
      for (const token of tokens) {
        expect([token.isCancelled, token.isKilled, token.reason]).toEqual([true, how === 'kill', session.reason]);
        expect(() => {
          token.throwIfCancelled();
        }).toThrow(expect.objectContaining({ reason: session.reason }) as Error);
        on('late', token);
      }
      expect(log.filter((name) => name === 'late')).toHaveLength(4);
      expect(session.kill()).toBe(how === 'cancel');
    },
  );

  it('a frozen token can be released, and lets go of its listeners', () => {
    const session = new CancellationTokenSource();
    const child = session.token.child();
    const { log, on } = recorder();
    on('child', child.token);
    deepFreeze(child.token);
    child.release();
    session.cancel();
    expect(log).toEqual([]);
  });
});

describe('tools that freeze what they are given', () => {
  it('a tool that freezes its token is stopped like its siblings', async () => {
    const agent = new InterruptController();
    const turn = agent.runTurn(({ tools }) =>
      tools(
        ['a', 'b', 'c'].map((name) => ({ id: name, name })),
        ({ name }, { token }) => {
          const ended = delay(token, 60_000);
          if (name === 'b') deepFreeze(token);
          return ended;
        },
      ),
    );
    agent.cancel();
    expect((await turn).calls.map(({ status }) => status)).toEqual(['stopped', 'stopped', 'stopped']);
  });
});
