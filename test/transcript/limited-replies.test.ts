/** A reply that reached its limit inside a call is no answer: the loop goes on, and the model is told why nothing ran. */
import { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';

import {
  foldAISDK,
  foldAnthropic,
  foldGemini,
  foldOpenAIChat,
  foldOpenAIResponses,
} from '../../src/adapters/llm/index.ts';
import { InterruptController } from '../../src/index.ts';
import { aiSDK } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { gemini } from '../../src/transcript/dialects/gemini/index.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';
import { ollama } from '../../src/transcript/dialects/ollama/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';
import { checkTranscript, Conversation, messageWriter, type TranscriptDialect } from '../../src/transcript/index.ts';

type AnyDialect = TranscriptDialect<object, unknown>;

function folded(fold: { add(event: never): void; readonly value: unknown }, events: readonly object[]): unknown {
  for (const event of events) fold.add(event as never);
  return fold.value;
}

const half = '{"te';
const use = { type: 'tool_use', id: 'a', name: 'write', input: {} };
const call = { id: 'a', type: 'function', function: { name: 'write', arguments: half } };
const item = { type: 'function_call', id: 'fc', call_id: 'a', name: 'write', arguments: half, status: 'incomplete' };
const agentsItem = { type: 'function_call', callId: 'a', name: 'write', arguments: half, status: 'incomplete' };
const thought = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'e' };
const words = { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'I write.' }] };
const response = {
  ...{ id: 'r', object: 'response', status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
  output: [thought, words, item],
};
const choice = (message: object, finish_reason: string) => ({
  choices: [{ index: 0, finish_reason, message: { role: 'assistant', ...message } }],
});

const replies: readonly [string, TranscriptDialect<never, unknown>, unknown][] = [
  [
    'Anthropic’s',
    anthropic,
    { role: 'assistant', stop_reason: 'max_tokens', content: [{ type: 'text', text: 'I write.' }, use] },
  ],
  [
    'Anthropic’s, as a stream',
    anthropic,
    folded(foldAnthropic(), [
      { type: 'message_start', message: { role: 'assistant', content: [], usage: {} } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'I write.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: use },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: half } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: {} },
      { type: 'message_stop' },
    ]),
  ],
  ['Chat’s', openaiChat, choice({ content: 'I write.', tool_calls: [call] }, 'length')],
  [
    'Chat’s, as a stream',
    openaiChat,
    folded(foldOpenAIChat(), [
      { choices: [{ index: 0, delta: { role: 'assistant', content: 'I write.' } }] },
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] },
    ]),
  ],
  ['a response', openaiResponses, response],
  [
    'a response, as a stream',
    openaiResponses,
    folded(foldOpenAIResponses(), [
      ...response.output.map((one, output_index) => ({ type: 'response.output_item.done', output_index, item: one })),
      { type: 'response.incomplete', response },
    ]),
  ],
  ['an answer of OpenAI Agents', openaiAgents, { output: [words, agentsItem], usage: {} }],
  [
    'Gemini’s, as a stream',
    gemini,
    folded(
      foldGemini(),
      [[{ text: 'I write.' }], [{ functionCall: { name: 'write', partialArgs: [], willContinue: true } }], []].map(
        (parts, i) => ({
          candidates: [{ content: { role: 'model', parts }, ...(i === 2 && { finishReason: 'MAX_TOKENS' }) }],
        }),
      ),
    ),
  ],
  [
    'Ollama’s, from a server that has calls as texts',
    ollama,
    { message: { role: 'assistant', content: 'I write.', tool_calls: [call] }, done: true, done_reason: 'length' },
  ],
  [
    'the AI SDK’s, as a stream',
    aiSDK,
    folded(foldAISDK(), [
      { type: 'start-step' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', text: 'I write.' },
      { type: 'text-end', id: 't' },
      { type: 'tool-input-start', id: 'a', toolName: 'write' },
      { type: 'tool-input-delta', id: 'a', delta: half },
      { type: 'finish-step', finishReason: 'length' },
      { type: 'finish', finishReason: 'length' },
    ]),
  ],
  [
    'the AI SDK’s, as a message',
    aiSDK,
    {
      finishReason: 'length',
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I write.' },
            { type: 'tool-call', toolCallId: 'a', toolName: 'write', input: half },
          ],
        },
      ],
    },
  ],
  [
    'LangChain’s, as a stream that it reads leniently',
    langchain,
    new AIMessageChunk({
      content: 'I write.',
      tool_call_chunks: [{ type: 'tool_call_chunk', id: 'a', name: 'write', args: half, index: 0 }],
      response_metadata: { stop_reason: 'max_tokens' },
    }),
  ],
  [
    'LangChain’s, that it could not read',
    langchain,
    new AIMessage({
      content: 'I write.',
      invalid_tool_calls: [{ type: 'invalid_tool_call', id: 'a', name: 'write', args: half, error: 'no JSON' }],
      response_metadata: { finish_reason: 'length' },
    }),
  ],
];

