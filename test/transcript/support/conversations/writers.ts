/**
 * One writer for each dialect: a conversation as its messages, and what a judge sees of messages. Nothing here is of
 * the repairs.
 *
 * @module
 */
import { aiSDK } from '../../../../src/transcript/dialects/ai-sdk/index.ts';
import { anthropic } from '../../../../src/transcript/dialects/anthropic/index.ts';
import { gemini } from '../../../../src/transcript/dialects/gemini/index.ts';
import { langchain } from '../../../../src/transcript/dialects/langchain/index.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../../../src/transcript/dialects/openai-responses/index.ts';
import type { AnyDialect } from '../arbitraries.ts';
import type { Reply, Result, Round, Sight } from './conversation.ts';

/** A message of any dialect. */
export type Json = Readonly<Record<string, unknown>>;

/** How one dialect writes. */
export interface Writer {
  readonly name: string;
  readonly dialect: AnyDialect<object>;
  readonly round: (round: Round) => readonly object[];
  /** A reply: a message, or items. */
  readonly message: (reply: Reply) => object | readonly object[];
  readonly see: (messages: readonly Json[]) => readonly Sight[];
}

const given = (id: string | undefined, name: string): object => (id === undefined ? {} : { [name]: id });
const argsOf = (mark: string): object => ({ of: `call<${mark}>` });
const half = (mark: string): string => `{"of":"call<${mark}`;
const json = (call: { mark: string; isHalf: boolean }): string =>
  call.isHalf ? half(call.mark) : JSON.stringify(argsOf(call.mark));
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const ask = (content: string): object => ({ role: 'user', content });

type Speak = Pick<Writer, 'name' | 'dialect' | 'message' | 'see'> & {
  readonly ask?: (text: string) => object;
  readonly results: (results: readonly Result[]) => readonly object[];
};

/** A writer of a dialect in which prompts, replies and results are messages of their own. */
function writer({ results, ask: prompt = ask, ...more }: Speak): Writer {
  return {
    ...more,
    round: (round) => [
      prompt(round.prompt),
      ...round.replies.flatMap((reply) => more.message(reply)),
      ...results(round.results),
    ],
  };
}

const chat = writer({
  name: 'openai-chat',
  dialect: openaiChat as never,
  message: ({ text, calls }) => ({
    role: 'assistant',
    content: text,
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            ...given(call.id, 'id'),
            type: 'function',
            function: { name: call.name, arguments: json(call) },
          })),
        }),
  }),
  results: (results) =>
    results.map(({ mark, id, name }) => ({
      role: 'tool',
      ...(id === undefined ? { tool_name: name } : { tool_call_id: id }),
      content: `result<${mark}>`,
    })),
  see: (messages) =>
    messages.flatMap((one): Sight[] => {
      if (one['role'] === 'tool') return [{ answer: { id: one['tool_call_id'], content: one['content'] } }];
      const calls = list(one['tool_calls']);
      return ['border', ...calls.map((call) => ({ call: { id: call['id'], content: call['function'] } }))];
    }),
});

const claude = writer({
  name: 'anthropic',
  dialect: anthropic as never,
  message: ({ text, calls }) => ({
    role: 'assistant',
    content: [
      { type: 'text', text },
      ...calls.map((call) => ({
        type: 'tool_use',
        ...given(call.id, 'id'),
        name: call.name,
        input: call.isHalf ? half(call.mark) : argsOf(call.mark),
      })),
    ],
  }),
  results: (results) =>
    results.length === 0
      ? []
      : [
          {
            role: 'user',
            content: results.map(({ mark, id }) => ({
              type: 'tool_result',
              ...given(id, 'tool_use_id'),
              content: `result<${mark}>`,
            })),
          },
        ],
  see: (messages) =>
    messages.flatMap((one, at): Sight[] => {
      const blocks = list(one['content']);
      if (one['role'] !== 'assistant') {
        const answers = blocks.filter(({ type }) => type === 'tool_result');
        return [
          ...answers.map((block) => ({ answer: { id: block['tool_use_id'], content: block['content'] } })),
          'border',
        ];
      }
      const calls = blocks.filter(({ type }) => type === 'tool_use');
      return [
        ...(messages[at - 1]?.['role'] === 'assistant' ? [] : ['border' as const]),
        ...calls.map((block) => ({ call: { id: block['id'], content: block['input'] } })),
      ];
    }),
});

const responses = writer({
  name: 'openai-responses',
  dialect: openaiResponses,
  message: ({ text, calls }) => [
    { type: 'message', role: 'assistant', content: text },
    ...calls.map((call) => ({
      type: 'function_call',
      ...given(call.id, 'call_id'),
      name: call.name,
      arguments: json(call),
    })),
  ],
  results: (results) =>
    results.map(({ mark, id, name }) => ({
      type: 'function_call_output',
      ...(id === undefined ? { name } : { call_id: id }),
      output: `result<${mark}>`,
    })),
  see: (messages) =>
    messages.flatMap((one): Sight[] => {
      if (one['type'] === 'function_call') return [{ call: { id: one['call_id'], content: one['arguments'] } }];
      if (one['type'] !== 'function_call_output') return [];
      return [{ answer: { id: one['call_id'], content: one['output'] } }];
    }),
});

