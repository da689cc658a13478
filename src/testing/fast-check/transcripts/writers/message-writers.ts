/**
 * Writers of the dialects in which a result is a message of its own: Chat Completions, LangChain, Ollama.
 *
 * @module
 */
import type { ConversationCall, ConversationReply } from '../conversation.ts';
import { argumentsOf, each, given, inputOf, outputOf, textOf, userSays, type Writer } from './writer.ts';

/** An assistant's message with its calls, and without the field where there are none. */
function says({ text, calls }: ConversationReply, write: (call: ConversationCall) => object): object {
  const base = { role: 'assistant', content: text };
  return calls.length === 0 ? base : { ...base, tool_calls: calls.map(write) };
}

export const openaiChatWriter: Writer = {
  prompt: userSays,
  reply: (reply) => [
    says(reply, (call) => ({
      ...given(call.id, 'id'),
      type: 'function',
      function: { name: call.name, arguments: textOf(call) },
    })),
  ],
  results: /* @__PURE__ */ each((result) => ({
    role: 'tool',
    ...(result.id === undefined ? { tool_name: result.name } : { tool_call_id: result.id }),
    content: outputOf(result),
  })),
};

export const langchainWriter: Writer = {
  prompt: userSays,
  reply: ({ text, calls }) => {
    const [halves, whole] = [calls.filter(({ isHalf }) => isHalf), calls.filter(({ isHalf }) => !isHalf)];
    const write = (call: ConversationCall, args: unknown): object => ({
      ...given(call.id, 'id'),
      name: call.name,
      args,
    });
    return [
      {
        role: 'assistant',
        content: text,
        tool_calls: whole.map((call) => write(call, argumentsOf(call))),
        ...(halves.length === 0 ? {} : { invalid_tool_calls: halves.map((call) => write(call, textOf(call))) }),
      },
    ];
  },
  results: /* @__PURE__ */ each((result) => ({
    role: 'tool',
    name: result.name,
    ...given(result.id, 'tool_call_id'),
    content: outputOf(result),
  })),
};

/** A result goes by its id, else by its tool's name and its order among those of that name. */
export const ollamaWriter: Writer = {
  prompt: userSays,
  reply: (reply) => [
    says(reply, (call) => ({ ...given(call.id, 'id'), function: { name: call.name, arguments: inputOf(call) } })),
  ],
  results: /* @__PURE__ */ each((result) => ({
    role: 'tool',
    tool_name: result.isOrphan ? 'nobody' : result.name,
    ...given(result.id, 'tool_call_id'),
    content: outputOf(result),
  })),
};
