import { getEventListeners } from 'node:events';

import { describe, expect, it } from 'vitest';

import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { own } from '../../../../src/core/interrupt/turn/token-owner.ts';
import {
  contextOf,
  ownerOf,
  requireTurn,
  tokenUnder,
  turnOf,
} from '../../../../src/core/interrupt/turn/turn-of-token.ts';
import { CancellationToken, CancellationTokenSource, type TokenLike, type ToolContext } from '../../../../src/index.ts';
import { call, stage } from '../kit.ts';

const ownerOfLike = (like: TokenLike | null | undefined): unknown => ownerOf(tokenOf(like));

describe('a token of a turn and of somebody who lives longer', () => {
  it('hears both, and leaves nothing on the other when the turn is over', async () => {
    const { agent } = stage();
    const session = new AbortController();
    const listening = () => getEventListeners(session.signal, 'abort').length;
    let kept: CancellationToken | undefined;
    await agent.runTurn(({ token }) => {
      kept = tokenUnder(token, session.signal);
      kept.onCancelled(() => undefined);
      expect(ownerOfLike(kept)).toBe(ownerOfLike(token));
      expect(listening()).toBe(1);
    });
    expect(listening()).toBe(0);
    session.abort();
    expect(kept?.isCancelled).toBe(false);
  });

  it('is no more than that for a stranger’s turn', () => {
    const [turn, theirs] = [new CancellationTokenSource(), new CancellationTokenSource()];
    const token = tokenUnder(turn.token, theirs.token);
    theirs.cancel('user');
    expect([token.isCancelled, turn.isCancelled]).toEqual([true, false]);
  });
});

describe('the owner of a token', () => {
  it('is the nearest turn, from its signal, a model call of it, or anything below', async () => {
    const { agent } = stage();
    await agent.runTurn(async ({ token, signal, model }) => {
      const turn = ownerOfLike(token);
      expect(turn).toMatchObject({ owns: 'turn', id: 1 });
      expect(turnOf(tokenOf(token))).toBe(turn);
      expect(ownerOfLike(signal)).toBe(turn);
      expect(ownerOfLike(token.child().token.child().signal)).toBe(turn);
      expect(ownerOfLike(CancellationToken.any(new AbortController().signal, token))).toBe(turn);
      let kept: AbortSignal | undefined;
      await model((context) => {
        kept = context.signal;
        expect(ownerOfLike(kept)).toBe(turn);
      });
      // The link of a finished call is cut; what it handed out still knows its turn.
      expect(ownerOfLike(kept)).toBe(turn);
    });
  });

  it('is the call inside a call, and the turn again inside its sub-agent', async () => {
    const { agent } = stage();
    await agent.runTurn(({ tool }) =>
      tool(call('c1'), async (_call, context) => {
        expect(ownerOfLike(context.token)).toMatchObject({ owns: 'call', id: 'c1' });
        expect(turnOf(tokenOf(context.token))).toBeUndefined();
        expect(contextOf(tokenOf(context.signal))).toBe(context);
        await context.subagent('sub').runTurn((below) => {
          expect(ownerOfLike(below.signal)).toMatchObject({ owns: 'turn', id: 1 });
          expect(contextOf(tokenOf(below.token))).toBeUndefined();
        });
      }),
    );
    expect.assertions(5);
  });

  it('of a call that may be sent to the background is the call, although it hangs on the agent', async () => {
    const { agent } = stage();
    let seen: ToolContext | undefined;
    const report = await agent.runTurn(({ tool }) =>
      tool(
        call('c1'),
        (_call, context) => void (seen = contextOf(tokenOf(context.signal)) === context ? context : undefined),
        {
          canDetach: true,
        },
      ),
    );
    expect([report.status, seen?.call]).toEqual(['completed', call('c1')]);
  });

  it.each([
    ['a signal', new AbortController().signal],
    ['a token', new CancellationTokenSource().token],
    ['a signal that was derived natively', AbortSignal.timeout(1_000_000)],
    ['nothing', undefined],
  ])('is nobody for %s of somebody else', (_what, like) => {
    expect(ownerOfLike(like)).toBeUndefined();
  });

  it('is a stranger if it is of another copy of the package with another contract', () => {
    const token = tokenOf(new CancellationTokenSource({ name: 'own' }).token);
    own(token, { owns: 'call', context: {}, host: {} });
    expect(ownerOf(token)).toBeUndefined();
  });
});

it('a turn is told from what people hold in its place', async () => {
  const { agent } = stage();
  const source = new CancellationTokenSource();
  for (const given of [1, null, {}, source, source.token, { token: source.token }, agent, new AbortController()]) {
    expect(() => {
      requireTurn(given);
    }).toThrow('turn must be a turn of runTurn(), got');
  }
  const report = await agent.runTurn((turn) => {
    requireTurn(turn);
  });
  expect(report.status).toBe('completed');
});