const google = writer({
  name: 'gemini',
  dialect: gemini,
  ask: (text) => ({ role: 'user', parts: [{ text }] }),
  message: ({ text, calls }) => ({
    role: 'model',
    parts: [
      { text },
      ...calls.map(({ id, name, mark, isHalf }) => ({
        functionCall: { ...given(id, 'id'), name, args: argsOf(mark), ...(isHalf ? { willContinue: true } : {}) },
      })),
    ],
  }),
  results: (results) =>
    results.length === 0
      ? []
      : [
          {
            role: 'user',
            parts: results.map(({ mark, id, name, isOrphan }) => ({
              functionResponse: {
                ...given(id, 'id'),
                name: isOrphan ? 'nobody' : name,
                response: { output: `result<${mark}>` },
              },
            })),
          },
        ],
  // The API goes by the order.
  see: (messages) =>
    messages.flatMap((one): Sight[] => {
      const bodies = (name: string): unknown[] => list(one['parts']).flatMap((part) => part[name] ?? []);
      if (one['role'] === 'model') {
        const calls = bodies('functionCall').map((content, id) => ({ call: { id, content } }));
        return ['border', ...calls];
      }
      return [...bodies('functionResponse').map((content, id) => ({ answer: { id, content } })), 'border'];
    }),
});

const sdk = writer({
  name: 'ai-sdk',
  dialect: aiSDK as never,
  message: ({ text, calls }) => ({
    role: 'assistant',
    content: [
      { type: 'text', text },
      ...calls.map((call) => ({
        type: 'tool-call',
        ...given(call.id, 'toolCallId'),
        toolName: call.name,
        input: call.isHalf ? half(call.mark) : argsOf(call.mark),
      })),
    ],
  }),
  results: (results) =>
    results.length === 0
      ? []
      : [
          {
            role: 'tool',
            content: results.map(({ mark, id, name }) => ({
              type: 'tool-result',
              ...given(id, 'toolCallId'),
              toolName: name,
              output: { type: 'text', value: `result<${mark}>` },
            })),
          },
        ],
  see: (messages) =>
    messages.flatMap((one): Sight[] => {
      const parts = list(one['content']);
      if (one['role'] === 'tool') {
        return parts.map((part) => ({ answer: { id: part['toolCallId'], content: part['output'] } }));
      }
      const calls = parts.filter(({ type }) => type === 'tool-call');
      return ['border', ...calls.map((part) => ({ call: { id: part['toolCallId'], content: part['input'] } }))];
    }),
});

/** Its calls hold their results: those of no call there are none of. */
const chats: Writer = {
  name: 'ai-sdk, a chat',
  dialect: aiSDK as never,
  message: ({ text, calls }) => ({ role: 'assistant', parts: uiParts(text, calls, []) }),
  round: ({ prompt, replies, results }) => [
    { id: idOf(prompt), role: 'user', parts: [{ type: 'text', text: prompt }] },
    ...replies.map(({ text, calls }) => ({ id: idOf(text), role: 'assistant', parts: uiParts(text, calls, results) })),
  ],
  see: (messages) =>
    messages.flatMap((one): Sight[] => {
      const calls = list(one['parts']).filter(({ type }) => String(type).includes('tool'));
      return calls.flatMap((part): Sight[] => [
        'border',
        { call: { id: part['toolCallId'], content: part['input'] } },
        { answer: { id: part['toolCallId'], content: part['output'] ?? part['errorText'] } },
      ]);
    }),
};

const idOf = (mark: string): string => mark.replace(/\W/g, '_');

function uiParts(text: string, calls: Reply['calls'], results: readonly Result[]): object[] {
  const parts = calls.map(({ mark, id, name, isHalf }) => {
    const isDone = results.some((one) => one.mark === mark);
    const end = isDone
      ? { state: 'output-available', output: `result<${mark}>` }
      : { state: isHalf ? 'input-streaming' : 'input-available' };
    return { type: 'dynamic-tool', toolName: name, ...given(id, 'toolCallId'), input: argsOf(mark), ...end };
  });
  return [{ type: 'step-start' }, { type: 'text', text, state: 'done' }, ...parts];
}

const chain = writer({
  name: 'langchain',
  dialect: langchain,
  message: ({ text, calls }) => ({
    role: 'assistant',
    content: text,
    tool_calls: calls
      .filter((call) => !call.isHalf)
      .map(({ id, name, mark }) => ({ ...given(id, 'id'), name, args: argsOf(mark) })),
    ...(calls.some((call) => call.isHalf)
      ? {
          invalid_tool_calls: calls
            .filter((call) => call.isHalf)
            .map(({ id, name, mark }) => ({ ...given(id, 'id'), name, args: half(mark) })),
        }
      : {}),
  }),
  results: (results) =>
    results.map(({ mark, id, name }) => ({
      role: 'tool',
      name,
      ...given(id, 'tool_call_id'),
      content: `result<${mark}>`,
    })),
  see: (messages) =>
    messages.flatMap((one): Sight[] => {
      if (one['role'] === 'tool') return [{ answer: { id: one['tool_call_id'], content: one['content'] } }];
      const calls = list(one['tool_calls']);
      return ['border', ...calls.map((call) => ({ call: { id: call['id'], content: call['args'] } }))];
    }),
});

/** Every form that a conversation can have. */
export const writers: readonly Writer[] = [claude, chat, responses, google, sdk, chats, chain];
