/** Threads of Mastra's memory after a stop: by the recipe of its guide they hold what completed, once, and the next run is accepted. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ModelMessage } from 'ai';
import { fc } from '@fast-check/vitest';
import { underTurn } from '../../src/adapters/ai-sdk/index.ts';
import type { AIModel } from '../../src/adapters/ai-sdk/under-turn.ts';
import { guardTools } from '../../src/guard/index.ts';
import type { Turn } from '../../src/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import type { ModelReply } from '../../src/testing/model-server/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { majors, type Major } from './majors.ts';
import { deafWork, frameworkStage } from './stage.ts';
import { cutTurn, playCut, type CutTurn } from './support/frameworks/cut-turns.ts';
import { callsOf, rowsOf } from './support/frameworks/loop-stage.ts';
import { mastraMemory } from './support/frameworks/mastra-memory.ts';
import { quiet } from './support/frameworks/mastra.ts';
import { chatOfAISDK } from './support/settle-history.ts';
import { itBare } from '../support/bare.ts';

async function rigOf(major: Major) {
  const agents = await major.load<typeof import('@mastra/core/agent')>('@mastra/core/agent');
  const { createTool } = await major.load<typeof import('@mastra/core/tools')>('@mastra/core/tools');
  const provider = await major.load<{ createOpenAI(settings: object): { chat(model: string): AIModel } }>(
    '@ai-sdk/openai-v5',
  );
  return {
    name: `@mastra/core ${major.version('@mastra/core')}`,
    memoryOf: await mastraMemory(major),
    untitled: major.name === 'newest' ? { generateTitle: false } : { threads: { generateTitle: false } },
    modelOf: (baseURL: string) => provider.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted'),
    workerOf(model: AIModel, tools: object, memory: object) {
      const own = { id: 'worker', name: 'worker', instructions: 'work', maxRetries: 0 };
      const worker = new agents.Agent({ ...own, model, tools, memory } as never);
      worker.__setLogger(quiet as never);
      return worker;
    },
    toolOf: (id: string, execute: () => Promise<string>) =>
      createTool({ id, description: 'works', inputSchema: z.object({}), execute: execute }),
  };
}
const rigs = await Promise.all(majors.map(rigOf));
const where = { threadId: 'thread', resourceId: 'person' };
const times = (text: string, part: string): number => text.split(part).length - 1;

describe.each(rigs)('$name', ({ memoryOf, untitled, modelOf, workerOf, toolOf }) => {
  type Tools = Record<string, ReturnType<typeof toolOf>>;
  interface Asked {
    readonly prompt: string;
    readonly baseURL: string;
    readonly tools: Tools;
    readonly memory: Awaited<ReturnType<typeof memoryOf>>;
    readonly stream: boolean;
    readonly readOnly?: boolean;
    readonly onPart?: (text: unknown) => void;
  }
  /** Reads a thread, and leaves it to the conversation to write. */
  const reading = (readOnly: boolean) => ({
    thread: where.threadId,
    resource: where.resourceId,
    // By both majors' names.
    readOnly,
    options: { readOnly, lastMessages: 100, ...untitled },
  });
  async function run(turn: Turn, { prompt, baseURL, tools, memory, stream, readOnly = true, onPart }: Asked) {
    const { model } = underTurn(turn, { model: modelOf(baseURL) });
    const worker = workerOf(model, guardTools(tools, { turn }), memory.memory);
    const settings = { abortSignal: turn.signal, maxSteps: 8, memory: reading(readOnly) } as object;
    if (!stream) return (await worker.generate(prompt, settings).finally(() => turn.checkpoint())).text;
    const result = await worker.stream(prompt, settings);
    for await (const part of result.fullStream) {
      turn.checkpoint();
      if (part.type === 'error') throw part.payload.error;
      onPart?.(part.type === 'text-delta' ? part.payload.text : undefined);
    }
    turn.checkpoint();
    return await result.text;
  }
  const next = async (baseURL: string, { memory }: Asked['memory']) =>
    (await workerOf(modelOf(baseURL), {}, memory).generate('again', { memory: reading(true) } as object)).text;

  /** A run that has paid, and is stopped while it deploys, or while it answers. */
  async function stopped(stream: boolean, readOnly: boolean, isDeploying = true) {
    const paying = { ...(callsOf('pay') as object), text: 'Paying.' };
    const answer = { text: 'one two three', silentAfter: 2 };
    const base = await frameworkStage([paying, isDeploying ? callsOf('deploy') : answer, 'Went on.'], { graceMs: 0 });
    const deaf = deafWork();
    const tools = { pay: toolOf('pay', () => Promise.resolve('paid 1')), deploy: toolOf('deploy', deaf.run) };
    const memory = await memoryOf(where);
    const chat = chatOfAISDK<ModelMessage>();
    const heard = deferred();
    const onPart = (text: unknown): void => {
      if (String(text).includes('two')) heard.resolve();
    };
    const asked = { ...base, tools, memory, stream, readOnly, onPart, prompt: 'pay and deploy' };
    const running = chat.runTurn(base.agent, asked.prompt, (turn) => run(turn as Turn, asked));
    await Promise.race([running, isDeploying ? deaf.started : heard.promise]);
    base.agent.cancel('user');
    const report = await running;
    expect([report.status, rowsOf(report)[0]]).toEqual(['cancelled', 'pay: completed']);
    return { ...base, memory, chat };
  }

  itBare('bare, the next run learns nothing of a call that may still run', async () => {
    const { memory, baseURL, server } = await stopped(true, false);
    await expect.poll(async () => (await memory.stored()).length).toBe(2);
    await next(baseURL, memory);
    expect(JSON.stringify(server.requests.at(-1)?.body['messages'])).not.toContain('may still');
  });

  it.each([true, false])('S45 a thread of a stopped run pays once in the next one; streamed %s', async (stream) => {
    const { memory, chat, baseURL, server } = await stopped(stream, true);
    expect(await memory.stored()).toEqual([]);
    const messages = memory.listed(chat.messages);
    await memory.save(messages);
    const kept = await memory.stored();
    await memory.save(messages);
    expect(await memory.stored()).toEqual(kept);
    expect(await next(baseURL, memory)).toBe('Went on.');
    const sent = JSON.stringify(server.requests.at(-1)?.body['messages']);
    const words = ['pay and deploy', 'Paying.', 'paid 1', 'may still', 'again'];
    expect(words.map((each) => times(sent, each))).toEqual(words.map(() => 1));
  });

  it('S45 an answer that was cut is told as cut', async () => {
    const { memory, chat, baseURL, server } = await stopped(true, true, false);
    await memory.save(memory.listed(chat.messages));
    await next(baseURL, memory);
    const sent = JSON.stringify(server.requests.at(-1)?.body['messages']);
    expect(['paid 1', 'one two', 'was cut off'].map((each) => times(sent, each))).toEqual([1, 1, 1]);
  });

  it('a memory that took a part of a turn and failed takes the same messages again, and has them once', async () => {
    const { memory, chat } = await stopped(false, true);
    const messages = memory.listed(chat.messages);
    await memory.save(messages.slice(0, 1));
    await memory.save(messages);
    expect((await memory.stored()).map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
  });

  it('calls of a server that numbers those of each reply anew are told apart over the turns of a thread', async () => {
    const call = { toolCalls: [{ id: 'call_0', name: 'pay', input: {} }] };
    const { agent, baseURL, server } = await frameworkStage([call, 'Paid.', call, 'Paid.', 'Went on.']);
    const memory = await memoryOf(where);
    let paid = 0;
    const tools = { pay: toolOf('pay', () => Promise.resolve(`paid ${String(++paid)}`)) };
    for (const prompt of ['go', 'once more']) {
      const chat = chatOfAISDK<ModelMessage>(await memory.begun());
      const before = chat.messages.length;
      const asked = { prompt, baseURL, tools, memory, stream: true };
      (await chat.runTurn(agent, prompt, (own) => run(own as Turn, asked))).unwrap();
      await memory.save(memory.listed(chat.messages.slice(before)));
    }
    await next(baseURL, memory);
    const sent = JSON.stringify(server.requests.at(-1)?.body['messages']);
    expect(['paid 1', 'paid 2'].map((each) => times(sent, each))).toEqual([1, 1]);
  });

  const turn = fc.record(cutTurn({ maxSteps: 2, thinks: false }));

  /** Plays turns on one thread, each written by its conversation. */
  async function play(plans: readonly CutTurn[]) {
    let answer: () => ModelReply = () => 'Went on.';
    const { agent, server, baseURL, events } = await frameworkStage(() => answer(), { graceMs: 0 });
    const memory = await memoryOf(where);
    const said: string[] = [];
    let made = 0;
    for (const [at, plan] of plans.entries()) {
      const cut = playCut(
        agent,
        at,
        plan,
        () => `value ${String(++made)};`,
        (place) => ({ id: `call_${String(place)}` }),
      );
      ({ answer } = cut);
      const { passes } = cut;
      const { stream } = plan;
      const { quick, slow, deaf } = cut.tools;
      const tools = { quick: toolOf('quick', quick), slow: toolOf('slow', slow), deaf: toolOf('deaf', deaf) };
      const prompt = `prompt ${String(at)};`;
      const chat = chatOfAISDK<ModelMessage>(await memory.begun());
      const before = chat.messages.length;
      const report = await chat.runTurn(agent, prompt, (own) => {
        passes();
        return run(own as Turn, { prompt, baseURL, tools, memory, stream, onPart: passes });
      });
      expect(report.status === 'failed' ? report.error : undefined).toBeUndefined();
      said.push(prompt, ...report.calls.flatMap((row) => (row.status === 'completed' ? [String(row.value)] : [])));
      const messages = memory.listed(chat.messages.slice(before));
      await memory.save(messages);
      await memory.save(messages);
      const last = Number((await memory.stored()).at(-1)?.createdAt);
      // A thread is in the order of its milliseconds.
      while (Date.now() <= last) await new Promise(setImmediate);
    }
    said.push(
      ...events.flatMap((each) => (each.type === 'interjection-delivered' ? [String(each.interjection.message)] : [])),
    );
    answer = () => 'Went on.';
    expect(await next(baseURL, memory)).toBe('Went on.');
    expect(server.requests.map(({ status }) => status)).toEqual(server.requests.map(() => 200));
    const sent = JSON.stringify(server.requests.at(-1)?.body['messages']);
    expect(said.filter((each) => times(sent, each) !== 1)).toEqual([]);
    await agent.close();
    await server.close();
  }

  it('S45 a thread of turns that were cut anywhere is taken by the next run, with all that was said and done once', async () => {
    const runs = fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 2 }), play);
    await fc.assert(runs, { numRuns: propertyRuns(25) });
  }, 120_000);
});
