/**
 * Every way in which people call a model with the real SDKs, in one table, for one installation of them.
 *
 * @module
 */
import type Anthropic from '@anthropic-ai/sdk';
import type { GoogleGenAI } from '@google/genai';
import type { Ollama } from 'ollama';
import type OpenAI from 'openai';

import {
  foldAnthropic,
  foldGemini,
  foldOllama,
  foldOpenAIChat,
  foldOpenAIResponses,
  type ModelReply,
  type StreamFold,
} from '../../src/adapters/llm/index.ts';
import type { Major } from './majors.ts';

/** What carries a stop into a client: a signal, or a `fetch` that injects it. */
export interface Stop {
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
}

export type AnyReply = ModelReply<unknown, unknown>;

/** Where to call, and how stubbornly. */
export interface Target {
  /** The scripted server's address. */
  readonly url: string;
  /** How often the client may call again by itself; never, if nothing is said. */
  readonly retries?: number;
}

/** What a client does wrong by itself, in this version of its SDK: what the adapter is there for. */
export interface Defects {
  /** The loop over a cut stream ends as if the answer were complete. */
  readonly endsNormally: boolean;
  /** Leaving the loop leaves the connection open and the model generating. */
  readonly breakLeavesOpen: boolean;
  /** How long the listener that each call adds stays on the signal. */
  readonly leaks: 'no longer' | 'until collected' | 'for ever';
  /** A cancel in a pause between two attempts is heard when the pause is over. */
  readonly finishesPause: boolean;
}

/** One way of calling a model. */
export interface Client {
  readonly name: string;
  readonly defects: Defects;
  /** Whether the stream is one of the SDK's helpers, which reject by themselves. */
  readonly isHelper: boolean;
  stream(target: Target, stop: Stop): AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>;
  call(target: Target, stop: Stop): PromiseLike<unknown>;
  readonly fold: () => StreamFold<unknown, AnyReply>;
}

/** What somebody without this package would hand to a client. */
export function bareStop(signal: AbortSignal): Stop {
  return { signal, fetch: (input, init) => fetch(input, { ...init, signal }) };
}

const sound: Defects = {
  endsNormally: false,
  breakLeavesOpen: false,
  leaks: 'no longer',
  finishesPause: false,
};

const ask = [{ role: 'user' as const, content: 'Go.' }];
const readTool = { name: 'read', description: 'Reads a file.' };

/** The package behind a client's name. */
const packageOf = { anthropic: '@anthropic-ai/sdk', openai: 'openai', google: '@google/genai', ollama: 'ollama' };

/**
 * Loads the SDKs; call it at the top level of a test file, so that what they open is not taken for the tests'.
 *
 * @param without Packages that this runtime is too old for.
 */
