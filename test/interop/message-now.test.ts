/**
 * A message at once while an answer comes in pieces that the reader puts together: a tool call, or one JSON object. The
 * reader never makes one of what was cut and of what came next.
 */
import type { LanguageModel } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InterjectedError, readResult, underTurn } from '../../src/adapters/ai-sdk/index.ts';
import * as langchain from '../../src/adapters/langchain/index.ts';
import { delay, type InterruptController, type Turn } from '../../src/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import type { ModelServer } from '../../src/testing/model-server/index.ts';
import { majors } from './majors.ts';
import { frameworkStage, sentTexts } from './stage.ts';
import { chatModelNames, chatModels } from './support/frameworks/langchain-models.ts';
import { chatOfLangChain } from './support/settle-history.ts';

/** Sends the message once so many pieces of the first answer have been sent, and had the time to arrive. */
async function tellAfter({ server, agent }: { server: ModelServer; agent: InterruptController }, pieces: number) {
  await server.waitFor(({ requests }) => requests[0]?.deltasWritten === pieces);
  await delay(undefined, 150);
  agent.interject('use pnpm', { delivery: 'now' });
}

interface Chunk {
  readonly id?: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly name: string; readonly args: unknown }[];
  readonly invalid_tool_calls?: readonly unknown[];
  concat(next: Chunk): Chunk;
}

/** The message that a reader makes of the chunks. */
async function wholeOf(
  chunks: AsyncIterable<unknown>,
  onChunk: (whole: Chunk) => void = () => undefined,
): Promise<Chunk | undefined> {
  let whole: Chunk | undefined;
  for await (const chunk of chunks as AsyncIterable<Chunk>) {
    whole = whole === undefined ? chunk : whole.concat(chunk);
    onChunk(whole);
  }
  return whole;
}

/** Its content, without places and without the ids of calls, which the server counts. */
function blocksOf(message: Chunk | undefined): unknown[] {
  const content = message?.content;
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return (content as readonly Record<string, unknown>[]).map(({ index: _index, id: _id, ...block }) => block);
}

const cutCall = {
  text: 'Let me',
  toolCalls: [{ name: 'note', input: { text: 'deploy with npm' } }],
  chunks: 4,
  silentAfter: 6,
};
const newCall = { toolCalls: [{ name: 'note', input: { text: 'with pnpm' } }], chunks: 3 };
const city = z.object({ city: z.string(), people: z.number() });
const citySchema = { title: 'city', ...z.toJSONSchema(city) };

const langchains = await Promise.all(
  majors.flatMap((major) =>
    chatModelNames.map(async (modelName) => ({
      name: `${modelName} ${major.version('@langchain/core')}`,
      modelName,
      make: (await chatModels(major))[modelName],
      tools: await major.load<typeof import('@langchain/core/tools')>('@langchain/core/tools'),
      prebuilt: await major.load<typeof import('@langchain/langgraph/prebuilt')>('@langchain/langgraph/prebuilt'),
      // The older one of Anthropic answers in calls only; the newest one cannot parse a call that is streamed to it.
      methods: [
        ...(major.name === 'newest' && modelName === 'ChatAnthropic' ? [] : (['functionCalling'] as const)),
        ...(major.name === 'previous' && modelName === 'ChatAnthropic' ? [] : (['jsonSchema'] as const)),
      ],
    })),
  ),
);

