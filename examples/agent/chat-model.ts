/** Two providers behind one small interface: what the agent's loop needs of a model, and nothing else. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { ModelContext } from 'desist';
import { foldAnthropic, foldOpenAIChat, readStream, type ModelReply } from 'desist/llm';
import type { TranscriptCall, TranscriptDialect } from 'desist/transcript';
import { anthropic } from 'desist/transcript/anthropic';
import { openaiChat } from 'desist/transcript/openai-chat';
import type { ToolSpec } from './tools.ts';

/** A tool call, whichever provider it came from. */
export type Call = TranscriptCall;

/** One message of a conversation, in the provider's own shape; only this file looks inside. */
export type Message = Anthropic.MessageParam | OpenAI.ChatCompletionMessageParam;

/** What a request is made of. */
export interface Request {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly onText: (delta: string) => void;
}

export interface ChatModel {
  readonly dialect: TranscriptDialect<Message>;
  /** Reads one reply to its end; a cut keeps what has come through `partial`. */
  read(request: Request, context: Pick<ModelContext, 'token' | 'partial'>): Promise<ModelReply<unknown, unknown>>;
}

export interface ModelAddress {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
}

const system = 'You are a small coding agent. Use the tools to answer; be brief.';

/** Passes each state of a reply on: the whole to the turn, the new text to the screen. */
function progress(request: Request, partial: (value: unknown) => void) {
  let shown = 0;
  return (reply: ModelReply<unknown, unknown>): void => {
    partial(reply);
    if (reply.text.length > shown) request.onText(reply.text.slice(shown));
    shown = reply.text.length;
  };
}

/** The arguments of a call, by their names. */
export function inputOf({ input }: Call): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
}

export function anthropicModel({ baseUrl, apiKey, model }: ModelAddress): ChatModel {
  const client = new Anthropic({ baseURL: baseUrl, apiKey: apiKey ?? 'none', maxRetries: 0 });
  return {
    dialect: anthropic as unknown as TranscriptDialect<Message>,
    read(request, { token, partial }) {
      const body = {
        model,
        max_tokens: 4096,
        system,
        messages: request.messages as Anthropic.MessageParam[],
        tools: request.tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
        stream: true as const,
      };
      return readStream(token, ({ signal }) => client.messages.create(body, { signal }), {
        fold: foldAnthropic,
        onProgress: progress(request, partial),
      });
    },
  };
}

export function openaiModel({ baseUrl, apiKey, model }: ModelAddress): ChatModel {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: apiKey ?? 'none', maxRetries: 0 });
  return {
    dialect: openaiChat,
    read(request, { token, partial }) {
      const body = {
        model,
        messages: [{ role: 'system', content: system }, ...request.messages] as OpenAI.ChatCompletionMessageParam[],
        tools: request.tools.map(({ name, description, schema }) => ({
          type: 'function' as const,
          function: { name, description, parameters: schema },
        })),
        stream: true as const,
      };
      return readStream(token, ({ signal }) => client.chat.completions.create(body, { signal }), {
        fold: foldOpenAIChat,
        onProgress: progress(request, partial),
      });
    },
  };
}
