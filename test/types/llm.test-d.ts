import type Anthropic from '@anthropic-ai/sdk';
import type { GenerateContentResponse, GoogleGenAI } from '@google/genai';
import { Ollama, type ChatResponse, type Message } from 'ollama';
import type { ModelMessage, TextStreamPart, ToolSet } from 'ai';
import type OpenAI from 'openai';
import { expectTypeOf, it } from 'vitest';

import {
  cancellableCall,
  cancellableStream,
  foldAISDK,
  foldAnthropic,
  foldGemini,
  foldOllama,
  foldOpenAIChat,
  foldOpenAIResponses,
  readStream,
  type AISDKReply,
  type AnthropicReply,
  type CancellableStream,
  type GeminiReply,
  type OllamaReply,
  type OpenAIChatReply,
  type OpenAIResponsesReply,
  type StreamFold,
} from '../../src/adapters/llm/index.ts';

declare const anthropic: Anthropic;
declare const openai: OpenAI;
declare const google: GoogleGenAI;
declare const parts: AsyncIterable<TextStreamPart<ToolSet>>;
const ask = [{ role: 'user' as const, content: 'Go.' }];

it('the events are those of the SDK, however the stream was opened', () => {
  const created = cancellableStream(undefined, ({ signal }) =>
    anthropic.messages.create({ model: 'm', max_tokens: 1, messages: ask, stream: true }, { signal }),
  );
  expectTypeOf(created).toEqualTypeOf<CancellableStream<Anthropic.RawMessageStreamEvent>>();
  const helped = cancellableStream(undefined, ({ signal }) =>
    openai.chat.completions.stream({ model: 'm', messages: ask }, { signal }),
  );
  expectTypeOf(helped).toEqualTypeOf<CancellableStream<OpenAI.ChatCompletionChunk>>();
  expectTypeOf(created.partial).toEqualTypeOf<undefined>();
  const responses = cancellableStream(undefined, ({ signal }) =>
    openai.responses.create({ model: 'm', input: 'Go.', stream: true }, { signal }),
  );
  expectTypeOf(responses).toEqualTypeOf<CancellableStream<OpenAI.Responses.ResponseStreamEvent>>();
  const generated = cancellableStream(undefined, ({ signal }) =>
    google.models.generateContentStream({ model: 'm', contents: 'Go.', config: { abortSignal: signal } }),
  );
  expectTypeOf(generated).toEqualTypeOf<CancellableStream<GenerateContentResponse>>();
  const chatted = cancellableStream(undefined, ({ fetch }) =>
    new Ollama({ fetch }).chat({ model: 'm', messages: ask, stream: true }),
  );
  expectTypeOf(chatted).toEqualTypeOf<CancellableStream<ChatResponse>>();
});

it('a call gives what the SDK answers', () => {
  const message = cancellableCall(undefined, ({ signal }) =>
    anthropic.messages.create({ model: 'm', max_tokens: 1, messages: ask }, { signal }),
  );
  expectTypeOf(message).toExtend<Promise<Anthropic.Message>>();
  const response = cancellableCall(null, ({ signal }) =>
    openai.responses.create({ model: 'm', input: 'Go.' }, { signal }),
  );
  expectTypeOf(response).toExtend<Promise<OpenAI.Responses.Response>>();
  const chat = cancellableCall(undefined, ({ fetch }) => new Ollama({ fetch }).chat({ model: 'm', messages: ask }));
  expectTypeOf(chat).toEqualTypeOf<Promise<ChatResponse>>();
  // @ts-expect-error no options of a stream
  void cancellableCall(undefined, () => 1, { idleMs: 5 });
});

