/**
 * Writers of the dialects whose transcripts are lists of items: Responses, and the runs of OpenAI Agents.
 *
 * @module
 */
import { given, outputOf, textOf, userSays, type Writer } from './writer.ts';

export const openaiResponsesWriter: Writer = {
  prompt: userSays,
  reply: ({ text, calls }) => [
    { type: 'message', role: 'assistant', content: text },
    ...calls.map((call) => ({
      type: 'function_call',
      ...given(call.id, 'call_id'),
      name: call.name,
      arguments: textOf(call),
    })),
  ],
  results: (results) =>
    results.map((result) => ({
      type: 'function_call_output',
      ...(result.id === undefined ? { name: result.name } : { call_id: result.id }),
      output: outputOf(result),
    })),
};

export const openaiAgentsWriter: Writer = {
  prompt: userSays,
  reply: ({ text, calls }) => [
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] },
    ...calls.map((call) => ({
      type: 'function_call',
      ...given(call.id, 'callId'),
      name: call.name,
      arguments: textOf(call),
    })),
  ],
  results: (results) =>
    results.map((result) => ({
      type: 'function_call_result',
      ...given(result.id, 'callId'),
      name: result.name,
      status: 'completed',
      output: { type: 'text', text: outputOf(result) },
    })),
};
