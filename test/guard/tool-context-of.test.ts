import { expect, it } from 'vitest';

import { CancellationToken, type ToolContext } from '../../src/index.ts';
import { guardTool, toolContextOf } from '../../src/guard/index.ts';
import { call, deaf, stage, tick } from '../core/interrupt/kit.ts';

interface Given {
  readonly abortSignal: AbortSignal;
}

it('toolContextOf returns what the nearest call was given, by its signal or anything below', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(({ tool }) =>
    tool(call('a'), async (_call, ctx) => {
      expect(toolContextOf(ctx.token)).toBe(ctx);
      expect(toolContextOf(ctx.signal)).toBe(ctx);
      expect(toolContextOf(ctx.token.child().signal)).toBe(ctx);
      expect(toolContextOf(CancellationToken.any(new AbortController().signal, ctx.token))).toBe(ctx);
      expect(toolContextOf(AbortSignal.any([ctx.signal]))).toBeUndefined();
      let below: ToolContext | undefined;
      await ctx.subagent('sub').runTurn(async (turn) => {
        expect(toolContextOf(turn.signal)).toBeUndefined();
        await turn.tool(call('b'), (_inner, inner) => {
          below = inner;
          expect(toolContextOf(inner.signal)).toBe(inner);
        });
      });
      expect(below).not.toBe(ctx);
      return 'ok';
    }),
  );
  expect(report.calls).toMatchObject([{ status: 'completed' }]);
});

it('toolContextOf returns nothing outside of a call', async () => {
  const { agent } = stage();
  expect(toolContextOf(undefined)).toBeUndefined();
  expect(toolContextOf(new AbortController().signal)).toBeUndefined();
  await agent.runTurn(async ({ signal, model }) => {
    expect(toolContextOf(signal)).toBeUndefined();
    await model((ctx) => {
      expect(toolContextOf(ctx.signal)).toBeUndefined();
    });
  });
  expect(() => toolContextOf({} as AbortSignal)).toThrow(TypeError);
});

it('toolContextOf gives a guarded tool what its framework has no place for', async () => {
  const { agent } = stage();
  const wait = guardTool(
    {
      name: 'wait',
      execute: async ({ abortSignal }: Given) => (await toolContextOf(abortSignal)?.wait(deaf()))?.status,
    },
    { onInterject: 'yield' },
  );
  const refuse = guardTool({
    name: 'refuse',
    execute: ({ abortSignal }: Given) => toolContextOf(abortSignal)?.decline('not this one'),
  });
  const turn = agent.runTurn(async ({ signal, takeInterjections }) => {
    const waited = await wait.execute({ abortSignal: signal });
    takeInterjections();
    await Promise.resolve(refuse.execute({ abortSignal: signal })).catch(() => undefined);
    return waited;
  });
  await tick();
  agent.interject('how is it going?');
  const report = await turn;
  expect(report.unwrap()).toBe('interjected');
  expect(report.calls).toMatchObject([
    { name: 'wait', status: 'completed' },
    { name: 'refuse', status: 'declined', userMessage: 'not this one' },
  ]);
});
