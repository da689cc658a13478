import { getEventListeners } from 'node:events';

import { describe, expect, it } from 'vitest';

import { CancellationToken, CancellationTokenSource } from '../../../src/index.ts';
import { placeOf, tokenUnder } from '../../../src/core/interrupt/place.ts';
import { tokenOf } from '../../../src/core/token/link.ts';
import { call, stage } from './kit.ts';

const placeOfLike = (like: Parameters<typeof tokenOf>[0]) => placeOf(tokenOf(like));

describe('a token of a turn and of somebody who lives longer', () => {
  it('hears both, and leaves nothing on the other when the turn is over', async () => {
    const { agent } = stage();
    const session = new AbortController();
    const listening = () => getEventListeners(session.signal, 'abort').length;
    let kept: CancellationToken | undefined;
    await agent.runTurn(({ token }) => {
      kept = tokenUnder(token, session.signal);
      kept.onCancelled(() => undefined);
      expect(placeOfLike(kept)).toBe(placeOfLike(token));
      expect(listening()).toBe(1);
    });
    expect(listening()).toBe(0);
    session.abort();
    expect(kept?.isCancelled).toBe(false);
  });

  it('is no more than that for a stranger’s turn', () => {
    const [turn, own] = [new CancellationTokenSource(), new CancellationTokenSource()];
    const token = tokenUnder(turn.token, own.token);
    own.cancel('user');
    expect([token.isCancelled, turn.isCancelled]).toEqual([true, false]);
  });
});

describe('where a token stands', () => {
  it('is the nearest turn, from its signal, a model call of it, or anything below', async () => {
    const { agent } = stage();
    await agent.runTurn(async ({ token, signal, model }) => {
      const turn = placeOfLike(token);
      expect(turn).toHaveProperty('id', 1);
      expect(placeOfLike(signal)).toBe(turn);
      expect(placeOfLike(token.child().token.child().signal)).toBe(turn);
      expect(placeOfLike(CancellationToken.any(new AbortController().signal, token))).toBe(turn);
      let kept: AbortSignal | undefined;
      await model((context) => {
        kept = context.signal;
        expect(placeOfLike(kept)).toBe(turn);
      });
      // The link of a finished call is cut; what it handed out still knows its turn.
      expect(placeOfLike(kept)).toBe(turn);
    });
  });

  it('is the call inside a call, and the turn again inside its sub-agent', async () => {
    const { agent } = stage();
    await agent.runTurn(({ tool }) =>
      tool(call('c1'), async (_call, { token, subagent }) => {
        expect(placeOfLike(token)).toBe('call');
        await subagent('sub').runTurn((below) => {
          expect(placeOfLike(below.signal)).toHaveProperty('id', 1);
        });
      }),
    );
    expect.assertions(2);
  });

  it.each([
    ['a signal', new AbortController().signal],
    ['a token', new CancellationTokenSource().token],
    ['a signal that was derived natively', AbortSignal.timeout(1_000_000)],
    ['nothing', undefined],
  ])('is nowhere for %s of somebody else', (_what, like) => {
    expect(placeOfLike(like)).toBeUndefined();
  });
});
