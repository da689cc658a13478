/** A reply that failed is an error with what its provider said, wherever that stands. */
import { describe, expect, it } from 'vitest';

import {
  foldAISDK,
  foldAnthropic,
  foldGemini,
  foldOllama,
  foldOpenAIChat,
  foldOpenAIResponses,
  type StreamFold,
} from '../../src/adapters/llm/index.ts';
import { InterruptController } from '../../src/index.ts';
import { Conversation, dialectNamed, type DialectName, type TranscriptDialect } from '../../src/transcript/index.ts';

type Fold = () => StreamFold<never, { readonly isComplete: boolean }>;

const error = { code: 'E', message: 'Why.' };
const chat = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
const item = { type: 'function_call', id: 'f', call_id: 'a', name: 'pay', arguments: '{}', status: 'completed' };

/** A call, the end of its reply, and a failure, as each provider streams them. */
const streams: readonly (readonly [DialectName, Fold, readonly object[], object, object])[] = [
  [
    'anthropic',
    foldAnthropic,
    [
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'pay', input: {} } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    ],
    { type: 'message_stop' },
    { type: 'error', error },
  ],
  [
    'openai-chat',
    foldOpenAIChat,
    [chat({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'pay', arguments: '{}' } }] })],
    chat({}, 'tool_calls'),
    { error },
  ],
  [
    'openai-responses',
    foldOpenAIResponses,
    [{ type: 'response.output_item.done', output_index: 0, item }],
    { type: 'response.completed', response: { id: 'r', status: 'completed', output: [item], error: null } },
    { type: 'error', ...error },
  ],
  [
    'gemini',
    foldGemini,
    [{ candidates: [{ content: { parts: [{ functionCall: { name: 'pay', args: {} } }] } }] }],
    { candidates: [{ finishReason: 'STOP' }] },
    { error },
  ],
  [
    'ollama',
    foldOllama,
    [{ message: { content: '', tool_calls: [{ function: { name: 'pay', arguments: {} } }] } }],
    { message: { content: '' }, done: true, done_reason: 'stop' },
    { error },
  ],
  [
    'ai-sdk',
    foldAISDK,
    [{ type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: {} }],
    { type: 'finish', finishReason: 'tool-calls' },
    { type: 'error', error },
  ],
];

async function play(name: DialectName, reply: unknown) {
  let ran = 0;
  const report = await new Conversation(dialectNamed(name) as TranscriptDialect<object>).runTurn(
    new InterruptController(),
    'Pay.',
    async (turn) => {
      const { calls } = await turn.model(() => reply);
      ran = calls.length;
      await turn.tools(calls, () => 'paid');
    },
  );
  return { status: report.status, ran, error: String((report as { error?: unknown }).error) };
}

describe.each(streams)('of %s', (name, makeFold, events, end, failure) => {
  it.each([
    ['before its end', [...events, failure, end]],
    ['behind its end', [...events, end, failure]],
  ])('streamed, the failure %s', async (_where, all) => {
    const fold = makeFold();
    for (const event of all) fold.add(event as never);
    expect(fold.value).toMatchObject({ isComplete: false, error });
    const said = expect.stringMatching(/^Error: the provider ended the reply: failed: E: Why\.$/) as string;
    expect(await play(name, fold.value)).toEqual({ status: 'failed', ran: 0, error: said });
  });
});

it.each<[DialectName, object, string]>([
  ['openai-chat', { error }, 'E: Why.'],
  ['openai-chat', { id: 'c', choices: [], error }, 'E: Why.'],
  ['anthropic', { type: 'error', error }, 'E: Why.'],
  ['gemini', { error }, 'E: Why.'],
  ['ollama', { error: 'Why.' }, 'Why.'],
  ['openai-responses', { error }, 'E: Why.'],
])('whole, in the place of a reply of %s: %j', async (name, body, words) => {
  expect(await play(name, body)).toEqual({
    ...{ status: 'failed', ran: 0 },
    error: `Error: the provider ended the reply: failed: ${words}`,
  });
});

it('a stream that is handed on is refused before anything of it is read', async () => {
  const item = { role: 'assistant', content: '', tool_calls: [{ id: 'a', name: 'pay', args: {} }] };
  const chat = new Conversation(dialectNamed('langchain'));
  const live = { ...item, [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: 0 }) }) };
  const report = await chat.runTurn(new InterruptController(), 'Pay.', (turn) => turn.model(() => live));
  expect(String((report as { error?: unknown }).error)).toContain('a live stream');
  expect(chat.messages).toHaveLength(1);
});
