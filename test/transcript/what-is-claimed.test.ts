/** Servers number their calls anew in every round: a call is told what became of it, and never what became of another. */
import { describe, expect, it } from 'vitest';

import type { ToolOutcome } from '../../src/core/interrupt/public-types/outcomes.ts';
import {
  dialectNamed,
  repair,
  type DialectName,
  type TranscriptCall,
  messageWriter,
} from '../../src/transcript/index.ts';

type Call = readonly [name: string, input: object];

/** A reply with calls under one id, in each dialect. */
const replies: Readonly<Record<string, (...calls: readonly Call[]) => object>> = {
  anthropic: (...calls) => ({
    role: 'assistant',
    content: calls.map(([name, input]) => ({ type: 'tool_use', id: 'call_0', name, input })),
  }),
  'openai-chat': (...calls) => ({
    role: 'assistant',
    content: null,
    tool_calls: calls.map(([name, input]) => ({
      id: 'call_0',
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    })),
  }),
  gemini: (...calls) => ({ role: 'model', parts: calls.map(([name, args]) => ({ functionCall: { name, args } })) }),
  ollama: (...calls) => ({
    role: 'assistant',
    content: '',
    tool_calls: calls.map(([name, input]) => ({ function: { name, arguments: input } })),
  }),
  langchain: (...calls) => ({
    role: 'assistant',
    content: '',
    tool_calls: calls.map(([name, args]) => ({ id: 'call_0', name, args, type: 'tool_call' })),
  }),
  'ai-sdk': (...calls) => ({
    role: 'assistant',
    content: calls.map(([toolName, input]) => ({ type: 'tool-call', toolCallId: 'call_0', toolName, input })),
  }),
};

describe.each(Object.entries(replies))('%s', (name, reply) => {
  const dialect = dialectNamed(name as DialectName) as never;
  const user = name === 'gemini' ? { role: 'user', parts: [{ text: 'Pay.' }] } : { role: 'user', content: 'Pay.' };
  const done = (value: string): ToolOutcome => ({ id: 'x', name: 'x', call: {}, ms: 0, status: 'completed', value });
  const { calls: callsIn } = dialectNamed(name as DialectName);
  const { toolResults } = messageWriter(dialect);

  it('each of two calls under one id is told what it came to itself, in a batch and from round to round', () => {
    const outcomeOf = ({ input }: TranscriptCall) => done(`receipt ${(input as { to: string }).to}`);
    const both = [user, reply(['pay', { to: 'A' }], ['pay', { to: 'B' }])];
    const rounds = [user, reply(['pay', { to: 'A' }]), user, reply(['pay', { to: 'B' }])];
    for (const messages of [both, rounds]) {
      const text = JSON.stringify(repair(messages as never, { dialect, outcomeOf }).messages);
      expect(text.match(/receipt [AB]/g)).toEqual(['receipt A', 'receipt B']);
    }
  });

  it('a call that nobody knows of is not told the result of an earlier one of the same id', () => {
    const first = reply(['pay', { to: 'A' }]);
    const ran = { ...done('receipt 4711'), id: callsIn(first)[0]?.id ?? '', name: 'pay', call: callsIn(first)[0] };
    const messages = [user, first, ...toolResults([ran]), reply(['pay', { to: 'B' }])];
    const outcomeOf = ({ input }: TranscriptCall) => ((input as { to: string }).to === 'A' ? ran : undefined);
    const text = JSON.stringify(repair(messages as never, { dialect, outcomeOf }).messages);
    expect(text.split('receipt 4711')).toHaveLength(2);
    expect(text).toContain('No result was recorded');
  });

  it('of two copies of a call, one may run', () => {
    const ids = callsIn(reply(['roll', {}], ['roll', {}])).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