describe.each(langchains)('$name', ({ make, modelName, tools, prebuilt, methods }) => {
  const note = tools.tool(({ text }: { text: string }) => Promise.resolve(`noted ${text}`), {
    name: 'note',
    description: 'notes',
    schema: z.object({ text: z.string() }),
  });

  it.each([4, 5, 6])('a cut tool call is not part of the streamed answer; cut after %i pieces', async (pieces) => {
    const stage = await frameworkStage([{ ...cutCall, silentAfter: pieces }, newCall, newCall, 'too many']);
    const { agent, server, baseURL } = stage;
    const said = deferred();
    const running = agent.runTurn(async (turn) => {
      const model = langchain.turnModel(turn, make({ baseURL })).bindTools([note]);
      return await wholeOf(await model.stream('go', { signal: turn.signal }), (whole) => {
        if (JSON.stringify(blocksOf(whole)).includes('Let me')) said.resolve();
      });
    });
    await said.promise;
    await tellAfter(stage, pieces);
    const answer = (await running).unwrap();
    expect(answer?.tool_calls).toMatchObject([{ name: 'note', args: { text: 'with pnpm' } }]);
    expect(answer?.invalid_tool_calls ?? []).toEqual([]);
    expect(server.requests).toHaveLength(2);
    expect(sentTexts(server, 2).filter((text) => text.includes('pnpm'))).toHaveLength(1);
    // The words that were said, then what the second answer alone would have been.
    const alone = await wholeOf(await make({ baseURL }).bindTools([note]).stream('go'));
    expect(blocksOf(answer)).toEqual([{ type: 'text', text: 'Let me' }, ...blocksOf(alone)]);
  });

  if (modelName === 'ChatAnthropic') {
    it('a thought that was signed stays whole, and apart from the next one', async () => {
      const stage = await frameworkStage([
        { thinking: 'use npm', text: 'Let me deploy it', silentAfter: 4 },
        { thinking: 'use pnpm', text: 'With pnpm.' },
      ]);
      const { agent, baseURL } = stage;
      const running = agent.runTurn(async (turn) => {
        const model = langchain.turnModel(turn, make({ baseURL }));
        return await wholeOf(await model.stream('go', { signal: turn.signal }));
      });
      await tellAfter(stage, 4);
      const blocks = blocksOf((await running).unwrap()) as { type: string; thinking?: string; signature?: string }[];
      const thoughts = blocks.filter(({ type }) => type === 'thinking');
      expect(thoughts.map(({ thinking }) => thinking)).toEqual(['use npm', 'use pnpm']);
      expect(new Set(thoughts.map(({ signature }) => signature)).size).toBe(2);
    });
  }

  if (modelName === 'ChatAnthropic') {
    it.each([1, 2, 3])(
      'a thought that was cut before its signature is in no request; cut after %i pieces',
      async (pieces) => {
        const stage = await frameworkStage([
          { thinking: 'use npm to deploy', text: 'Let me deploy it', silentAfter: pieces },
          { thinking: 'use pnpm', text: 'With pnpm.' },
          'Went on.',
          'too many',
        ]);
        const { agent, server, baseURL } = stage;
        const shown: string[] = [];
        const chat = chatOfLangChain();
        const running = chat.runTurn(agent, 'go', async (turn) => {
          const model = langchain.turnModel(turn, make({ baseURL }));
          const prompt = { role: 'user', content: 'go' };
          const answer = await wholeOf(await model.stream([prompt], { signal: turn.signal }));
          shown.push(...blocksOf(answer).map((block) => String((block as { thinking?: unknown }).thinking)));
          const next = [prompt, answer, { role: 'user', content: 'go on' }] as never[];
          await model.invoke(next, { signal: turn.signal });
        });
        await tellAfter(stage, pieces);
        (await running).unwrap();
        // What was shown is not taken back.
        expect(shown[0]).toBe('use npm to deploy'.split(' ').slice(0, pieces).join(' '));
        expect(server.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
        const thoughts = ({ body }: (typeof server.requests)[number]) =>
          (JSON.stringify(body['messages']).match(/"thinking":"[^"]*","signature":"[^"]+"|"thinking":/g) ?? []).length;
        expect(server.requests.map(thoughts)).toEqual([0, 0, 1]);
        expect(JSON.stringify(chat.messages)).not.toContain('use npm');
      },
    );
  }

  // The older major has no such events.
  if ('streamV2' in make({ baseURL: 'http://localhost/v1' })) {
    it.each([4, 5, 6])('a cut tool call is in no event; cut after %i pieces', async (pieces) => {
      const stage = await frameworkStage([{ ...cutCall, silentAfter: pieces }, newCall, 'too many']);
      const { agent, server, baseURL } = stage;
      const running = agent.runTurn(async (turn) => {
        // The types that both majors share do not know of these events.
        const model = langchain.turnModel(turn, make({ baseURL })).bindTools([note]) as unknown as {
          streamEvents(input: string, config: object): AsyncIterable<{ event: string; index: number; content: object }>;
        };
        const blocks: [number, object][] = [];
        for await (const each of model.streamEvents('go', { version: 'v3', signal: turn.signal })) {
          if (each.event === 'content-block-finish') blocks.push([each.index, each.content]);
        }
        return blocks;
      });
      await tellAfter(stage, pieces);
      expect((await running).unwrap()).toMatchObject([
        [0, { type: 'text', text: 'Let me' }],
        [1, { type: 'tool_call', args: { text: 'with pnpm' } }],
      ]);
      expect(server.requests).toHaveLength(2);
    });
  }

  it('words come as they are said, a tool call once it is whole', async () => {
    const stage = await frameworkStage([{ ...cutCall, silentAfter: 6 }]);
    const { agent, server, baseURL } = stage;
    const kinds: string[] = [];
    const running = agent.runTurn(async (turn) => {
      const model = langchain.turnModel(turn, make({ baseURL })).bindTools([note]);
      for await (const part of await model.stream('go', { signal: turn.signal })) {
        const { tool_call_chunks } = part as unknown as { tool_call_chunks?: unknown[] };
        kinds.push((tool_call_chunks?.length ?? 0) > 0 ? 'call' : 'words');
      }
    });
    await server.waitFor(({ requests }) => requests[0]?.deltasWritten === 6);
    await delay(undefined, 40);
    expect(kinds).toContain('words');
    expect(kinds).not.toContain('call');
    agent.cancel('user');
    expect((await running).partials).toMatchObject([{ value: { text: 'Let me' } }]);
  });

  it('a call that the reader has not taken yet is whole: a message waits for the next request', async () => {
    const stage = await frameworkStage([newCall, 'too many']);
    const { agent, server, baseURL } = stage;
    const report = await agent.runTurn(async (turn) => {
      const model = langchain.turnModel(turn, make({ baseURL })).bindTools([note]);
      const chunks = await model.stream('go', { signal: turn.signal });
      const slowly = async function* () {
        for await (const chunk of chunks) {
          yield chunk;
          await delay(undefined, 50);
          if (agent.queued.length === 0) agent.interject('use pnpm', { delivery: 'now' });
        }
      };
      return (await wholeOf(slowly()))?.tool_calls;
    });
    expect(report.unwrap()).toMatchObject([{ args: { text: 'with pnpm' } }]);
    expect(report.undelivered).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
  });

  it('a graph that is streamed runs the new call only, and shows the two answers as two messages', async () => {
    const stage = await frameworkStage([cutCall, newCall, 'All done.', 'too many']);
    const { agent, server, baseURL } = stage;
    const noted: string[] = [];
    const ids = new Set<string | undefined>();
    const running = agent.runTurn(async (turn) => {
      const own = tools.tool(
        ({ text }: { text: string }) => {
          noted.push(text);
          return Promise.resolve('ok');
        },
        { name: 'note', description: 'notes', schema: z.object({ text: z.string() }) },
      );
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one agent that both majors have
      const graph = prebuilt.createReactAgent({
        llm: langchain.turnModel(turn, make({ baseURL })),
        tools: [own],
      });
      const stream = await graph.stream(
        { messages: [{ role: 'user', content: 'go' }] },
        { signal: turn.signal, streamMode: 'messages' },
      );
      for await (const [message] of stream as AsyncIterable<[Chunk & { tool_call_chunks?: unknown[] }]>) {
        if ((message.tool_call_chunks?.length ?? 0) > 0) ids.add(message.id);
      }
    });
    await tellAfter(stage, 6);
    (await running).unwrap();
    expect(noted).toEqual(['with pnpm']);
    expect(ids.size).toBe(2);
    expect(server.requests).toHaveLength(3);
  });

  it.each(methods.flatMap((method) => [city, citySchema].map((schema) => ({ method, schema }))))(
    'withStructuredOutput by $method fails as interjected, and the next call tells and answers',
    async ({ method, schema }) => {
      const isCall = method === 'functionCalling';
      const answers = (input: object) =>
        isCall ? { toolCalls: [{ name: 'city', input }], chunks: 4 } : { text: JSON.stringify(input), chunks: 4 };
      const stage = await frameworkStage([
        { ...answers({ city: 'Berne', people: 1 }), silentAfter: 2 },
        answers({ city: 'Rome', people: 2 }),
        'too many',
      ]);
      const { agent, server, baseURL } = stage;
      const interjected: unknown[] = [];
      const running = agent.runTurn(async (turn) => {
        const model = langchain.turnModel(turn, make({ baseURL }));
        const structured = model.withStructuredOutput(schema, { name: 'city', method });
        for (;;) {
          try {
            let last: unknown;
            for await (const part of await structured.stream('go', { signal: turn.signal })) last = part;
            return last;
          } catch (error) {
            if (!(error instanceof langchain.InterjectedError)) throw error;
            interjected.push(error.reason.kind);
          }
        }
      });
      await tellAfter(stage, 2);
      const report = await running;
      expect(report.unwrap()).toEqual({ city: 'Rome', people: 2 });
      expect(interjected).toEqual(['interjection']);
      expect(report.undelivered).toEqual([]);
      // What was shown of the object, whether the provider calls it text or the arguments of a call.
      const kept = report.partials.map(({ value }) => (value as { text: string }).text);
      expect(kept).toEqual(['{"city":"Bern']);
      expect(server.requests).toHaveLength(2);
      expect(sentTexts(server, 2).filter((text) => text.includes('pnpm'))).toHaveLength(1);
    },
  );

  it('withStructuredOutput that is not caught fails its turn, and the message comes back', async () => {
    const stage = await frameworkStage([
      { toolCalls: [{ name: 'city', input: { city: 'Berne', people: 1 } }], chunks: 4, silentAfter: 2 },
      'too many',
    ]);
    const { agent, server, baseURL } = stage;
    const running = agent.runTurn(async (turn) => {
      const structured = langchain
        .turnModel(turn, make({ baseURL }))
        .withStructuredOutput(citySchema, { name: 'city', method: 'functionCalling' });
      for await (const _part of await structured.stream('go', { signal: turn.signal }));
    });
    await tellAfter(stage, 2);
    const report = await running;
    expect(report).toMatchObject({ status: 'failed', error: { name: 'InterjectedError' } });
    expect(report.undelivered.map(({ message }) => message)).toEqual(['use pnpm']);
    expect(server.requests).toHaveLength(1);
  });

  it('withStructuredOutput that has said nothing yet is asked again in the same stream', async () => {
    const [method] = methods;
    const input = { city: 'Rome', people: 2 };
    const answer =
      method === 'functionCalling' ? { toolCalls: [{ name: 'city', input }] } : { text: JSON.stringify(input) };
    const whole = { ...answer, chunks: 4 };
    const stage = await frameworkStage([{ ...whole, delayMs: 60_000 }, whole, 'too many']);
    const { agent, server, baseURL } = stage;
    const running = agent.runTurn(async (turn) => {
      const structured = langchain
        .turnModel(turn, make({ baseURL }))
        .withStructuredOutput(citySchema, { name: 'city', ...(method === undefined ? {} : { method }) });
      let last: unknown;
      for await (const part of await structured.stream('go', { signal: turn.signal })) last = part;
      return last;
    });
    await server.waitFor(({ requests }) => requests.length === 1);
    agent.interject('use pnpm', { delivery: 'now' });
    expect((await running).unwrap()).toEqual({ city: 'Rome', people: 2 });
    expect(server.requests).toHaveLength(2);
  });
});

const aiSdks = await Promise.all(
  majors.map(async (major) => {
    const openai = await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai');
    return {
      name: `ai ${major.version('ai')}`,
      ai: await major.load<typeof import('ai')>('ai'),
      modelOf: (baseURL: string): LanguageModel => openai.createOpenAI({ baseURL, apiKey: 'none' }).chat('scripted'),
    };
  }),
);

describe.each(aiSdks)('$name', ({ ai, modelOf }) => {
  const objects = {
    'Output.object': () => ai.Output.object({ schema: city }),
    'Output.json': () => ai.Output.json(),
  };
  const cut = { text: JSON.stringify({ city: 'Berne', people: 1 }), chunks: 4, silentAfter: 2 };
  const whole = { text: JSON.stringify({ city: 'Rome', people: 2 }), chunks: 4 };
  const quiet = { maxRetries: 0, onError: () => undefined };

  it.each(Object.entries(objects))(
    '%s fails as interjected, and the next call tells and answers',
    async (_name, output) => {
      const stage = await frameworkStage([cut, whole, 'too many']);
      const { agent, server, baseURL } = stage;
      const partial: unknown[] = [];
      const running = agent.runTurn(async (turn: Turn) => {
        for (;;) {
          try {
            const result = ai.streamText(
              underTurn(turn, { ...quiet, model: modelOf(baseURL), prompt: 'go', output: output() }),
            );
            const shown = (async () => {
              for await (const part of result.partialOutputStream) partial.push(part);
            })().catch(() => undefined);
            await readResult(turn.token, result);
            await shown;
            return await result.output;
          } catch (error) {
            if (!(error instanceof InterjectedError)) throw error;
          }
        }
      });
      await tellAfter(stage, 2);
      const report = await running;
      expect(report.unwrap()).toEqual({ city: 'Rome', people: 2 });
      expect(partial.at(-1)).toEqual({ city: 'Rome', people: 2 });
      expect(report.undelivered).toEqual([]);
      expect(report.partials).toHaveLength(1);
      expect(server.requests).toHaveLength(2);
      expect(sentTexts(server, 2)).toEqual(['user: go', 'user: [PRIORITY USER MESSAGE]: use pnpm']);
    },
  );

  it('streamObject fails as interjected', async () => {
    const stage = await frameworkStage([cut, 'too many']);
    const { agent, server, baseURL } = stage;
    const running = agent.runTurn(async (turn) => {
      const settings = underTurn(turn, { ...quiet, model: modelOf(baseURL), prompt: 'go', schema: city });
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- both majors have it
      const result = ai.streamObject(settings);
      const object = result.object.catch((error: unknown) => error);
      for await (const part of result.fullStream) if (part.type === 'error') throw part.error;
      return await object;
    });
    await tellAfter(stage, 2);
    const report = await running;
    expect(report).toMatchObject({ status: 'failed', error: { name: 'InterjectedError' } });
    expect(report.undelivered).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
  });

  it('a tool call before the object is cut as ever, and the object comes in the same stream', async () => {
    const calls = { toolCalls: [{ name: 'look', input: { text: 'deploy with npm' } }], chunks: 4, silentAfter: 2 };
    const stage = await frameworkStage([calls, whole, 'too many']);
    const { agent, server, baseURL } = stage;
    let looked = 0;
    const look = ai.tool({
      description: 'looks',
      inputSchema: z.object({ text: z.string() }),
      execute: () => Promise.resolve(`looked ${String(++looked)}`),
    });
    const running = agent.runTurn(async (turn) => {
      const result = ai.streamText(
        underTurn(turn, {
          ...quiet,
          model: modelOf(baseURL),
          prompt: 'go',
          tools: { look },
          stopWhen: ai.stepCountIs(3),
          output: ai.Output.object({ schema: city }),
        }),
      );
      await readResult(turn.token, result);
      return await result.output;
    });
    await tellAfter(stage, 2);
    expect((await running).unwrap()).toEqual({ city: 'Rome', people: 2 });
    expect([looked, server.requests.length]).toEqual([0, 2]);
  });
});
