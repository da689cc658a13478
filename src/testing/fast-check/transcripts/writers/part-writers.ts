/**
 * Writers of the dialects whose messages are lists of parts: Anthropic, Gemini, and both kinds of the AI SDK.
 *
 * @module
 */
import { argumentsOf, given, inputOf, messageOf, outputOf, userSays, type Writer } from './writer.ts';

export const anthropicWriter: Writer = {
  prompt: userSays,
  reply: ({ text, calls }) => [
    {
      role: 'assistant',
      content: [
        { type: 'text', text },
        ...calls.map((call) => ({
          type: 'tool_use',
          ...given(call.id, 'id'),
          name: call.name,
          input: inputOf(call),
        })),
      ],
    },
  ],
  results: (results) =>
    messageOf(
      results.map((result) => ({
        type: 'tool_result',
        ...given(result.id, 'tool_use_id'),
        content: outputOf(result),
      })),
      (content) => ({ role: 'user', content }),
    ),
};

export const geminiWriter: Writer = {
  prompt: (text) => ({ role: 'user', parts: [{ text }] }),
  reply: ({ text, calls }) => [
    {
      role: 'model',
      parts: [
        { text },
        ...calls.map((call) => ({
          functionCall: {
            ...given(call.id, 'id'),
            name: call.name,
            args: argumentsOf(call),
            ...(call.isHalf ? { willContinue: true } : {}),
          },
        })),
      ],
    },
  ],
  results: (results) =>
    messageOf(
      results.map((result) => ({
        functionResponse: {
          ...given(result.id, 'id'),
          name: result.isOrphan ? 'nobody' : result.name,
          response: { output: outputOf(result) },
        },
      })),
      (parts) => ({ role: 'user', parts }),
    ),
};

export const aiSDKModelWriter: Writer = {
  prompt: userSays,
  reply: ({ text, calls }) => [
    {
      role: 'assistant',
      content: [
        { type: 'text', text },
        ...calls.map((call) => ({
          type: 'tool-call',
          ...given(call.id, 'toolCallId'),
          toolName: call.name,
          input: inputOf(call),
        })),
      ],
    },
  ],
  results: (results) =>
    messageOf(
      results.map((result) => ({
        type: 'tool-result',
        ...given(result.id, 'toolCallId'),
        toolName: result.name,
        output: { type: 'text', value: outputOf(result) },
      })),
      (content) => ({ role: 'tool', content }),
    ),
};

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
