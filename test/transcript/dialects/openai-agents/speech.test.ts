import { expect, it } from 'vitest';

import { openaiAgents } from '../../../../src/transcript/dialects/openai-agents/index.ts';
import { messageWriter } from '../../../../src/transcript/index.ts';

const base = { ms: 1, status: 'completed', value: 'ok' } as const;

it('calls of every kind that is answered here are found, and nothing else', () => {
  const output = [
    { type: 'hosted_tool_call', id: 'ws_1', name: 'web_search_call' },
    { type: 'function_call', callId: 'c1', name: 'pay', arguments: '{"n":1}' },
    { type: 'shell_call', callId: 'c2', action: { commands: ['ls'] } },
  ];
  const calls = openaiAgents.calls({ output });
  expect(calls.map(({ id, name, input }) => [id, name, input])).toEqual([
    ['c1', 'pay', { n: 1 }],
    ['c2', 'shell', { commands: ['ls'] }],
  ]);
  expect(calls[0]?.raw).toBe(output[1]);
  const results = messageWriter(openaiAgents).toolResults(
    calls.map((call) => ({ ...base, id: call.id, name: call.name, call })),
  );
  expect(results).toMatchObject([
    { type: 'function_call_result', callId: 'c1', name: 'pay', output: { type: 'text', text: 'ok' } },
    { type: 'shell_call_output', callId: 'c2', output: [{ stdout: 'ok', outcome: { type: 'exit', exitCode: 0 } }] },
  ]);
});

it('an outcome whose call is unknown is the result of a function', () => {
  expect(messageWriter(openaiAgents).toolResults([{ ...base, id: 'c9', name: 'pay', call: undefined }])).toEqual([
    {
      type: 'function_call_result',
      callId: 'c9',
      name: 'pay',
      status: 'completed',
      output: { type: 'text', text: 'ok' },
    },
  ]);
});

it('hands out no call of a run that asks a person', () => {
  const call = { type: 'function_call', callId: 'a', name: 'wipe', arguments: '{}', status: 'completed' };
  expect(openaiAgents.calls({ output: [call], interruptions: [] })).toHaveLength(1);
  expect(openaiAgents.calls({ output: [call], interruptions: [{ rawItem: call }] })).toEqual([]);
});
