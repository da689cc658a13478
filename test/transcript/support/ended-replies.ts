/**
 * Replies of every dialect that ended in every way inside a call, behind a whole one, or behind one alone: as they came,
 * and as the folds have them.
 *
 * @module
 */
import { AIMessage, AIMessageChunk } from '@langchain/core/messages';

import {
  foldAISDK,
  foldAnthropic,
  foldGemini,
  foldOllama,
  foldOpenAIChat,
  foldOpenAIResponses,
} from '../../../src/adapters/llm/index.ts';
import type { DialectName } from '../../../src/transcript/index.ts';

/** The calls of a reply: `read` is whole, `write` is half. */
export type Calls = readonly ('read' | 'write')[];

/** One way in which a dialect has a reply. */
export interface EndedReplies {
  readonly dialect: DialectName;
  readonly way: string;
  /** The provider's words for each end that it has. */
  readonly words: Readonly<Partial<Record<'limit' | 'refused' | 'failed', string>>>;
  /** `n` tells replies of one conversation apart. */
  readonly reply: (word: string, calls: Calls, n: number) => unknown;
}

const json = { read: '{"path":"a"}', write: '{"pa' } as const;

function folded(fold: { add(event: never): void; readonly value: unknown }, events: readonly object[]): unknown {
  for (const event of events) fold.add(event as never);
  return fold.value;
}

const inChat = (calls: Calls, n: number) =>
  calls.map((name, index) => ({
    ...{ index, id: `${name}${String(n)}`, type: 'function' },
    function: { name, arguments: json[name] },
  }));
const chatWords = { limit: 'length', refused: 'content_filter', failed: 'error' };
const error = { code: 'server_error', message: 'It broke.' };
const errorOf = (word: string) => (word === 'error' || word === 'failed' ? { error } : {});

const itemsOf = (calls: Calls, n: number, id: string, status?: string) =>
  calls.map((name) => ({
    ...{
      type: 'function_call',
      id: `fc_${name}${String(n)}`,
      [id]: `${name}${String(n)}`,
      name,
      arguments: json[name],
    },
    ...(status !== undefined && { status }),
  }));
const response = (word: string, calls: Calls, n: number, status?: string) => ({
  ...{ id: `r${String(n)}`, object: 'response', status: word === 'failed' ? word : 'incomplete' },
  incomplete_details: word === 'failed' ? null : { reason: word },
  output: itemsOf(calls, n, 'call_id', status),
  ...errorOf(word),
});
const responseWords = { limit: 'max_output_tokens', refused: 'content_filter', failed: 'failed' };

const blocks = (calls: Calls, n: number) =>
  calls.map((name) => ({
    type: 'tool_use',
    id: `${name}${String(n)}`,
    name,
    input: name === 'read' ? { path: 'a' } : {},
  }));
const anthropicWords = { limit: 'max_tokens', refused: 'refusal' };

const chunks = (calls: Calls, n: number) =>
  calls.map((name, index) => ({
    ...{ type: 'tool_call_chunk' as const, id: `${name}${String(n)}` },
    ...{ name, args: json[name], index },
  }));
const read = (calls: Calls, n: number) =>
  calls
    .filter((name) => name === 'read')
    .map((name) => ({ id: `${name}${String(n)}`, name, args: { path: 'a' }, type: 'tool_call' as const }));
const unread = (calls: Calls, n: number) =>
  calls
    .filter((name) => name === 'write')
    .map((name) => ({
      id: `${name}${String(n)}`,
      name,
      args: json[name],
      error: 'no JSON',
      type: 'invalid_tool_call' as const,
    }));

const ollamaMessage = (calls: Calls) => ({
  ...{ role: 'assistant', content: '' },
  tool_calls: calls.map((name) => ({ function: { name, arguments: name === 'read' ? { path: 'a' } : json[name] } })),
});
const ollamaWords = { limit: 'length', refused: 'content_filter' };

const step = (calls: Calls, n: number): readonly Readonly<Record<string, unknown>>[] =>
  calls.flatMap((toolName): Readonly<Record<string, unknown>>[] => {
    const call = { toolCallId: `${toolName}${String(n)}`, toolName, input: json[toolName] };
    return toolName === 'read'
      ? [{ type: 'tool-call', ...call, input: { path: 'a' } }]
      : [
          { type: 'tool-call', ...call, invalid: true, error: new Error('no JSON') },
          { type: 'tool-error', ...call, error: 'Invalid input' },
        ];
  });
const sdkWords = { limit: 'length', refused: 'content-filter' };