it('a fold fits the SDK’s events and says what comes out', () => {
  const anthropicReply = readStream(
    undefined,
    ({ signal }) => anthropic.messages.stream({ model: 'm', max_tokens: 1, messages: ask }, { signal }),
    {
      fold: foldAnthropic,
      onProgress: (reply, event) => {
        expectTypeOf(reply).toEqualTypeOf<AnthropicReply>();
        expectTypeOf(event.type).toExtend<string>();
      },
    },
  );
  expectTypeOf(anthropicReply).toEqualTypeOf<Promise<AnthropicReply>>();
  const openaiReply = readStream(
    undefined,
    ({ signal }) => openai.chat.completions.create({ model: 'm', messages: ask, stream: true }, { signal }),
    { fold: foldOpenAIChat },
  );
  expectTypeOf(openaiReply).toEqualTypeOf<Promise<OpenAIChatReply>>();
  const ollamaReply = readStream(
    undefined,
    ({ fetch }) => new Ollama({ fetch }).chat({ model: 'm', messages: ask, stream: true }),
    { fold: foldOllama },
  );
  expectTypeOf(ollamaReply).toEqualTypeOf<Promise<OllamaReply>>();
});

it('a reply’s message can go back to the SDK as it is', () => {
  expectTypeOf<AnthropicReply['message']>().toExtend<Anthropic.MessageParam>();
  expectTypeOf<OpenAIChatReply['message']>().toExtend<OpenAI.ChatCompletionMessageParam>();
  expectTypeOf<OllamaReply['message']>().toExtend<Message>();
});

it('the AI SDK’s parts fold into its messages', () => {
  const stream = cancellableStream(undefined, () => parts, { fold: foldAISDK });
  expectTypeOf(stream.partial).toEqualTypeOf<AISDKReply>();
  expectTypeOf<AISDKReply['message']>().toExtend<ModelMessage>();
});

it('a fold of one’s own types the partial value', () => {
  const count = (): StreamFold<string, number> => ({ add: () => undefined, value: 0 });
  async function* words(): AsyncGenerator<string> {
    yield await Promise.resolve('a');
  }
  const stream = cancellableStream(null, () => words(), {
    fold: count,
    onCut: (partial) => {
      expectTypeOf(partial).toEqualTypeOf<number>();
    },
  });
  expectTypeOf(stream.partial).toEqualTypeOf<number>();
  // @ts-expect-error a fold is required: without one there is nothing to return
  void readStream(undefined, () => words(), {});
  // @ts-expect-error not a stream
  cancellableStream(undefined, () => 'text');
});

it('a fold leaves the SDK’s own event types as they are, of every provider', () => {
  const messages = cancellableStream(
    undefined,
    ({ signal }) => anthropic.messages.create({ model: 'm', max_tokens: 1, messages: ask, stream: true }, { signal }),
    { fold: foldAnthropic },
  );
  expectTypeOf(messages).toEqualTypeOf<CancellableStream<Anthropic.RawMessageStreamEvent, AnthropicReply>>();
  const chunks = cancellableStream(
    undefined,
    ({ signal }) => openai.chat.completions.create({ model: 'm', messages: ask, stream: true }, { signal }),
    { fold: foldOpenAIChat, onCut: (partial) => expectTypeOf(partial).toEqualTypeOf<OpenAIChatReply>() },
  );
  expectTypeOf(chunks).toEqualTypeOf<CancellableStream<OpenAI.ChatCompletionChunk, OpenAIChatReply>>();
  const responses = cancellableStream(
    undefined,
    ({ signal }) => openai.responses.create({ model: 'm', input: 'Go.', stream: true }, { signal }),
    { fold: foldOpenAIResponses },
  );
  expectTypeOf(responses).toEqualTypeOf<
    CancellableStream<OpenAI.Responses.ResponseStreamEvent, OpenAIResponsesReply>
  >();
  const generated = cancellableStream(
    undefined,
    ({ signal }) =>
      google.models.generateContentStream({ model: 'm', contents: 'Go.', config: { abortSignal: signal } }),
    { fold: foldGemini },
  );
  expectTypeOf(generated).toEqualTypeOf<CancellableStream<GenerateContentResponse, GeminiReply>>();
  void readStream(
    undefined,
    ({ signal }) => openai.responses.create({ model: 'm', input: 'Go.', stream: true }, { signal }),
    {
      fold: foldOpenAIResponses,
      onProgress: (_reply, event) => {
        expectTypeOf(event).toEqualTypeOf<OpenAI.Responses.ResponseStreamEvent>();
      },
    },
  );
});
