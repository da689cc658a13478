import { AsyncLocalStorage } from 'node:async_hooks';

import { afterEach, describe, expect, it } from 'vitest';

import { ambientToken, runAmbient } from '../../../../src/core/interrupt/turn/ambient-token.ts';
import { CancellationTokenSource, type CancellationToken } from '../../../../src/index.ts';
import { call, stage } from '../kit.ts';

const key = Symbol.for('desist.ambient');
const shared = globalThis as Record<symbol, unknown>;
const before = shared[key];
afterEach(() => {
  if (before === undefined) Reflect.deleteProperty(shared, key);
  else shared[key] = before;
});

describe('the ambient token', () => {
  it('is none where nobody has opened the door, and the function is simply called', () => {
    Reflect.deleteProperty(shared, key);
    const { token } = new CancellationTokenSource();
    expect([runAmbient(token, () => ambientToken() ?? 'none'), ambientToken()]).toEqual(['none', undefined]);
  });

  it('is the turn’s in its body and the call’s in a tool, over every await, and none beside them', async () => {
    shared[key] = new AsyncLocalStorage<CancellationToken>();
    const { agent } = stage();
    const report = await agent.runTurn(async ({ token, tool }) => {
      await Promise.resolve();
      const isTurns = ambientToken() === token;
      const outcome = await tool(call('a'), async (_call, ctx) => {
        await Promise.resolve();
        return ambientToken() === ctx.token;
      });
      return [isTurns, outcome, ambientToken() === token];
    });
    expect(report.unwrap()).toMatchObject([true, { value: true }, true]);
    expect(ambientToken()).toBeUndefined();
  });

  it('is the work’s own in background work, whoever started it', async () => {
    shared[key] = new AsyncLocalStorage<CancellationToken>();
    const { agent } = stage();
    const report = await agent.runTurn(
      () =>
        agent.background('job', async ({ token }) => {
          await Promise.resolve();
          return ambientToken() === token;
        }).outcome,
    );
    expect(report.unwrap()).toMatchObject({ value: true });
  });
});
