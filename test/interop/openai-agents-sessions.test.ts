/** Sessions of OpenAI Agents after a stop: they hold what completed, once, and the next run is accepted. */
import type { AgentInputItem, Session } from '@openai/agents';
import { fc } from '@fast-check/vitest';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readRun, settleSession, underTurn } from '../../src/adapters/openai-agents/index.ts';
import type { Turn } from '../../src/index.ts';
import type { ModelReply } from '../../src/testing/model-server/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { majors } from './majors.ts';
import { deafWork, frameworkStage } from './stage.ts';
import { cutTurn, playCut, type CutTurn } from './support/frameworks/cut-turns.ts';
import { callsOf, rowsOf } from './support/frameworks/loop-stage.ts';
import { chatOfAgents } from './support/settle-history.ts';
import { itBare } from '../support/bare.ts';

const rigs = await Promise.all(
  majors.map(async (major) => ({
    name: `@openai/agents ${major.version('@openai/agents')}`,
    sdk: await major.load<typeof import('@openai/agents')>('@openai/agents'),
  })),
);
const old: AgentInputItem[] = [
  { type: 'message', role: 'user', content: 'an old question' },
  {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'an old answer' }],
  },
];
const times = (text: string, part: string): number => text.split(part).length - 1;

/** The Conversations API, as far as a session needs it. */
function conversationsAPI(): OpenAI {
  let items: { id: string }[] = [];
  let last = 0;
  return {
    conversations: {
      create: () => Promise.resolve({ id: 'conv_1' }),
      items: {
        create: (_id: string, { items: added }: { items: object[] }) => {
          for (const each of added) {
            const { content, role } = each as { content?: unknown; role?: string };
            const message = role === undefined ? {} : { type: 'message' };
            const parts = typeof content === 'string' ? { content: [{ type: 'input_text', text: content }] } : {};
            const item = { status: 'completed', ...message, ...each, ...parts, id: `item_${String(++last)}` };
            items.push(item);
          }
          return Promise.resolve({});
        },
        list: (_id: string, { order, limit = items.length }: { order: string; limit?: number }) =>
          (order === 'asc' ? items : items.toReversed()).slice(0, limit),
        delete: (id: string) => {
          items = items.filter((each) => each.id !== id);
          return Promise.resolve({});
        },
      },
    },
  } as unknown as OpenAI;
}