describe.each(replies)('a reply that reached its limit inside a call: %s', (_whose, given, value) => {
  const dialect = given as AnyDialect;

  it('is not the last one, keeps its words, and says that the call was not started', async () => {
    const chat = new Conversation(dialect);
    const report = await chat.runTurn(new InterruptController(), 'Write.', async (turn) => {
      const { calls, isLast } = await turn.model(() => value);
      return { count: calls.length, isLast };
    });
    expect(report.unwrap()).toEqual({ count: 0, isLast: false });
    const told = JSON.stringify(chat.messages);
    expect(told).toContain('I write.');
    expect(told).toContain('not started, so nothing happened: the reply reached its limit inside it.');
    expect(told).not.toContain('interrupted');
    expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
  });

  it('fails the turn where the next one is such a one as well, and is kept', async () => {
    const chat = new Conversation(dialect);
    const whole =
      given === gemini ? { role: 'model', parts: [{ text: 'Hm.' }] } : { role: 'assistant', content: 'Hm.' };
    const asked: unknown[] = [];
    const play = (script: readonly unknown[]) =>
      chat.runTurn(new InterruptController(), 'Write.', async (turn) => {
        for (const one of script) await turn.model(() => (asked.push(one), one));
      });
    expect((await play([value, whole, value])).status).toBe('completed');
    const report = await play([value, value, value]);
    expect(report).toMatchObject({ status: 'failed', error: { name: 'RangeError' } });
    expect(String((report as { readonly error?: unknown }).error)).toContain('twice in a row: raise max_tokens');
    expect(asked).toHaveLength(5);
    expect(JSON.stringify(chat.messages).split('its limit inside it').length - 1).toBe(4);
    expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
  });

  it('is told in the words of the caller', async () => {
    const wording = { unknown: { 'over-limit': 'Too long. Write less.' } };
    const chat = new Conversation(dialect, { wording });
    await chat.runTurn(new InterruptController(), 'Write.', (turn) => turn.model(() => value));
    expect(JSON.stringify(chat.messages)).toContain('Too long. Write less.');
    expect(JSON.stringify(chat.messages)).not.toContain('limit');
  });

  it('is written as the conversation has it', () => {
    const chat = new Conversation(dialect);
    chat.push('Write.');
    const list = [...chat.messages, ...messageWriter(dialect).reply(value)];
    expect(checkTranscript(list, { dialect })).toEqual([]);
    expect(JSON.stringify(list)).toContain('the reply reached its limit');
  });
});

it('a call whose arguments are not whole is given as it came', () => {
  const chunk = { type: 'tool_call_chunk', id: 'a', name: 'write', args: half, index: 0 } as const;
  expect(langchain.calls(new AIMessageChunk({ content: '', tool_call_chunks: [chunk] }))).toMatchObject([
    { input: half },
  ]);
  const message = { role: 'assistant', content: '', tool_calls: [{ function: { name: 'write', arguments: half } }] };
  expect(ollama.calls(message)).toMatchObject([{ input: half }]);
});

describe('a writer of messages', () => {
  it.each<[string, TranscriptDialect<never, unknown>, unknown]>([
    [
      'thoughts alone',
      anthropic,
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'h', signature: 's' }], stop_reason: 'max_tokens' },
    ],
    ['no calls', openaiChat, choice({ content: 'x', tool_calls: [] }, 'stop')],
    ['reasoning alone', openaiResponses, { ...response, output: [thought] }],
  ])('gives what can be sent of a whole reply with %s', (_what, given, value) => {
    const dialect = given as AnyDialect;
    const list = [
      { role: 'user', content: 'Go.' },
      ...messageWriter(dialect).reply(value),
      { role: 'user', content: 'So?' },
    ];
    expect(checkTranscript(list, { dialect })).toEqual([]);
  });

  it('gives a call without arguments some', () => {
    const none = { ...call, function: { name: 'read', arguments: '' } };
    const [reply] = messageWriter(openaiChat).reply(choice({ content: null, tool_calls: [none] }, 'tool_calls'));
    expect(reply).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] });
  });
});
