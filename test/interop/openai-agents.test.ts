/** The loop of OpenAI Agents under a turn: nothing starts after a stop, and everything that ran is accounted for. */
import OpenAI from 'openai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { readRun, turnProvider, underTurn } from '../../src/adapters/openai-agents/index.ts';
import { delay, type Turn } from '../../src/index.ts';
import type { ModelScript } from '../../src/testing/model-server/index.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage, msUntil, sentTexts, settlesWithin } from './stage.ts';

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: `@openai/agents ${major.version('@openai/agents')}`,
    sdk: await major.load<typeof import('@openai/agents')>('@openai/agents'),
  })),
);

const callSlow = { toolCalls: [{ name: 'slow', input: {} }] };
const twoSteps: ModelScript = [callSlow, 'All done.', 'too many'];

describe.each(loaded)('$name', ({ sdk }) => {
  sdk.setTracingDisabled(true);

  async function stage(script: ModelScript, graceMs = 1000) {
    const base = await frameworkStage(script, { graceMs });
    const client = new OpenAI({ baseURL: base.baseURL, apiKey: 'none', maxRetries: 0 });
    const model = new sdk.OpenAIChatCompletionsModel(client, 'scripted');
    return { ...base, model };
  }
  const toolOf = (execute: () => unknown) =>
    sdk.tool({
      name: 'slow',
      description: 'works',
      parameters: z.object({}),
      execute: execute,
    });
  const agentOf = (model: InstanceType<typeof sdk.OpenAIChatCompletionsModel>, execute?: () => unknown) =>
    new sdk.Agent({ name: 'worker', model, tools: execute === undefined ? [] : [toolOf(execute)] });
  const runWhole = (turn: Turn, worker: ReturnType<typeof agentOf>) =>
    readRun(turn.token, sdk.run(underTurn(turn, worker), 'go', { signal: turn.signal })).then(
      ({ finalOutput }) => finalOutput,
    );
  const runStream = (turn: Turn, worker: ReturnType<typeof agentOf>, seen: string[] = []) =>
    readRun(turn.token, sdk.run(underTurn(turn, worker), 'go', { signal: turn.signal, stream: true }), (event) => {
      seen.push(event.type);
    }).then(({ finalOutput }) => finalOutput);

  describe('S01 a deaf tool', () => {
    it('hangs the bare loop', async () => {
      const { agent, model } = await stage(twoSteps);
      const work = deafWork();
      const turn = agent.runTurn(({ signal }) => sdk.run(agentOf(model, work.run), 'go', { signal }));
      await work.started;
      expect(await settlesWithin(agent.cancel().settled, 300)).toBe(false);
      work.end.resolve('at last');
      await turn;
    });

    it.each([
      ['whole', runWhole],
      ['streamed', runStream],
    ] as const)('does not hang a %s run under a turn, and is named', async (_way, runIt) => {
      const { agent, server, model } = await stage(twoSteps, 0);
      const work = deafWork();
      const running = agent.runTurn((turn) => runIt(turn, agentOf(model, work.run)));
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
  });

  it('S02 nothing starts after Stop: not the next call of a batch, not the model, not a message', async () => {
    const calls = [1, 2, 3].map(() => ({ name: 'slow', input: {} }));
    const { agent, server, model } = await stage([{ toolCalls: calls }, 'too many']);
    const execute = vi.fn(() => {
      agent.interject('and another thing');
      agent.cancel('user');
      return 'done';
    });
    const report = await agent.runTurn((turn) => runWhole(turn, agentOf(model, execute)));
    expect(report.status).toBe('cancelled');
    expect(execute).toHaveBeenCalledTimes(1);
    expect(report.calls.filter(({ status }) => status === 'completed')).toHaveLength(1);
    expect(report.undelivered.map(({ message }) => message)).toEqual(['and another thing']);
    expect(server.requests).toHaveLength(1);
  });

  it('S03 a deaf tool that succeeds after the stop leads to no second model request', async () => {
    const { agent, server, model, events } = await stage(twoSteps, 0);
    const work = deafWork();
    const running = agent.runTurn((turn) => runWhole(turn, agentOf(model, work.run)));
    await work.started;
    setTimeout(work.end.resolve, 300, 'it worked');
    agent.cancel('user');
    expect(await msUntil(running)).toBeLessThan(50);
    await delay(undefined, 600);
    expect(server.requests).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'late-settled')).toMatchObject([{ name: 'slow', status: 'completed' }]);
  });

  describe('S15 a stopped stream', () => {
    it('bare, ends and completes; only a flag tells', async () => {
      const { agent, server, model } = await stage([{ text: 'one two three four', chunkMs: 100 }]);
      const running = agent.runTurn(async ({ signal }) => {
        const result = await sdk.run(agentOf(model), 'go', { signal, stream: true });
        for await (const event of result) void event;
        await result.completed;
        return result.cancelled;
      });
      await server.waitFor(({ requests }) => (requests[0]?.deltasWritten ?? 0) >= 2);
      agent.cancel('user');
      expect(await running).toMatchObject({ completed: { value: true } });
    });

    it('is cancelled; its words are kept, its socket closed, and no event comes after the stop', async () => {
      const { agent, server, model } = await stage([{ text: 'one two three four', chunkMs: 100 }]);
      const seen: string[] = [];
      const running = agent.runTurn((turn) => runStream(turn, agentOf(model), seen));
      await server.waitFor(({ requests }) => (requests[0]?.deltasWritten ?? 0) >= 2);
      await delay(undefined, 30);
      agent.cancel('user');
      const count = seen.length;
      const report = await running;
      expect(report).toMatchObject({ status: 'cancelled', partials: [{ modelCall: 1, value: { text: 'one two' } }] });
      expect(report).not.toHaveProperty('completed');
      expect(seen).toHaveLength(count);
      await server.waitFor(({ requests }) => requests[0]?.closedEarly);
    });
  });

  describe('S21 a message', () => {
    it.each([
      ['whole', runWhole],
      ['streamed', runStream],
    ] as const)('is told in the next model call of a %s run, and in every later one', async (_way, runIt) => {
      const { agent, server, model } = await stage([callSlow, callSlow, 'All done.']);
      let calls = 0;
      const worker = agentOf(model, () => {
        if (++calls === 1) agent.interject('use pnpm');
        return 'ok';
      });
      const report = await agent.runTurn((turn) => runIt(turn, worker));
      expect(report.unwrap()).toBe('All done.');
      const told = (request: number) => sentTexts(server, request).filter((text) => text.includes('pnpm'));
      expect([1, 2, 3].map((request) => told(request).length)).toEqual([0, 1, 1]);
      expect(sentTexts(server, 3).findIndex((text) => text.includes('pnpm'))).toBe(3);
    });

    it('with delivery now cuts the words and is answered in the same call', async () => {
      const { agent, server, model } = await stage([{ text: 'one two three four', chunkMs: 100 }, 'Right, pnpm.']);
      const running = agent.runTurn((turn) => runStream(turn, agentOf(model)));
      await server.waitFor(({ requests }) => (requests[0]?.deltasWritten ?? 0) >= 2);
      await delay(undefined, 30);
      agent.interject('use pnpm', { delivery: 'now' });
      const report = await running;
      expect(report.unwrap()).toBe('Right, pnpm.');
      expect(report.partials).toMatchObject([{ value: { text: 'one two' }, reason: { kind: 'interjection' } }]);
      expect(sentTexts(server, 2)).toEqual([
        'user: go',
        'assistant: one two',
        'user: [PRIORITY USER MESSAGE]: use pnpm',
      ]);
    });
  });

  it('models that are only named are found under the turn', async () => {
    const { agent, server, model } = await stage(twoSteps);
    const worker = new sdk.Agent({
      name: 'worker',
      model: 'any',
      tools: [
        toolOf(() => {
          agent.interject('use pnpm');
          return 'ok';
        }),
      ],
    });
    const report = await agent.runTurn(async (turn) => {
      const runner = new sdk.Runner({ modelProvider: turnProvider(turn, { getModel: () => model }) });
      const { finalOutput } = await readRun(
        turn.token,
        runner.run(underTurn(turn, worker), 'go', { signal: turn.signal }),
      );
      return finalOutput;
    });
    expect(report.unwrap()).toBe('All done.');
    expect(sentTexts(server, 2).at(-1)).toContain('use pnpm');
  });

  it('S04 an agent that was handed over to is under the turn too', async () => {
    const { agent, server, model } = await stage(
      [{ toolCalls: [{ name: 'transfer_to_worker', input: {} }] }, callSlow, 'too many'],
      0,
    );
    const work = deafWork();
    const boss = new sdk.Agent({ name: 'boss', model, handoffs: [agentOf(model, work.run)] });
    const running = agent.runTurn((turn) =>
      readRun(turn.token, sdk.run(underTurn(turn, boss), 'go', { signal: turn.signal })),
    );
    await work.started;
    agent.cancel('user');
    expect(await running).toMatchObject({ status: 'cancelled', calls: [{ name: 'slow', status: 'unknown' }] });
    expect(server.requests).toHaveLength(2);
    work.end.resolve('');
  });

  it('S07 a stop of one turn never touches the next', async () => {
    const { agent, server, model } = await stage([{ text: 'one two three', chunkMs: 100 }, 'Hello.']);
    const first = agent.runTurn((turn) => runStream(turn, agentOf(model)));
    await server.waitFor(({ requests }) => requests[0]?.deltasWritten);
    const receipt = agent.cancel('user');
    expect((await first).status).toBe('cancelled');
    const second = agent.runTurn((turn) => runStream(turn, agentOf(model)));
    agent.cancel('user', { turnId: receipt.turnId ?? 0 });
    expect((await second).unwrap()).toBe('Hello.');
  });

  it('leaves a failure of the model what it is', async () => {
    const { agent, model } = await stage([{ status: 400, message: 'no such model' }]);
    const report = await agent.runTurn((turn) => runWhole(turn, agentOf(model)));
    expect(report).toMatchObject({ status: 'failed', error: { status: 400 } });
  });
});
