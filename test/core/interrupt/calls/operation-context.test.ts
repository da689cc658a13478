import { describe, expect, it } from 'vitest';

import { lazyMembers } from '../../../../src/core/combinators/engine/lazy-members.ts';
import { operationMembers } from '../../../../src/core/interrupt/calls/operation-context.ts';
import { CancellationTokenSource } from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { call, stage } from '../kit.ts';

function hosted() {
  const [source, grace] = [new CancellationTokenSource(), new CancellationTokenSource()];
  const asked: string[] = [];
  const host = {
    token: tokenOf(source.token),
    graceToken: () => {
      asked.push('graceToken');
      return grace.token;
    },
    progress: () => void asked.push('progress'),
    enterCommit: () => void asked.push('enter'),
    leaveCommit: (done: { readonly value: unknown } | undefined) =>
      void asked.push(`leave with ${String(done?.value)}`),
  };
  const cancelTurn = () => ({ accepted: false, turnId: undefined, settled: new Promise<never>(() => undefined) });
  return {
    source,
    grace,
    asked,
    host,
    cancelTurn,
    context: lazyMembers(() => operationMembers)({ owner: undefined, work: host, cancelTurn }),
  };
}

describe('the context of an operation', () => {
  it('says what its work says', async () => {
    const { source, grace, asked, host, cancelTurn, context } = hosted();
    expect([context.token === host.token, context.signal === source.signal]).toEqual([true, true]);
    expect([context.graceToken === grace.token, context.cancelTurn === cancelTurn]).toEqual([true, true]);
    const { progress, checkpoint, commit } = context;
    progress();
    checkpoint();
    expect(await commit(() => 'done')).toBe('done');
    expect(asked).toEqual(['graceToken', 'progress', 'enter', 'leave with done']);
    source.cancel('enough');
    expect(checkpoint).toThrow('enough');
    await expect(commit(() => 'more')).rejects.toThrow('enough');
  });

  it('makes no signal and no grace token that nobody reads', () => {
    const { asked, host, context } = hosted();
    expect([host.token.extra?.controller, asked]).toEqual([undefined, []]);
    expect([context.signal.aborted, context.graceToken.isCancelled]).toEqual([false, false]);
    expect(host.token.extra?.controller?.signal).toBe(context.signal);
    expect(asked).toEqual(['graceToken']);
  });

  it('hands out the same functions each time', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool, model }) =>
      Promise.all([
        tool(call('a'), (_call, ctx) => Object.entries(ctx).map(([name, value]) => value === Reflect.get(ctx, name))),
        model((ctx) => Object.entries(ctx).map(([name, value]) => value === Reflect.get(ctx, name))),
      ]),
    );
    expect(report.unwrap()).toMatchObject([
      { value: Array.from({ length: 15 }, () => true) },
      { value: Array.from({ length: 13 }, () => true) },
    ]);
  });
});

const common = ['token', 'signal', 'graceToken', 'checkpoint', 'progress', 'commit', 'cancelTurn', 'partial'];

describe('a context in the options of a framework', () => {
  it('of a tool: can be spread, and what is left of it too', async () => {
    const { agent } = stage();
    await agent.runTurn(({ tool }) =>
      tool(call('a'), (_call, ctx) => {
        expect(Object.keys(ctx).sort()).toEqual(
          [...common, 'call', 'ask', 'interjected', 'wait', 'decline', 'subagent', 'track'].sort(),
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
        [
          'cancel',
          'checkpoint',
          'hasInterjections',
          'id',
          'signal',
          'step',
          'takeInterjections',
          'token',
          'tool',
          'tools',
          'track',
        ].sort(),
      );
      expect(others.signal).toBe(turn.signal);
      return model((ctx) => {
        expect(Object.keys(ctx).sort()).toEqual(
          [...common, 'continuation', 'isWrapUp', 'modelCall', 'readInterjections', 'usage'].sort(),
        );
        const copy = { ...ctx };
        copy.partial('half');
        agent.cancel();
        return copy.signal.aborted;
      });
    });
    expect(report.partials.map(({ value }) => value)).toEqual(['half']);
  });
});