export async function loadClients(
  major: Pick<Major, 'name' | 'load'>,
  without: readonly string[] = [],
): Promise<readonly Client[]> {
  const load = <T>(specifier: string): Promise<T> =>
    without.includes(specifier) ? Promise.resolve({} as T) : major.load<T>(specifier);
  const [anthropicSDK, openaiSDK, googleSDK, ollamaSDK] = await Promise.all([
    load<{ default: typeof Anthropic }>(packageOf.anthropic),
    load<{ default: typeof OpenAI }>(packageOf.openai),
    load<{ GoogleGenAI: typeof GoogleGenAI }>(packageOf.google),
    load<{ Ollama: typeof Ollama }>(packageOf.ollama),
  ]);

  const anthropic = ({ url, retries = 0 }: Target): Anthropic =>
    new anthropicSDK.default({ baseURL: url, apiKey: 'none', maxRetries: retries });
  const openai = ({ url, retries = 0 }: Target): OpenAI =>
    new openaiSDK.default({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: retries });
  const google = ({ url, retries = 0 }: Target): GoogleGenAI['models'] =>
    new googleSDK.GoogleGenAI({
      apiKey: 'none',
      httpOptions: { baseUrl: url, retryOptions: { attempts: retries + 1 } },
    }).models;
  const ollama = ({ url }: Target, fetchImpl: typeof fetch): Ollama =>
    new ollamaSDK.Ollama({ host: url, fetch: fetchImpl });

  const isPrevious = major.name === 'previous';
  const openaiDefects: Defects = { ...sound, finishesPause: isPrevious };
  const openaiCreateDefects: Defects = {
    ...openaiDefects,
    endsNormally: true,
    leaks: isPrevious ? 'for ever' : 'no longer',
  };

  const messages = { model: 'm', max_tokens: 99, messages: ask };
  const messagesTools = [{ ...readTool, input_schema: { type: 'object' as const } }];
  const chat = { model: 'm', messages: ask, tools: [{ type: 'function' as const, function: readTool }] };
  const responses = {
    model: 'm',
    input: 'Go.',
    tools: [{ type: 'function' as const, ...readTool, parameters: null, strict: null }],
  };
  const content = { model: 'm', contents: 'Go.' };

  const all: readonly Client[] = [
    {
      name: 'anthropic create',
      defects: { ...sound, endsNormally: true },
      isHelper: false,
      stream: (to, { signal }) =>
        anthropic(to).messages.create({ ...messages, tools: messagesTools, stream: true }, { signal }),
      call: (to, { signal }) => anthropic(to).messages.create(messages, { signal }),
      fold: foldAnthropic,
    },
    {
      name: 'anthropic stream',
      defects: sound,
      isHelper: true,
      stream: (to, { signal }) => anthropic(to).messages.stream({ ...messages, tools: messagesTools }, { signal }),
      call: (to, { signal }) => anthropic(to).messages.stream(messages, { signal }).finalMessage(),
      fold: foldAnthropic,
    },
    {
      name: 'openai chat create',
      defects: openaiCreateDefects,
      isHelper: false,
      stream: (to, { signal }) => openai(to).chat.completions.create({ ...chat, stream: true }, { signal }),
      call: (to, { signal }) => openai(to).chat.completions.create(chat, { signal }),
      fold: foldOpenAIChat,
    },
    {
      name: 'openai chat stream',
      defects: openaiDefects,
      isHelper: true,
      stream: (to, { signal }) => openai(to).chat.completions.stream(chat, { signal }),
      call: (to, { signal }) => openai(to).chat.completions.stream(chat, { signal }).finalChatCompletion(),
      fold: foldOpenAIChat,
    },
    {
      name: 'openai responses create',
      defects: openaiCreateDefects,
      isHelper: false,
      stream: (to, { signal }) => openai(to).responses.create({ ...responses, stream: true }, { signal }),
      call: (to, { signal }) => openai(to).responses.create(responses, { signal }),
      fold: foldOpenAIResponses,
    },
    {
      name: 'openai responses stream',
      defects: openaiDefects,
      isHelper: true,
      stream: (to, { signal }) => openai(to).responses.stream(responses, { signal }),
      call: (to, { signal }) => openai(to).responses.stream(responses, { signal }).finalResponse(),
      fold: foldOpenAIResponses,
    },
    {
      name: 'google',
      defects: { ...sound, breakLeavesOpen: true, leaks: 'for ever', finishesPause: true },
      isHelper: false,
      stream: (to, { signal }) => google(to).generateContentStream({ ...content, config: { abortSignal: signal } }),
      call: (to, { signal }) => google(to).generateContent({ ...content, config: { abortSignal: signal } }),
      fold: foldGemini,
    },
    {
      name: 'ollama',
      defects: { ...sound, breakLeavesOpen: true, leaks: 'until collected' },
      isHelper: false,
      stream: (to, stop) => ollama(to, stop.fetch).chat({ model: 'm', messages: ask, stream: true }),
      call: (to, stop) => ollama(to, stop.fetch).chat({ model: 'm', messages: ask }),
      fold: foldOllama,
    },
  ];
  return all.filter(({ name }) => {
    const [sdk = ''] = name.split(' ');
    return !without.includes(packageOf[sdk as keyof typeof packageOf]);
  });
}
