/** Mastra's loop with tools that `guardTools` guards: no adapter of its own is needed. */
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { delay, guardTools, type Turn } from '../../src/index.ts';
import type { ModelScript } from '../../src/testing/model-server/index.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage, msUntil, settlesWithin } from './stage.ts';

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: `@mastra/core ${major.version('@mastra/core')}`,
    agents: await major.load<typeof import('@mastra/core/agent')>('@mastra/core/agent'),
    tools: await major.load<typeof import('@mastra/core/tools')>('@mastra/core/tools'),
  })),
);

const callSlow = { toolCalls: [{ name: 'slow', input: {} }] };
const twoSteps: ModelScript = [callSlow, 'All done.', 'too many'];

describe.each(loaded)('$name', ({ agents, tools }) => {
  const toolOf = (execute: () => unknown) =>
    tools.createTool({
      id: 'slow',
      description: 'works',
      inputSchema: z.object({}),
      execute: execute as () => Promise<never>,
    });
  const workerOf = (url: string, own: Record<string, object>) =>
    new agents.Agent({
      id: 'worker',
      name: 'worker',
      instructions: 'work',
      model: { id: 'custom/scripted', url, apiKey: 'none' },
      tools: own as never,
    });
  async function stage(script: ModelScript, graceMs: number) {
    const base = await frameworkStage(script, { graceMs });
    const run = async (turn: Turn, execute: () => unknown): Promise<string> => {
      const worker = workerOf(base.baseURL, guardTools({ slow: toolOf(execute) }, { turn }));
      const { text } = await worker.generate('go', { abortSignal: turn.signal });
      turn.checkpoint(); // a stopped generate resolves, with no text
      return text;
    };
    return { ...base, run };
  }

  it('a loop runs to its end', async () => {
    const { agent, server, run } = await stage(twoSteps, 1000);
    const report = await agent.runTurn((turn) => run(turn, () => Promise.resolve({ ok: true })));
    expect(report.unwrap()).toBe('All done.');
    expect(report.calls).toMatchObject([{ name: 'slow', status: 'completed' }]);
    expect(server.requests).toHaveLength(2);
  });

  it('S01 a deaf tool hangs the bare loop', async () => {
    const { agent, baseURL } = await stage(twoSteps, 1000);
    const work = deafWork();
    const running = agent.runTurn(({ signal }) =>
      workerOf(baseURL, { slow: toolOf(work.run) }).generate('go', { abortSignal: signal }),
    );
    await work.started;
    expect(await settlesWithin(agent.cancel().settled, 300)).toBe(false);
    work.end.resolve('at last');
    await running;
  });

  it('S01 a guarded deaf tool does not hold up a stop, and is named', async () => {
    const { agent, server, run } = await stage(twoSteps, 0);
    const work = deafWork();
    const running = agent.runTurn((turn) => run(turn, work.run));
    await work.started;
    const receipt = agent.cancel('user');
    expect(await msUntil(running)).toBeLessThan(100);
    const report = await running;
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
    expect(report.calls).toMatchObject([{ name: 'slow', status: 'unknown' }]);
    expect((await receipt.settled).abandoned).toContain('slow');
    work.end.resolve('at last');
    await delay(undefined, 50);
    expect(server.requests).toHaveLength(1);
  });

  it('S02 nothing starts after Stop', async () => {
    const calls = [1, 2, 3].map(() => ({ name: 'slow', input: {} }));
    const { agent, server, run } = await stage([{ toolCalls: calls }, 'too many'], 1000);
    const execute = vi.fn(() => {
      agent.cancel('user');
      return Promise.resolve('done');
    });
    const report = await agent.runTurn((turn) => run(turn, execute));
    expect(report.status).toBe('cancelled');
    expect(execute).toHaveBeenCalledTimes(1);
    expect(server.requests).toHaveLength(1);
  });

  it('S03 a deaf tool that succeeds after the stop leads to no second model request', async () => {
    const { agent, server, events, run } = await stage(twoSteps, 0);
    const work = deafWork();
    const running = agent.runTurn((turn) => run(turn, work.run));
    await work.started;
    setTimeout(work.end.resolve, 300, 'it worked');
    agent.cancel('user');
    expect(await msUntil(running)).toBeLessThan(50);
    await delay(undefined, 600);
    expect(server.requests).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'late-settled')).toMatchObject([{ name: 'slow', status: 'completed' }]);
  });
});
