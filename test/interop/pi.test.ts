/** The recipe for pi's agent, as its page prints it: the real loop and its real client against a scripted model. */
import { readFileSync } from 'node:fs';
import { Agent, type AgentOptions, type AgentTool } from '@mariozechner/pi-agent-core';
import { describe, expect, it } from 'vitest';

import { deferred } from '../../src/testing/fakes.ts';
import { historyOf, type ModelScript } from '../../src/testing/model-server/index.ts';
import { waitUntil } from '../../src/testing/waiting.ts';
import { deafWork, frameworkStage } from './stage.ts';
import { promptPi } from './support/recipes/pi.ts';

type Execute = (signal: AbortSignal | undefined) => string | Promise<string>;

const parameters = { type: 'object', properties: {} } as never;
const callsOf = (...names: readonly string[]) => ({ toolCalls: names.map((name) => ({ name, input: {} })) });

function toolOf([name, run]: readonly [string, Execute]): AgentTool {
  return {
    ...{ name, label: name, description: 'works', parameters },
    execute: async (_id, _input, signal) => ({ content: [{ type: 'text', text: await run(signal) }], details: {} }),
  };
}

async function stage(script: ModelScript, tools: Record<string, Execute> = {}, options: AgentOptions = {}) {
  const { server, agent: controller, events } = await frameworkStage(script, { graceMs: 200 });
  const model = {
    ...{ id: 'scripted', name: 'scripted', api: 'openai-completions' as const, provider: 'openai', reasoning: false },
    ...{ baseUrl: `${server.url}/v1`, input: ['text' as const], contextWindow: 100_000, maxTokens: 1_000 },
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  const pi = new Agent({
    ...{ getApiKey: () => 'none', initialState: { model, tools: Object.entries(tools).map(toolOf) } },
    ...options,
  });
  const told = () => historyOf(server.requests.at(-1)!).map(({ role, kind, text }) => `${role} ${kind}: ${text}`);
  return {
    server,
    controller,
    events,
    pi,
    told,
    prompt: (text: string) => promptPi(controller, pi, text, { graceMs: 200 }),
  };
}

const obedient: Execute = (signal) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
const rowsOf = ({ calls }: Awaited<ReturnType<typeof promptPi>>) =>
  calls.map(({ name, status }) => `${name}: ${status}`);

it('the recipe of the page is the one tested here', () => {
  const page = readFileSync(new URL('../../docs/recipes/pi.md', import.meta.url), 'utf8');
  const recipe = readFileSync(new URL('support/recipes/pi.ts', import.meta.url), 'utf8')
    .replace('../../../../src/guard/index.ts', 'desist/guard')
    .replace('../../../../src/index.ts', 'desist')
    .replace('../../../../src/transcript/dialects/openai-chat/index.ts', 'desist/transcript/openai-chat');
  expect(page).toContain(recipe);
});

describe("a prompt of pi's agent as a turn", () => {
  it('runs its loop as it is, and leaves the agent as it was', async () => {
    const { pi, prompt, server } = await stage([callsOf('look'), 'Fine.'], { look: () => 'seen' });
    const { streamFn, beforeToolCall } = pi;
    const report = await prompt('go');
    expect([report.status, ...rowsOf(report)]).toEqual(['completed', 'look: completed']);
    expect(pi.state.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
    expect([pi.streamFn, pi.beforeToolCall, server.requests.length]).toEqual([streamFn, beforeToolCall, 2]);
  });

  it('S01 S02 S11 a stop names the deaf tool, starts nothing more, and the model reads the ledger', async () => {
    const deaf = deafWork();
    const tools = { deploy: deaf.run, rm: () => 'removed' };
    const { controller, events, prompt, server, told } = await stage([callsOf('deploy', 'rm'), 'Went on.'], tools, {
      toolExecution: 'sequential',
    });
    const running = prompt('go');
    await deaf.started;
    const { settled } = controller.cancel('user');
    const report = await running;
    expect([report.status, ...rowsOf(report)]).toEqual(['cancelled', 'deploy: unknown', 'rm: not-started']);
    expect((await settled).abandoned).toEqual(['deploy']);
    expect(server.requests).toHaveLength(1);
    deaf.end.resolve('deployed');
    await waitUntil('the late result', () => events.some(({ type }) => type === 'late-settled'), 10_000);
    expect((await prompt('and now')).status).toBe('completed');
    const results = told().filter((line) => line.startsWith('tool'));
    expect(results[0]).toContain('may still complete, or have completed');
    expect(results[1]).toContain('was not started');
    expect(told().at(-1)).toMatch(/The user stopped your previous turn.*deploy .*has completed since.*and now/s);
  });

  it('S15 a reply that was cut stays in the conversation, and no request follows it', async () => {
    const { controller, pi, prompt, server, told } = await stage([
      { text: 'one two three', silentAfter: 2 },
      'Went on.',
    ]);
    const running = prompt('go');
    await waitUntil('its words', () => JSON.stringify(pi.state.streamingMessage ?? '').includes('one'), 10_000);
    controller.cancel('user');
    const report = await running;
    expect(report.partials).toMatchObject([{ value: { text: expect.stringContaining('one') as string } }]);
    expect(server.requests).toHaveLength(1);
    await waitUntil('the end of its stream', () => server.requests[0]?.closedEarly === true, 10_000);
    await prompt('again');
    expect(told().slice(0, 2)).toEqual(['user text: go', expect.stringMatching(/^assistant text: one/)]);
  });

  it('a question that nobody answers ends with the stop, and leaves the agent free', async () => {
    const isAsked = deferred();
    const { controller, pi, prompt } = await stage(
      [callsOf('rm'), 'Went on.'],
      { rm: () => 'removed' },
      {
        beforeToolCall: () => {
          isAsked.resolve();
          return new Promise(() => undefined);
        },
      },
    );
    const running = prompt('go');
    await isAsked.promise;
    controller.cancel('user');
    expect(rowsOf(await running)).toEqual(['rm: not-started']);
    expect(pi.state.isStreaming).toBe(false);
    expect((await prompt('next')).status).toBe('completed');
  });

  it('alone, a question that nobody answers holds the agent behind its abort', async () => {
    const isAsked = deferred();
    const beforeToolCall = () => {
      isAsked.resolve();
      return new Promise<undefined>(() => undefined);
    };
    const { pi } = await stage([callsOf('rm')], { rm: () => 'removed' }, { beforeToolCall });
    void pi.prompt('go');
    await isAsked.promise;
    pi.abort();
    await new Promise<void>((resolve) => setImmediate(resolve));
    await expect(pi.prompt('next')).rejects.toThrow('already processing');
  });

  it('an agent at work for somebody else is left alone, and what is to be told is kept', async () => {
    const isRunning = deferred();
    const work: Execute = (signal) => {
      isRunning.resolve();
      return obedient(signal);
    };
    const { controller, pi, prompt, told } = await stage([callsOf('work'), callsOf('work'), 'Went on.'], { work });
    const first = prompt('go');
    await isRunning.promise;
    controller.cancel('user');
    await first;
    const own = pi.prompt('go');
    await waitUntil('its call', () => pi.state.pendingToolCalls.size === 1, 10_000);
    expect(await prompt('mine')).toMatchObject({ status: 'failed', error: expect.any(TypeError) as TypeError });
    expect(pi.state.pendingToolCalls.size).toBe(1);
    pi.abort();
    await own;
    await prompt('now mine');
    expect(told().at(-1)).toMatch(/The user stopped your previous turn.*now mine/s);
  });

  it('a call that a person declines does not run, and the model has their words', async () => {
    const { prompt, told } = await stage(
      [callsOf('rm'), 'As you like.'],
      { rm: () => 'removed' },
      { beforeToolCall: () => Promise.resolve({ block: true, reason: 'not on Fridays' }) },
    );
    const report = await prompt('go');
    expect([report.status, ...rowsOf(report)]).toEqual(['completed', 'rm: declined']);
    expect(told().at(-1)).toContain('not on Fridays');
  });

  it.each(['next-model-call', 'now'] as const)(
    'S21 a message with delivery %s is told once, in the same turn',
    async (delivery) => {
      const { controller, prompt, server, told, pi } = await stage([
        { text: 'one two three', ...(delivery === 'now' ? { silentAfter: 2 } : { chunkMs: 20 }) },
        'With pnpm.',
      ]);
      const running = prompt('go');
      await waitUntil('its words', () => JSON.stringify(pi.state.streamingMessage ?? '').includes('one'), 10_000);
      controller.interject('use pnpm', { delivery });
      const report = await running;
      expect([report.status, report.undelivered, server.requests.length]).toEqual(['completed', [], 2]);
      expect(told().filter((line) => line.includes('use pnpm'))).toHaveLength(1);
      expect(told()[1]).toMatch(/^assistant text: one/);
    },
  );

  it("pi's own abort is a stop of the turn", async () => {
    const isRunning = deferred();
    const work: Execute = (signal) => {
      isRunning.resolve();
      return obedient(signal);
    };
    const { pi, prompt, server } = await stage([callsOf('work'), 'no'], { work });
    const running = prompt('go');
    await isRunning.promise;
    pi.abort();
    const report = await running;
    expect([report.status, ...rowsOf(report), server.requests.length]).toEqual(['cancelled', 'work: stopped', 1]);
  });

  it('a failed call of the model fails the turn with its words', async () => {
    const { prompt } = await stage([{ status: 400, message: 'no such model' }]);
    const report = await prompt('go');
    expect(report).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('no such model') as string },
    });
  });

  it('two hundred at once are stopped, and nothing more is asked', { timeout: 120_000 }, async () => {
    const agents = await Promise.all(
      Array.from({ length: 200 }, async () => stage([callsOf('work'), 'no'], { work: obedient })),
    );
    const running = agents.map(({ prompt }) => prompt('go'));
    await waitUntil('all calls', () => agents.every(({ pi }) => pi.state.pendingToolCalls.size === 1), 60_000);
    for (const { controller } of agents) controller.cancel('user');
    const reports = await Promise.all(running);
    expect(new Set(reports.flatMap(rowsOf))).toEqual(new Set(['work: stopped']));
    expect(agents.every(({ server }) => server.requests.length === 1)).toBe(true);
  });
});
