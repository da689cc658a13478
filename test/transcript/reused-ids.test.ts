/** Servers that number their calls anew in each round: what was paid for is told once, also where only the ledger has it. */
import { describe, expect, it } from 'vitest';
import { dialectNamed, type DialectName } from '../../src/transcript/index.ts';
import { createReason } from '../../src/core/foundation/reason.ts';
import { settleReport } from './support/settle-report.ts';

/** One call with its result, in each dialect. */
const paid: Readonly<Record<string, (id: string, value: string) => object[]>> = {
  anthropic: (id, value) => [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'pay', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: value }] },
  ],
  'openai-chat': (id, value) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'pay', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: id, content: value },
  ],
  'openai-responses': (id, value) => [
    { type: 'function_call', call_id: id, name: 'pay', arguments: '{}' },
    { type: 'function_call_output', call_id: id, output: value },
  ],
  'openai-agents': (id, value) => [
    { type: 'function_call', callId: id, name: 'pay', status: 'completed', arguments: '{}' },
    { type: 'function_call_result', callId: id, name: 'pay', status: 'completed', output: value },
  ],
  gemini: (_id, value) => [
    { role: 'model', parts: [{ functionCall: { name: 'pay', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'pay', response: { output: value } } }] },
  ],
  ollama: (_id, value) => [
    { role: 'assistant', content: '', tool_calls: [{ function: { name: 'pay', arguments: {} } }] },
    { role: 'tool', tool_name: 'pay', content: value },
  ],
  langchain: (id, value) => [
    { role: 'assistant', content: '', tool_calls: [{ id, name: 'pay', args: {}, type: 'tool_call' }] },
    { role: 'tool', tool_call_id: id, content: value },
  ],
  'ai-sdk': (id, value) => [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'pay', input: {} }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: id, toolName: 'pay', output: { type: 'text', value } }],
    },
  ],
};

describe.each(Object.entries(paid))('%s', (name, callOf) => {
  const [id, isGemini] = [name === 'gemini' || name === 'ollama' ? 'pay#1' : 'call_0', name === 'gemini'];
  const user = (text: string): object =>
    isGemini ? { role: 'user', parts: [{ text }] } : { role: 'user', content: text };
  const row = (value: string) => ({ id, name: 'pay', call: {}, ms: 0, status: 'completed' as const, value });

  function told(messages: readonly object[], turnStart: number, ...values: string[]): number[] {
    const stop = { reason: createReason('user') };
    const report = { status: 'cancelled', calls: values.map(row), partials: [], stop };
    const dialect = dialectNamed(name as DialectName) as never;
    const text = JSON.stringify(settleReport(messages as never, report as never, { dialect, turnStart }).messages);
    return ['paid-1', 'paid-2', 'paid-3'].map((value) => text.split(value).length - 1);
  }

  it('S45 a call that only the ledger has is told after the others of its id, in the turn and after older ones', () => {
    const turn = [user('pay all'), ...callOf(id, 'paid-1')];
    expect(told(turn, 0, 'paid-1', 'paid-2', 'paid-3')).toEqual([1, 1, 1]);
    expect(told([...turn, user('pay again')], 3, 'paid-2')).toEqual([1, 1, 0]);
    expect(told([...turn, user('pay again'), ...callOf(id, 'paid-2')], 3, 'paid-2', 'paid-3')).toEqual([1, 1, 1]);
  });
});
