/**
 * Writers of the dialects whose messages are lists of parts: Anthropic, Gemini, and both kinds of the AI SDK.
 *
 * @module
 */
import type { ConversationCall, ConversationResult } from '../conversation.ts';
import { argumentsOf, given, inputOf, outputOf, userSays, type Writer } from './writer.ts';

/** In what two dialects with lists of parts differ. */
interface PartNames {
  readonly list: 'content' | 'parts';
  readonly model: 'assistant' | 'model';
  readonly tool: 'user' | 'tool';
  readonly prompt?: Writer['prompt'];
  readonly text: (text: string) => object;
  readonly call: (call: ConversationCall) => object;
  readonly result: (result: ConversationResult) => object;
}

/** A reply is one message, and so are all results, where there are any. */
function partsWriter({ list, model, tool, prompt = userSays, text: say, call, result }: PartNames): Writer {
  return {
    prompt,
    reply: ({ text, calls }) => [{ role: model, [list]: [say(text), ...calls.map(call)] }],
    results: (results) => (results.length === 0 ? [] : [{ role: tool, [list]: results.map(result) }]),
  };
}

export const anthropicWriter: Writer = /* @__PURE__ */ partsWriter({
  list: 'content',
  model: 'assistant',
  tool: 'user',
  text: (text) => ({ type: 'text', text }),
  call: (call) => ({ type: 'tool_use', ...given(call.id, 'id'), name: call.name, input: inputOf(call) }),
  result: (result) => ({ type: 'tool_result', ...given(result.id, 'tool_use_id'), content: outputOf(result) }),
});

export const geminiWriter: Writer = /* @__PURE__ */ partsWriter({
  list: 'parts',
  model: 'model',
  tool: 'user',
  prompt: (text) => ({ role: 'user', parts: [{ text }] }),
  text: (text) => ({ text }),
  call: (call) => ({
    functionCall: {
      ...given(call.id, 'id'),
      name: call.name,
      args: argumentsOf(call),
      ...(call.isHalf ? { willContinue: true } : {}),
    },
  }),
  result: (result) => ({
    functionResponse: {
      ...given(result.id, 'id'),
      name: result.isOrphan ? 'nobody' : result.name,
      response: { output: outputOf(result) },
    },
  }),
});

export const aiSDKModelWriter: Writer = /* @__PURE__ */ partsWriter({
  list: 'content',
  model: 'assistant',
  tool: 'tool',
  text: (text) => ({ type: 'text', text }),
  call: (call) => ({
    type: 'tool-call',
    ...given(call.id, 'toolCallId'),
    toolName: call.name,
    input: inputOf(call),
  }),
  result: (result) => ({
    type: 'tool-result',
    ...given(result.id, 'toolCallId'),
    toolName: result.name,
    output: { type: 'text', value: outputOf(result) },
  }),
});

/** An id for a message of a user interface. */
const idOf = (text: string): string => text.replace(/\W/g, '_');

/** Its calls hold their results: an orphan cannot be written. */
export const aiSDKUserInterfaceWriter: Writer = {
  prompt: (text) => ({ id: idOf(text), role: 'user', parts: [{ type: 'text', text }] }),
  reply: ({ text, calls }, results) => {
    const parts = calls.map((call) => {
      const result = results.find(({ mark }) => mark === call.mark);
      const end =
        result === undefined
          ? { state: call.isHalf ? 'input-streaming' : 'input-available' }
          : { state: 'output-available', output: outputOf(result) };
      const base = { type: 'dynamic-tool', toolName: call.name, ...given(call.id, 'toolCallId') };
      return { ...base, input: argumentsOf(call), ...end };
    });
    return [
      {
        id: idOf(text),
        role: 'assistant',
        parts: [{ type: 'step-start' }, { type: 'text', text, state: 'done' }, ...parts],
      },
    ];
  },
  results: () => [],
};
