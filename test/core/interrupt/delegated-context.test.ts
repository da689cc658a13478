import { describe, expect, it } from 'vitest';

import type { CancelContext } from '../../../src/core/combinators/context.ts';
import { DelegatedContext } from '../../../src/core/interrupt/delegated-context.ts';
import { CancellationTokenSource, withCancellation, type StopReceipt } from '../../../src/index.ts';
import { call, stage } from './kit.ts';

const cancelTurn = (): StopReceipt => ({ accepted: false, turnId: undefined, settled: new Promise(() => undefined) });

describe('a context that is handed on', () => {
  it.each(['token', 'signal', 'graceToken', 'checkpoint', 'progress', 'commit'] as const)(
    'says of %s what the original says',
    async (field) => {
      const { token } = new CancellationTokenSource();
      await withCancellation(token, (original: CancelContext) => {
        expect(new DelegatedContext(original, cancelTurn)[field]).toBe(original[field]);
      });
    },
  );

  it('makes no signal and no grace token that nobody reads', () => {
    const made: string[] = [];
    const original = {
      get signal(): AbortSignal {
        made.push('signal');
        return new AbortController().signal;
      },
      get graceToken() {
        made.push('graceToken');
        return new CancellationTokenSource().token;
      },
    } as CancelContext;
    const handed = new DelegatedContext(original, cancelTurn);
    expect(made).toEqual([]);
    expect([handed.signal.aborted, handed.graceToken.isCancelled]).toEqual([false, false]);
    expect(made).toEqual(['signal', 'graceToken']);
  });
});

const common = ['token', 'signal', 'graceToken', 'checkpoint', 'progress', 'commit', 'cancelTurn', 'partial'];

describe('a context in the options of a framework', () => {
  it('of a tool: can be spread, and what is left of it too', async () => {
    const { agent } = stage();
    await agent.runTurn(({ tool }) =>
      tool(call('a'), (_call, ctx) => {
        expect(Object.keys(ctx).sort()).toEqual(
          [...common, 'call', 'ask', 'wait', 'decline', 'subagent', 'track'].sort(),
        );
        const { call: given, token, ...rest } = { ...ctx, temperature: 0 };
        expect([given.id, token === ctx.token, rest.signal === ctx.signal]).toEqual(['a', true, true]);
        expect(rest.graceToken).toBe(ctx.graceToken);
        rest.checkpoint();
      }),
    );
  });

  it('shows what somebody put on it beside its own, and makes nothing that is only listed', async () => {
    const { agent } = stage();
    await agent.runTurn(({ tool }) =>
      tool(call('a'), (_call, ctx) => {
        Object.assign(ctx, { trace: 'x' });
        expect(Object.keys(ctx)).toEqual(expect.arrayContaining([...common, 'trace']));
        const copy: Readonly<Record<string, unknown>> = { ...ctx };
        expect([copy['trace'], copy['token'] === ctx.token]).toEqual(['x', true]);
        const own = Object.getOwnPropertyDescriptor(ctx, 'signal');
        expect([own?.enumerable, own !== undefined && 'value' in own, 'signal' in ctx]).toEqual([true, false, true]);
      }),
    );
  });

  it('of a model call, and a turn: the same', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const { model, ...others } = { ...turn };
      expect(Object.keys(others).sort()).toEqual(
        ['ask', 'cancel', 'checkpoint', 'id', 'signal', 'takeInterjections', 'token', 'tool', 'tools'].sort(),
      );
      expect(others.signal).toBe(turn.signal);
      return model((ctx) => {
        expect(Object.keys(ctx).sort()).toEqual([...common, 'continuation', 'isWrapUp', 'usage'].sort());
        const copy = { ...ctx };
        copy.partial('half');
        agent.cancel();
        return copy.signal.aborted;
      });
    });
    expect(report.partials.map(({ value }) => value)).toEqual(['half']);
  });
});
