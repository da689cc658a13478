/** Frameworks that look at what a tool returns at once, and read it in pieces. */
import { ReadableStream } from 'node:stream/web';

import { createOpenAI } from '@ai-sdk/openai';
import { Agent, TextBlock, tool as strandsTool, ToolResultBlock, type ToolContext } from '@strands-agents/sdk';
import { OpenAIModel } from '@strands-agents/sdk/models/openai';
import { generateText, stepCountIs, tool } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { guardTools, type GuardOptions } from '../../src/guard/index.ts';
import { InterruptController, type Turn } from '../../src/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';

interface Given {
  readonly q: string;
}

async function* search(q: string): AsyncGenerator<string> {
  yield await Promise.resolve('searching');
  yield `${q}: 3 hits`;
}

class Hits {
  readonly #q: string;
  constructor(q: string) {
    this.#q = q;
  }
  [Symbol.asyncIterator](): AsyncGenerator<string> {
    return search(this.#q);
  }
}

/** Serves one call of a tool, and says what the model then reads of it. */
async function told(input: object, run: (url: string) => Promise<unknown>): Promise<unknown> {
  const server = await startModelServer({ script: [{ toolCalls: [{ id: 'a', name: 'search', input }] }, 'done'] });
  try {
    await run(`${server.url}/v1`);
    const next = server.requests[1]?.body as { messages: { content: unknown }[] } | undefined;
    return next?.messages.at(-1)?.content;
  } finally {
    await server.close();
  }
}

it.each<[string, (given: Given) => AsyncIterable<string>, value?: string]>([
  ['a generator function', ({ q }) => search(q), 'x: 3 hits'],
  // A chunk of a stream is no result of the call, whatever the SDK makes of it.
  ['a stream', ({ q }) => ReadableStream.from(search(q))],
  ['an object that can be read', ({ q }) => new Hits(q), 'x: 3 hits'],
])(
  'the pieces that a tool of the AI SDK returns as %s are read by the SDK as without a guard',
  async (_what, execute, value) => {
    const tools = { search: tool({ inputSchema: z.object({ q: z.string() }), execute }) };
    const report = await new InterruptController().runTurn((turn) =>
      told({ q: 'x' }, (baseURL) =>
        generateText({
          model: createOpenAI({ baseURL, apiKey: 'none' }).chat('gpt'),
          prompt: 'go',
          stopWhen: stepCountIs(3),
          tools: guardTools(tools, { turn }),
          abortSignal: turn.signal,
        }),
      ),
    );
    expect(report.unwrap()).toBe('x: 3 hits');
    expect(report.calls).toMatchObject([{ id: 'a', status: 'completed', value, call: { input: { q: 'x' } } }]);
  },
);

const strands = (
  turn: Turn,
  guard: boolean | GuardOptions,
  callback: (given: Given, context?: ToolContext) => unknown,
) =>
  told({ q: 'x' }, (baseURL) => {
    const model = new OpenAIModel({ api: 'chat', apiKey: 'none', clientConfig: { baseURL }, modelId: 'gpt' });
    const inputSchema = z.object({ q: z.string() });
    const tools = [strandsTool({ name: 'search', description: 'd', inputSchema, callback: callback as never })];
    const agent = new Agent({
      model,
      tools: guard === false ? tools : guardTools(tools, { turn, ...(guard === true ? {} : guard) }),
      printer: false,
    });
    return agent.invoke('go', { cancelSignal: turn.signal });
  });

it.each<[string, (given: Given) => unknown, object]>([
  ['completes', ({ q }) => `${q}: 3 hits`, { status: 'completed' }],
  [
    'fails',
    () => Promise.reject(new Error('broken')),
    { status: 'failed', error: expect.objectContaining({ message: 'broken' }) as Error },
  ],
  ['gives pieces', ({ q }) => search(q), { status: 'completed' }],
])(
  'a tool object of Strands that %s is one call, and the model reads what it reads without a guard',
  async (_what, work, row) => {
    const look = (isGuarded: boolean) => new InterruptController().runTurn((turn) => strands(turn, isGuarded, work));
    const [bare, guarded] = [await look(false), await look(true)];
    expect(guarded.unwrap()).toEqual(bare.unwrap());
    expect(guarded.calls).toMatchObject([{ id: 'a', name: 'search', call: { input: { q: 'x' } }, ...row }]);
  },
);

it('a tool object of Strands hears the stop of its one call, and does not hold up that of its turn', async () => {
  const agent = new InterruptController({ graceMs: 10 });
  const hearing = async (_given: Given, context?: ToolContext): Promise<never> =>
    await new Promise((_resolve, reject) => {
      context?.cancelSignal.addEventListener('abort', () => { reject(context.cancelSignal.reason as Error); }); // prettier-ignore
      agent.cancelCall('a');
    });
  const one = await agent.runTurn((turn) => strands(turn, true, hearing));
  expect(one).toMatchObject({ status: 'completed', calls: [{ id: 'a', status: 'stopped' }] });
  const end = deferred();
  const deaf = (): Promise<void> => {
    agent.cancel();
    return end.promise;
  };
  const all = await agent.runTurn((turn) => strands(turn, true, deaf));
  expect(all).toMatchObject({ status: 'cancelled', calls: [{ id: 'a', status: 'unknown' }] });
  end.resolve();
});

const deafCalls = [
  ['has begun', () => new Promise<never>(() => undefined)],
  [
    'has given a piece',
    async function* () {
      yield 'part 1';
      await new Promise<never>(() => undefined);
    },
  ],
] as const;
const ownBlock = (text: string): ToolResultBlock =>
  new ToolResultBlock({ toolUseId: 'a', status: 'error', content: [new TextBlock(text)] });

it.each(deafCalls.flatMap((work) => [undefined, ownBlock].map((toResult) => [...work, toResult] as const)))(
  'a tool object of Strands whose one call %s and is left is answered in the words of the dialect (%o, %o)',
  async (_what, callback, toResult) => {
    const agent = new InterruptController({ graceMs: 10 });
    const dialect = openaiChat;
    const report = await agent.runTurn((turn) =>
      strands(turn, { dialect, ...(toResult && { toResult }) }, () => {
        setImmediate(() => agent.cancelCall('a', 'user'));
        return callback();
      }),
    );
    expect(report.calls).toMatchObject([{ id: 'a', status: 'unknown' }]);
    expect(report.unwrap()).toContain('did not end when it was told to stop');
  },
);
