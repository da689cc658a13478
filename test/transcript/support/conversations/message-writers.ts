/**
 * Writers of the dialects in which a call and its result are of different messages.
 *
 * @module
 */
import { anthropic } from '../../../../src/transcript/dialects/anthropic/index.ts';
import { langchain } from '../../../../src/transcript/dialects/langchain/index.ts';
import { ollama } from '../../../../src/transcript/dialects/ollama/index.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';
import type { Sight } from './conversation.ts';
import { argsOf, given, half, json, list, writer, type Json } from './writer.ts';

export const chat = writer({
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

export const claude = writer({
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

export const chain = writer({
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

/** A result goes by its id, else by its tool's name and its order among those of that name. */
export const local = writer({
  name: 'ollama',
  dialect: ollama as never,
  message: ({ text, calls }) => ({
    role: 'assistant',
    content: text,
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            ...given(call.id, 'id'),
            function: { name: call.name, arguments: call.isHalf ? half(call.mark) : argsOf(call.mark) },
          })),
        }),
  }),
  results: (results) =>
    results.map(({ mark, id, name, isOrphan }) => ({
      role: 'tool',
      tool_name: isOrphan ? 'nobody' : name,
      ...given(id, 'tool_call_id'),
      content: `result<${mark}>`,
    })),
  see: (messages) => {
    let open: { place: string; name: unknown; id: unknown }[] = [];
    return messages.flatMap((one, at): Sight[] => {
      if (one['role'] === 'tool') {
        const sameId = open.findIndex(({ id }) => Boolean(id) && id === one['tool_call_id']);
        const i = sameId === -1 ? open.findIndex(({ name }) => name === one['tool_name']) : sameId;
        const [owner] = i === -1 ? [] : open.splice(i, 1);
        return [{ answer: { id: owner?.place, content: one['content'] } }];
      }
      const calls = list(one['tool_calls']);
      const bodyOf = (call: Json): Json => call['function'] as Json;
      open = calls.map((call, i) => ({
        place: `${String(at)}/${String(i)}`,
        name: bodyOf(call)['name'],
        id: call['id'],
      }));
      return ['border', ...calls.map((call, i) => ({ call: { id: open[i]?.place, content: bodyOf(call) } }))];
    });
  },
});