/** Every way of every dialect. */
export const endedReplies: readonly EndedReplies[] = [
  {
    ...{ dialect: 'anthropic', way: 'as it came', words: anthropicWords },
    reply: (stop_reason, calls, n) => ({ role: 'assistant', stop_reason, content: blocks(calls, n) }),
  },
  ...[true, false].map((isClosed): EndedReplies => ({
    ...{
      dialect: 'anthropic',
      way: `as a stream that ${isClosed ? 'closes' : 'leaves open'} its block`,
      words: anthropicWords,
    },
    reply: (stop_reason, calls, n) =>
      folded(foldAnthropic(), [
        { type: 'message_start', message: { role: 'assistant', content: [], usage: {} } },
        ...calls.flatMap((name, index) => [
          { type: 'content_block_start', index, content_block: { ...blocks([name], n)[0], input: {} } },
          { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json[name] } },
          ...(name === 'read' || isClosed ? [{ type: 'content_block_stop', index }] : []),
        ]),
        { type: 'message_delta', delta: { stop_reason }, usage: {} },
        { type: 'message_stop' },
      ]),
  })),
  {
    ...{ dialect: 'openai-chat', way: 'as it came', words: chatWords },
    reply: (finish_reason, calls, n) => ({
      choices: [
        {
          ...{ index: 0, finish_reason, ...errorOf(finish_reason) },
          message: { role: 'assistant', content: null, tool_calls: inChat(calls, n) },
        },
      ],
    }),
  },
  {
    ...{ dialect: 'openai-chat', way: 'as a stream', words: chatWords },
    reply: (finish_reason, calls, n) =>
      folded(foldOpenAIChat(), [
        ...inChat(calls, n).map((call) => ({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })),
        { choices: [{ index: 0, delta: {}, finish_reason }], ...errorOf(finish_reason) },
      ]),
  },
  ...[undefined, 'in_progress', 'completed'].flatMap((status): EndedReplies[] => [
    {
      ...{ dialect: 'openai-responses', way: `as it came, items ${String(status)}`, words: responseWords },
      reply: (word, calls, n) => {
        const made = response(word, calls, n, status);
        const output = made.output.map((one) => (one.name === 'read' ? { ...one, status: 'completed' } : one));
        return { ...made, output };
      },
    },
    {
      ...{ dialect: 'openai-responses', way: `as a stream, items ${String(status)}`, words: responseWords },
      reply: (word, calls, n) => {
        const made = response(word, calls, n, status);
        const output = made.output.map((one) => (one.name === 'read' ? { ...one, status: 'completed' } : one));
        return folded(foldOpenAIResponses(), [
          ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
          { type: `response.${made.status}`, response: { ...made, output } },
        ]);
      },
    },
  ]),
  {
    ...{ dialect: 'openai-agents', way: 'as it came', words: responseWords },
    reply: (word, calls, n) => ({
      ...{ usage: {}, output: itemsOf(calls, n, 'callId'), ...errorOf(word) },
      providerData: response(word, calls, n),
    }),
  },
  {
    ...{ dialect: 'gemini', way: 'as a stream', words: { limit: 'MAX_TOKENS', refused: 'SAFETY' } },
    reply: (finishReason, calls) =>
      folded(foldGemini(), [
        ...calls.map((name) => ({
          candidates: [
            {
              content: {
                role: 'model',
                parts: [
                  {
                    functionCall:
                      name === 'read' ? { name, args: { path: 'a' } } : { name, partialArgs: [], willContinue: true },
                  },
                ],
              },
            },
          ],
        })),
        { candidates: [{ content: { parts: [] }, finishReason }] },
      ]),
  },
  {
    ...{ dialect: 'ollama', way: 'as it came', words: ollamaWords },
    reply: (done_reason, calls) => ({ message: ollamaMessage(calls), done: true, done_reason }),
  },
  {
    ...{ dialect: 'ollama', way: 'as a stream', words: ollamaWords },
    reply: (done_reason, calls) =>
      folded(foldOllama(), [
        { message: ollamaMessage(calls), done: false },
        { message: { role: 'assistant', content: '' }, done: true, done_reason },
      ]),
  },
  {
    ...{ dialect: 'ai-sdk', way: 'as a stream', words: { ...sdkWords, failed: 'error' } },
    reply: (finishReason, calls, n) =>
      folded(foldAISDK(), [
        { type: 'start-step' },
        ...step(calls, n),
        ...(finishReason === 'error' ? [{ type: 'error', error }] : []),
        { type: 'finish-step', finishReason },
        { type: 'finish', finishReason },
      ]),
  },
  {
    ...{ dialect: 'ai-sdk', way: 'as a result of generateText', words: sdkWords },
    reply: (finishReason, calls, n) => {
      const made = step(calls, n);
      const toolCalls = made.filter(({ type }) => type === 'tool-call');
      const errors = made.filter(({ type }) => type === 'tool-error');
      const content = toolCalls.map(({ toolCallId, toolName, input }) => ({
        ...{ type: 'tool-call', toolCallId, toolName, input: typeof input === 'string' ? {} : input },
      }));
      const results = errors.map(({ toolCallId, toolName }) => ({
        ...{ type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: 'Invalid input' } },
      }));
      const messages = [
        { role: 'assistant', content },
        ...(results.length === 0 ? [] : [{ role: 'tool', content: results }]),
      ];
      return { finishReason, toolCalls, response: { messages } };
    },
  },
  ...(
    [
      ['a finish reason', (finish_reason: string) => ({ response_metadata: { finish_reason } }), chatWords],
      ['Anthropic’s metadata', (stop_reason: string) => ({ response_metadata: { stop_reason } }), anthropicWords],
      ['Anthropic’s stream', (stop_reason: string) => ({ additional_kwargs: { stop_reason } }), anthropicWords],
      [
        'a response',
        (reason: string) => ({ response_metadata: { status: 'incomplete', incomplete_details: { reason } } }),
        responseWords,
      ],
    ] as const
  ).flatMap(([whose, metaOf, { limit, refused }]): EndedReplies[] => [
    {
      ...{ dialect: 'langchain', way: `as it came, with ${whose}`, words: { limit, refused } },
      reply: (word, calls, n) =>
        new AIMessage({
          content: '',
          tool_calls: read(calls, n),
          invalid_tool_calls: unread(calls, n),
          ...metaOf(word),
        }),
    },
    {
      ...{ dialect: 'langchain', way: `as chunks, with ${whose}`, words: { limit, refused } },
      reply: (word, calls, n) =>
        new AIMessageChunk({ content: '', tool_call_chunks: chunks(calls, n) }).concat(
          new AIMessageChunk({ content: '', ...metaOf(word) }),
        ),
    },
  ]),
];
