/**
 * Writers of the dialects whose messages are lists of parts: Gemini, and both kinds of the AI SDK.
 *
 * @module
 */
import { aiSDK } from '../../../../src/transcript/dialects/ai-sdk/index.ts';
import { gemini } from '../../../../src/transcript/dialects/gemini/index.ts';
import type { Reply, Result, Sight } from './conversation.ts';
import { argsOf, given, half, list, writer, type Writer } from './writer.ts';

export const google = writer({
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

export const sdk = writer({
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
export const chats: Writer = {
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