describe.each(rigs)('$name', ({ sdk }) => {
  sdk.setTracingDisabled(true);
  const toolOf = (name: string, execute: () => Promise<string>) =>
    sdk.tool({ name, description: 'works', parameters: z.object({}), execute });
  const modelOf = (baseURL: string, api: string) => {
    const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
    return api === 'responses'
      ? new sdk.OpenAIResponsesModel(client, 'scripted')
      : new sdk.OpenAIChatCompletionsModel(client, 'scripted');
  };
  const workerOf = (model: ReturnType<typeof modelOf>, tools: ReturnType<typeof toolOf>[] = []) =>
    new sdk.Agent({ name: 'worker', model, tools });
  type Worker = ReturnType<typeof workerOf>;
  const runOf = (turn: Turn, worker: Worker, session: Session, stream: boolean) => {
    const guarded = underTurn(turn, worker);
    const { signal, token } = turn;
    return stream
      ? readRun(token, sdk.run(guarded, 'pay and deploy', { signal, session, stream: true }))
      : readRun(token, sdk.run(guarded, 'pay and deploy', { signal, session }));
  };

  /** A run that has paid, and is stopped while it deploys. */
  async function stopped(session: Session, api: string, stream: boolean) {
    const paying = { ...(callsOf('pay') as object), text: 'Paying.' };
    const base = await frameworkStage([paying, callsOf('deploy'), 'Went on.'], { graceMs: 0 });
    const deaf = deafWork();
    const model = modelOf(base.baseURL, api);
    const tools = [toolOf('pay', () => Promise.resolve('paid 1')), toolOf('deploy', deaf.run)];
    const worker = workerOf(model, tools);
    const chat = chatOfAgents<AgentInputItem>(await session.getItems());
    const running = chat.runTurn(base.agent, 'pay and deploy', (turn) => runOf(turn as Turn, worker, session, stream));
    await deaf.started;
    base.agent.cancel('user');
    const report = await running;
    expect([report.status, ...rowsOf(report)]).toEqual(['cancelled', 'pay: completed', 'deploy: unknown']);
    return { ...base, chat, worker, model, deaf };
  }

  itBare(
    'bare, a stopped stream leaves its prompt alone, and what is not streamed calls aborted what may still run',
    async () => {
      const texts = [true, false].map(async (stream) => {
        const session = new sdk.MemorySession({ initialItems: old });
        await stopped(session, 'responses', stream);
        return JSON.stringify((await session.getItems()).slice(2));
      });
      const [streamed, whole] = await Promise.all(texts);
      expect(streamed).toBe('[{"type":"message","role":"user","content":"pay and deploy"}]');
      expect(whole).toMatch(/paid 1.*"aborted"/);
    },
  );

  const sessions = {
    MemorySession: () => new sdk.MemorySession({ initialItems: old }),
    OpenAIConversationsSession: () => new sdk.OpenAIConversationsSession({ client: conversationsAPI() as never }),
  };
  const cells = Object.entries(sessions).flatMap(([name, make]) =>
    ['chat completions', 'responses'].flatMap((api) => [true, false].map((stream) => ({ name, make, api, stream }))),
  );

  it.each(cells)(
    'S45 a $name of a stopped run pays once in the next one, and is settled once; $api, streamed $stream',
    async ({ make, name, api, stream }) => {
      const session: Session = make();
      if (name !== 'MemorySession') await session.addItems(old);
      const { server, chat, model } = await stopped(session, api, stream);
      await settleSession(session, chat.messages);
      const items = await session.getItems();
      expect(items).toHaveLength(chat.messages.length);
      expect(items.map((item) => sdk.protocol.ModelItem.safeParse(item).error)).toEqual(items.map(() => undefined));
      await settleSession(session, chat.messages);
      expect(await session.getItems()).toEqual(items);

      const next = await sdk.run(workerOf(model), 'again', { session });
      expect(next.finalOutput).toBe('Went on.');
      const sent = JSON.stringify(server.requests[2]?.body);
      const words = ['an old question', 'an old answer', 'pay and deploy', 'Paying.', 'paid 1', 'may still', 'again'];
      expect(words.map((each) => times(sent, each))).toEqual(words.map(() => 1));
      expect(sent).not.toContain('aborted');
    },
  );

  it.each([true, false])('S45 a session of a run that was handed over is settled; streamed %s', async (stream) => {
    const script = [callsOf('pay'), callsOf('transfer_to_second'), callsOf('deploy'), 'Went on.'];
    const { agent, server, baseURL } = await frameworkStage(script, { graceMs: 0 });
    const model = modelOf(baseURL, 'chat completions');
    const deaf = deafWork();
    const second = new sdk.Agent({ name: 'second', model, tools: [toolOf('deploy', deaf.run)] });
    const tools = [toolOf('pay', () => Promise.resolve('paid 1'))];
    const worker = new sdk.Agent({ name: 'worker', model, tools, handoffs: [second] });
    const session = new sdk.MemorySession();
    const chat = chatOfAgents<AgentInputItem>();
    const running = chat.runTurn(agent, 'pay and deploy', (turn) => runOf(turn as Turn, worker, session, stream));
    await deaf.started;
    agent.cancel('user');
    await running;
    await settleSession(session, chat.messages);
    await sdk.run(workerOf(model), 'again', { session });
    const sent = JSON.stringify(server.requests.at(-1)?.body['messages']);
    const words = ['pay and deploy', 'paid 1', '"name":"transfer_to_second"', 'may still', 'again'];
    expect(words.map((each) => times(sent, each))).toEqual(words.map(() => 1));
    expect(server.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  const own = { isGiven: fc.boolean(), isBegunAnew: fc.boolean() };
  const turn = fc.record({ ...cutTurn({ maxSteps: 3, thinks: true }), ...own });
  type Plan = CutTurn & { readonly isGiven: boolean; readonly isBegunAnew: boolean };

  /** Plays turns on one session, each settled; `said` is what stands in it from then on. */
  async function play(api: string, plans: readonly Plan[]) {
    let answer: () => ModelReply = () => 'Went on.';
    const { agent, server, baseURL, events } = await frameworkStage(() => answer(), { graceMs: 0 });
    const session = new sdk.MemorySession();
    const model = modelOf(baseURL, api);
    const said: string[] = [];
    let chat = chatOfAgents<AgentInputItem>();
    let stops = 0;
    let made = 0;
    for (const [at, plan] of plans.entries()) {
      const { stream, isGiven, isBegunAnew } = plan;
      if (isBegunAnew) chat = chatOfAgents(await session.getItems());
      const cut = playCut(
        agent,
        at,
        plan,
        () => `value ${String(++made)};`,
        () => ({}),
      );
      ({ answer } = cut);
      const { passes } = cut;
      const { quick, slow, deaf } = cut.tools;
      const tools = [toolOf('quick', quick), toolOf('slow', slow), toolOf('deaf', deaf)];
      const worker = workerOf(model, tools);
      const report = await chat.runTurn(agent, `prompt ${String(at)};`, (own) => {
        passes();
        const guarded = underTurn(own, worker);
        const settings = isGiven ? { signal: own.signal, session } : { signal: own.signal };
        const input = isGiven ? `prompt ${String(at)};` : chat.messages;
        return stream
          ? readRun(own.token, sdk.run(guarded, input, { ...settings, stream: true }), passes)
          : readRun(own.token, sdk.run(guarded, input, settings));
      });
      expect(report.status === 'failed' ? report.error : undefined).toBeUndefined();
      if (report.status === 'cancelled') stops += 1;
      said.push(`prompt ${String(at)};`);
      said.push(...report.calls.flatMap((row) => (row.status === 'completed' ? [String(row.value)] : [])));
      await settleSession(session, chat.messages);
      const items = await session.getItems();
      await settleSession(session, chat.messages);
      expect(await session.getItems()).toEqual(items);
    }
    said.push(
      ...events.flatMap((each) => (each.type === 'interjection-delivered' ? [String(each.interjection.message)] : [])),
    );
    answer = () => 'Went on.';
    const next = await sdk.run(workerOf(model), 'again', { session });
    expect(next.finalOutput).toBe('Went on.');
    expect(server.requests.map(({ status }) => status)).toEqual(server.requests.map(() => 200));
    const sent = JSON.stringify(server.requests.at(-1)?.body);
    expect(said.filter((each) => times(sent, each) !== 1)).toEqual([]);
    const calls = (await session.getItems()).filter(({ type }) => type === 'function_call') as { callId: string }[];
    const results = (await session.getItems()).filter(({ type }) => type === 'function_call_result') as typeof calls;
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(calls.length);
    expect(results.map(({ callId }) => callId).toSorted()).toEqual(calls.map(({ callId }) => callId).toSorted());
    await agent.close();
    await server.close();
    return stops;
  }

  it('S45 a session of turns that were cut anywhere is taken by the next run, with all that was said and done once', async () => {
    let stops = 0;
    const apis = fc.constantFrom('chat completions', 'responses');
    await fc.assert(
      fc.asyncProperty(apis, fc.array(turn, { minLength: 1, maxLength: 3 }), async (api, plans) => {
        stops += await play(api, plans);
      }),
      { numRuns: propertyRuns(40) },
    );
    expect(stops).toBeGreaterThan(0);
  }, 120_000);
});
