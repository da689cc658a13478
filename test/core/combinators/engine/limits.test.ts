import { describe, expect, it } from 'vitest';

import { endedByOwnLimit, errorFor } from '../../../../src/core/combinators/engine/limits.ts';
import { createReason } from '../../../../src/core/foundation/reason.ts';
import { Source } from '../../../../src/core/token/source.ts';
import { Token, childOf } from '../../../../src/core/token/token.ts';

function family(): { readonly parent: Source; readonly child: Source } {
  const parent = new Source(new Token(undefined));
  return { parent, child: new Source(childOf(parent.token)) };
}

describe('a limit of the token itself', () => {
  it.each(['deadline', 'idle'] as const)('a limit of the token itself of kind %s is its own', (kind) => {
    const { child } = family();
    expect(endedByOwnLimit(child.token)).toBe(false);
    child.cancel({ kind });
    expect(endedByOwnLimit(child.token)).toBe(true);
  });

  it('a limit of the token itself is not one from above, nor a cancel of another kind', () => {
    const { parent, child } = family();
    parent.cancel({ kind: 'deadline' });
    expect(endedByOwnLimit(child.token)).toBe(false);
    const other = family();
    other.child.cancel('user');
    expect(endedByOwnLimit(other.child.token)).toBe(false);
  });
});

describe('the error of an outcome', () => {
  it('the error of an outcome is the failure itself, the limit that passed, or the one error of the cancel', () => {
    const { parent, child } = family();
    expect(errorFor({ status: 'failed', error: 7 }, { token: child.token, limits: {} })).toBe(7);
    const own = family().child;
    own.cancel({ kind: 'idle' });
    const reason = own.token.reason ?? createReason();
    expect(
      errorFor({ status: 'cancelled', reason }, { token: own.token, limits: { timeoutMs: 5, idleMs: 3 } }),
    ).toMatchObject({
      name: 'TimeoutError',
      limitMs: 3,
    });
    parent.cancel('user');
    const above = { status: 'cancelled', reason: child.token.reason ?? createReason() } as const;
    expect(errorFor(above, { token: child.token, limits: {} })).toBe(child.token.signal.reason);
  });

  it('the error of an outcome is an error of its own where it has more to say', () => {
    const { parent, child } = family();
    parent.cancel('user');
    const outcome = {
      status: 'cancelled',
      reason: child.token.reason ?? createReason(),
      completed: { value: 1 },
    } as const;
    expect(errorFor(outcome, { token: child.token, limits: {} })).toMatchObject({
      name: 'AbortError',
      completed: { value: 1 },
    });
    expect(errorFor(outcome, { token: child.token, limits: {} })).not.toBe(child.token.signal.reason);
  });
});
