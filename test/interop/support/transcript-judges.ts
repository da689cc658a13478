/**
 * Every real SDK that can build a request of a transcript, as a judge of it.
 *
 * @module
 */
import type { Major } from '../majors.ts';

/** Where the SDKs come from, and where they send to. */
interface Stand {
  readonly major: Major;
  readonly url: () => string;
}

/** The real SDK that builds the request of a transcript and one more prompt, and what came back. */
export interface Judge {
  readonly name: string;
  readonly of: string;
  /** Whether it can be sent replies that follow each other with their results below; by default it can. */
  readonly takesRuns?: boolean;
  /** Whether it can be sent a tool's name that no provider takes; by default it can. */
  readonly takesNames?: boolean;
  send(messages: readonly object[]): Promise<unknown>;
}

const keys = { apiKey: 'none', maxRetries: 0 };
const next = 'What now?';
const ask = { role: 'user', content: next };
const toolNames = ['read', 'list', 'fs_read', '9_lives', 'pay', 'x'];

async function providers({ major, url }: Stand): Promise<readonly Judge[]> {
  const Anthropic = await major.load<typeof import('@anthropic-ai/sdk')>('@anthropic-ai/sdk');
  const openai = await major.load<typeof import('openai')>('openai');
  const genai = await major.load<typeof import('@google/genai')>('@google/genai');
  const ollama = await major.load<typeof import('ollama')>('ollama');
  const client = () => new openai.OpenAI({ ...keys, baseURL: `${url()}/v1` });
  const google = () => new genai.GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: url() } });
  return [
    {
      name: '@anthropic-ai/sdk',
      of: 'anthropic',
      async send(messages) {
        const { content } = await new Anthropic.Anthropic({ ...keys, baseURL: url() }).messages.create({
          model: 'm',
          max_tokens: 9,
          messages: [...messages, ask] as never,
        });
        return content[0]?.type === 'text' && content[0].text;
      },
    },
    {
      name: 'openai, chat completions',
      of: 'openai-chat',
      async send(messages) {
        const body = { model: 'm', messages: [...messages, ask] as never };
        return (await client().chat.completions.create(body)).choices[0]?.message.content;
      },
    },
    {
      name: 'openai, responses',
      of: 'openai-responses',
      async send(messages) {
        return (await client().responses.create({ model: 'm', input: [...messages, ask] as never })).output_text;
      },
    },
    {
      name: '@google/genai, contents',
      of: 'gemini',
      async send(messages) {
        // A prompt behind results is a turn of its own.
        const contents = [...messages, { role: 'user', parts: [{ text: next }] }];
        return (await google().models.generateContent({ model: 'gemini-2.5', contents: contents })).text;
      },
    },
    {
      name: '@google/genai, chats',
      of: 'gemini',
      async send(messages) {
        const chat = google().chats.create({ model: 'gemini-2.5', history: messages as never });
        return (await chat.sendMessage({ message: next })).text;
      },
    },
    {
      name: 'ollama',
      of: 'ollama',
      async send(messages) {
        const body = { model: 'm', messages: [...messages, ask] as never };
        return (await new ollama.Ollama({ host: url() }).chat(body)).message.content;
      },
    },
  ];
}

