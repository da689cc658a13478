/**
 * Writers of the dialects whose transcripts are lists of items.
 *
 * @module
 */
import { openaiAgents } from '../../../../src/transcript/dialects/openai-agents/index.ts';
import { openaiResponses } from '../../../../src/transcript/dialects/openai-responses/index.ts';
import type { Sight } from './conversation.ts';
import { given, json, writer } from './writer.ts';

export const responses = writer({
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

export const agents = writer({
  name: 'openai-agents',
  dialect: openaiAgents,
  message: ({ text, calls }) => [
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] },
    ...calls.map((call) => ({
      type: 'function_call',
      ...given(call.id, 'callId'),
      name: call.name,
      arguments: json(call),
    })),
  ],
  results: (results) =>
    results.map(({ mark, id, name }) => ({
      type: 'function_call_result',
      ...given(id, 'callId'),
      name,
      status: 'completed',
      output: { type: 'text', text: `result<${mark}>` },
    })),
  see: (messages) =>
    messages.flatMap((one): Sight[] => {
      if (one['type'] === 'function_call') return [{ call: { id: one['callId'], content: one['arguments'] } }];
      if (one['type'] !== 'function_call_result') return [];
      return [{ answer: { id: one['callId'], content: one['output'] } }];
    }),
});
