/**
 * Stop in the middle of an answer. The bare SDK's loop ends as if the answer were complete; read through `desist/llm` it
 * is a cancel, with what had come so far and an honest count of tokens.
 */
import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import { AIMessageChunk } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { streamText } from 'ai';
import { CancellationTokenSource } from 'desist';
import { cancellableCall, cancellableStream, describeUsage, foldAISDK, foldAnthropic, readStream } from 'desist/llm';
import type { AISDKReply, AnthropicReply } from 'desist/llm';
import { startModelServer } from 'desist/testing';

const answer = { text: 'The build fails because the tests were never run.', chunkMs: 20 };
const server = await startModelServer({
  script: [
    answer,
    answer,
    { text: 'Done.', toolCalls: [{ name: 'test', input: {} }] },
    { status: 529, headers: { 'retry-after': '30' } },
    answer,
    answer,
  ],
});
const client = new Anthropic({ baseURL: server.url, apiKey: 'none' });
const params = { model: 'scripted', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Why?' }] };

// Bare: the loop just ends.
const controller = new AbortController();
let bare = '';
for await (const event of await client.messages.create({ ...params, stream: true }, { signal: controller.signal })) {
  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') bare += event.delta.text;
  if (bare === 'The build fails') controller.abort();
}
console.log('bare loop ended normally:', bare);

// Under a token: a cancel, and the partial reply is kept.
const stop = new CancellationTokenSource();
let reply: AnthropicReply | undefined;
const reading = readStream(
  stop.token,
  ({ signal }) => client.messages.create({ ...params, stream: true }, { signal }),
  {
    fold: foldAnthropic,
    onProgress: (value) => {
      reply = value;
      if (value.text === 'The build fails') stop.cancel('user');
    },
  },
);
await reading.catch((error: unknown) => {
  console.log('cut:', error instanceof Error && `${error.name}, ${error.message}`);
});
console.log('partial:', reply?.message.content, 'complete:', reply?.isComplete);
console.log('usage:', reply && describeUsage(reply.usage));

// Not cut: the whole reply, with its calls.
const whole = await readStream(undefined, ({ signal }) => client.messages.stream(params, { signal }), {
  fold: foldAnthropic,
});
console.log(
  'whole:',
  whole.text,
  whole.calls.map((call) => call.name),
  describeUsage(whole.usage),
);

// A whole answer, stopped while the client waits half a minute before it tries again.
const person = new CancellationTokenSource();
const asking = cancellableCall(person.token, ({ signal }) => client.messages.create(params, { signal }));
await server.waitFor(({ requests }) => requests[3]?.finishedAt);
person.cancel('user');
await asking.catch((error: unknown) => {
  console.log('left the pause:', error instanceof Error && error.message);
});

// The AI SDK's stream and LangChain's, cut as well: what had come is there, as each of them writes messages.
const aiStop = new CancellationTokenSource();
let step: AISDKReply | undefined;
const aiModel = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' }).chat('scripted');
await readStream(
  aiStop.token,
  ({ signal }) => streamText({ model: aiModel, prompt: 'Why?', abortSignal: signal }).stream,
  {
    fold: foldAISDK,
    onProgress: (value) => {
      step = value;
      if (value.text === 'The build fails') aiStop.cancel('user');
    },
  },
).catch(() => undefined);
console.log('ai-sdk:', step?.message.content, 'complete:', step?.isComplete);

const chainStop = new CancellationTokenSource();
const chainModel = new ChatOpenAI({
  model: 'scripted',
  apiKey: 'none',
  configuration: { baseURL: `${server.url}/v1` },
});
let chunk = new AIMessageChunk('');
try {
  for await (const next of cancellableStream(chainStop.token, ({ signal }) => chainModel.stream('Why?', { signal }))) {
    chunk = chunk.concat(next);
    if (chunk.text === 'The build fails') chainStop.cancel('user');
  }
} catch (error) {
  console.log('langchain:', chunk.text, '–', error instanceof Error && error.name);
}
await server.close();

// Output:
// bare loop ended normally: The build fails
// cut: AbortError, User cancelled
// partial: [ { type: 'text', text: 'The build fails' } ] complete: false
// usage: unknown, at least 10 input and 3 output tokens
// whole: Done. [ 'test' ] 10 input and 2 output tokens
// left the pause: User cancelled
// ai-sdk: [ { type: 'text', text: 'The build fails' } ] complete: false
// langchain: The build fails – AbortError
