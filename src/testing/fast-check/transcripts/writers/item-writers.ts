/**
 * Writers of the dialects whose transcripts are lists of items: Responses, and the runs of OpenAI Agents.
 *
 * @module
 */
import type { ConversationCall } from '../conversation.ts';
import { each, given, outputOf, textOf, userSays, type Writer } from './writer.ts';

/** Writes calls whose id stands in this field. */
const callWith =
  (field: string) =>
  (call: ConversationCall): object => ({
    type: 'function_call',
    ...given(call.id, field),
    name: call.name,
    arguments: textOf(call),
  });

export const openaiResponsesWriter: Writer = {
  prompt: userSays,
  reply: ({ text, calls }) => [
    { type: 'message', role: 'assistant', content: text },
    ...calls.map(callWith('call_id')),
  ],
  results: /* @__PURE__ */ each((result) => ({
    type: 'function_call_output',
    ...(result.id === undefined ? { name: result.name } : { call_id: result.id }),
    output: outputOf(result),
  })),
};

export const openaiAgentsWriter: Writer = {
  prompt: userSays,
  reply: ({ text, calls }) => [
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] },
    ...calls.map(callWith('callId')),
  ],
  results: /* @__PURE__ */ each((result) => ({
    type: 'function_call_result',
    ...given(result.id, 'callId'),
    name: result.name,
    status: 'completed',
    output: { type: 'text', text: outputOf(result) },
  })),
};