async function aiSDKs({ major, url }: Stand): Promise<readonly Judge[]> {
  const ai = await major.load<typeof import('ai')>('ai');
  const { createOpenAI } = await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai');
  const openai = () => createOpenAI({ apiKey: 'none', baseURL: `${url()}/v1` });
  const models: [string, () => unknown][] = [
    ['openai, chat', () => openai().chat('m')],
    ['openai, responses', () => openai().responses('m')],
  ];
  if (major.name === 'newest') {
    const { createAnthropic } = await major.load<typeof import('@ai-sdk/anthropic')>('@ai-sdk/anthropic');
    const compatible = await major.load<typeof import('@ai-sdk/openai-compatible')>('@ai-sdk/openai-compatible');
    models.push(
      ['anthropic', () => createAnthropic({ apiKey: 'none', baseURL: `${url()}/v1` })('m')],
      ['openai-compatible', () => compatible.createOpenAICompatible({ name: 'own', baseURL: `${url()}/v1` })('m')],
    );
  }
  const inputSchema = ai.jsonSchema({ type: 'object' });
  const tool = ai.tool({ inputSchema, execute: () => Promise.resolve('done') });
  const tools = Object.fromEntries(toolNames.map((name) => [name, tool]));
  return models.flatMap(([provider, modelOf]) => {
    const send = async (messages: readonly object[]) => {
      const options = {
        model: modelOf() as never,
        maxOutputTokens: 9,
        tools,
        messages: [...messages, ask] as never,
        maxRetries: 0,
      };
      return (await ai.generateText(options)).text;
    };
    return [
      { name: `ai, model messages to ${provider}`, of: 'ai-sdk', send },
      {
        name: `ai, a chat to ${provider}`,
        of: 'ai-sdk-ui',
        // They are the types by which a page knows its tools, and stay.
        takesNames: false,
        async send(messages: readonly object[]) {
          const valid = await ai.validateUIMessages({ messages });
          return send(await ai.convertToModelMessages(valid));
        },
      },
    ];
  });
}

async function langChains({ major, url }: Stand): Promise<readonly Judge[]> {
  const { ChatOpenAI } = await major.load<typeof import('@langchain/openai')>('@langchain/openai');
  const { ChatAnthropic } = await major.load<typeof import('@langchain/anthropic')>('@langchain/anthropic');
  const configuration = () => ({ baseURL: `${url()}/v1` });
  const models: [string, () => { invoke(input: never): Promise<{ text: string }> }][] = [
    [
      'ChatOpenAI',
      () => new ChatOpenAI({ model: 'm', ...keys, configuration: configuration(), useResponsesApi: false }),
    ],
    [
      'ChatOpenAI, responses',
      () => new ChatOpenAI({ model: 'm', ...keys, configuration: configuration(), useResponsesApi: true }),
    ],
    ['ChatAnthropic', () => new ChatAnthropic({ model: 'm', ...keys, anthropicApiUrl: url() })],
  ];
  return models.map(([name, modelOf]) => ({
    name,
    of: 'langchain',
    send: async (messages) => (await modelOf().invoke([...messages, next] as never)).text,
  }));
}

async function agentSDKs({ major, url }: Stand): Promise<readonly Judge[]> {
  const sdk = await major.load<typeof import('@openai/agents')>('@openai/agents');
  const openai = await major.load<typeof import('openai')>('openai');
  sdk.setTracingDisabled(true);
  const client = () => new openai.OpenAI({ ...keys, baseURL: `${url()}/v1` }) as never;
  const models: [string, () => import('@openai/agents').Model][] = [
    ['responses', () => new sdk.OpenAIResponsesModel(client(), 'm')],
    ['chat completions', () => new sdk.OpenAIChatCompletionsModel(client(), 'm')],
  ];
  return models.map(([name, modelOf]) => ({
    name: `@openai/agents, ${name}`,
    of: 'openai-agents',
    // Its converter makes messages of their own of them, between the calls of the first and their results.
    takesRuns: name === 'responses',
    async send(messages) {
      const agent = new sdk.Agent({ name: 'worker', model: modelOf() });
      return (await sdk.run(agent, [...messages, ask] as never)).finalOutput;
    },
  }));
}

/**
 * The judges of one installation.
 *
 * @param url Of the server, asked when something is sent.
 */
export async function judgesOf(major: Major, url: () => string): Promise<readonly Judge[]> {
  const makers = [providers, aiSDKs, langChains, agentSDKs];
  const judges = await Promise.all(makers.map((make) => make({ major, url })));
  return judges.flat().map((judge) => ({ ...judge, name: `${major.name} ${judge.name}` }));
}
