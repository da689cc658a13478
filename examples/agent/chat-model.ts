/** Two providers behind one small interface: what the agent's loop needs of a model, and nothing else. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { ModelContext } from 'desist';
import { foldAnthropic, foldOpenAIChat, readStream, type ModelReply } from 'desist/llm';
import type { TranscriptDialect } from 'desist/transcript';
import { anthropic } from 'desist/transcript/anthropic';
import { openaiChat } from 'desist/transcript/openai-chat';
import type { ToolSpec } from './tools.ts';

/** A tool call, whichever provider it came from. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One message of a conversation, in the provider's own shape; only this file looks inside. */
export type Message = Anthropic.MessageParam | OpenAI.ChatCompletionMessageParam;

/** What the model said; a message without content must not be sent back. */
export interface Reply {
  readonly message: Message | undefined;
  readonly text: string;
  readonly calls: readonly Call[];
}

/** What a request is made of. */
export interface Request {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly onText: (delta: string) => void;
}

export interface ChatModel {
  readonly dialect: TranscriptDialect<Message>;
  /** Reads one reply to its end; a cut keeps what has come through `partial`. */
  read(request: Request, context: Pick<ModelContext, 'token' | 'partial'>): Promise<Reply>;
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

function inputOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function anthropicModel({ baseUrl, apiKey, model }: ModelAddress): ChatModel {
  const client = new Anthropic({ baseURL: baseUrl, apiKey: apiKey ?? 'none', maxRetries: 0 });
  return {
    dialect: anthropic as unknown as TranscriptDialect<Message>,
    async read(request, { token, partial }) {
      const body = {
        model,
        max_tokens: 4096,
        system,
        messages: request.messages as Anthropic.MessageParam[],
        tools: request.tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
        stream: true as const,
      };
      const reply = await readStream(token, ({ signal }) => client.messages.create(body, { signal }), {
        fold: foldAnthropic,
        onProgress: progress(request, partial),
      });
      return {
        message: reply.message.content.length === 0 ? undefined : reply.message,
        text: reply.text,
        calls: reply.calls.map(({ id, name, input }) => ({ id, name, input: inputOf(input) })),
      };
    },
  };
}

export function openaiModel({ baseUrl, apiKey, model }: ModelAddress): ChatModel {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: apiKey ?? 'none', maxRetries: 0 });
  return {
    dialect: openaiChat,
    async read(request, { token, partial }) {
      const body = {
        model,
        messages: [{ role: 'system', content: system }, ...request.messages] as OpenAI.ChatCompletionMessageParam[],
        tools: request.tools.map(({ name, description, schema }) => ({
          type: 'function' as const,
          function: { name, description, parameters: schema },
        })),
        stream: true as const,
      };
      const reply = await readStream(token, ({ signal }) => client.chat.completions.create(body, { signal }), {
        fold: foldOpenAIChat,
        onProgress: progress(request, partial),
      });
      const { content, tool_calls: calls } = reply.message;
      return {
        message: content === null && calls === undefined ? undefined : reply.message,
        text: reply.text,
        calls: reply.calls.map((call) => ({
          id: call.id,
          name: call.function.name,
          input: inputOf(JSON.parse(call.function.arguments === '' ? '{}' : call.function.arguments)),
        })),
      };
    },
  };
}
