/** Servers number their calls anew in every round: a call is told what became of it, and never what became of another. */
import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../src/core/interrupt/public-types/outcomes.ts';
import { dialectNamed, type DialectName } from '../../src/transcript/index.ts';
import { settleReport } from './support/settle-report.ts';

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

const reason = createReason({ kind: 'user', at: 0 });
const byMessage = createReason({ kind: 'interjection', at: 0 });

/** Where a prompt stands; what answers older calls may have come to stand in the same message. */
function placeOf(messages: readonly unknown[], prompt: unknown): number {
  const [words = ''] = /[A-Z][^"]*\./.exec(JSON.stringify(prompt)) ?? [];
  return messages.findIndex((message) => JSON.stringify(message).includes(words));
}

describe.each(Object.entries(replies))('%s', (name, reply) => {
  const dialect = dialectNamed(name as DialectName) as never;
  const user = (text: string): object =>
    name === 'gemini' ? { role: 'user', parts: [{ text }] } : { role: 'user', content: text };
  const { calls: callsIn, toolResults } = dialectNamed(name as DialectName);
  const outcome = (message: object, value: string, at = 0): ToolOutcome => {
    const call = callsIn(message)[at]!;
    return { id: call.id, name: call.name, call, ms: 0, status: 'completed', value };
  };
  function settled(messages: readonly object[], report: object, turnStart?: number) {
    const whole = { status: 'cancelled', calls: [], partials: [], stop: { reason }, ...report };
    const once = settleReport(messages as never, whole as never, { dialect, turnStart });
    // What was settled is another list, in which the turn may begin elsewhere.
    const begin = turnStart === undefined ? undefined : placeOf(once.messages, messages[turnStart]);
    const again = settleReport(once.messages, whole as never, { dialect, turnStart: begin });
    expect(again.messages).toEqual(once.messages);
    return { ...once, text: JSON.stringify(once.messages) };
  }

  it.each<[string, Call, Call]>([
    ['the same tool', ['pay', { to: 'A' }], ['pay', { to: 'B' }]],
    ['another tool', ['read', {}], ['deploy', {}]],
  ])('a batch that was never begun is not told the result of an earlier call of %s', (_title, first, second) => {
    const ran = outcome(reply(first), 'receipt 4711');
    const messages = [user('Do it.'), reply(first), ...toolResults([ran]), reply(second)];
    for (const turnStart of [0, undefined]) {
      const { text } = settled(messages, { calls: [ran] }, turnStart);
      expect(text.split('receipt 4711')).toHaveLength(2);
      expect(text).toContain('No result was recorded');
    }
  });

  it('the rows of two calls of one tool go to those that ask for the same, whatever their order', () => {
    const both = reply(['pay', { to: 'A' }], ['pay', { to: 'B' }]);
    const [a, b] = [outcome(both, 'receipt A'), outcome(both, 'receipt B', 1)];
    const order = (text: string): number[] => ['receipt A', 'receipt B'].map((words) => text.indexOf(words));
    for (const calls of [
      [a, b],
      [b, a],
    ]) {
      const [first, second] = order(settled([user('Pay.'), both], { calls }, 0).text) as [number, number];
      expect(first).toBeGreaterThan(0);
      expect(second).toBeGreaterThan(first);
    }
  });

  it('a cut reply that is only a call is kept, also if its id was used before', () => {
    const first = reply(['read', {}]);
    const ran = outcome(first, 'the text');
    const messages = [user('Do it.'), first, ...toolResults([ran])];
    const partials = [{ modelCall: 2, value: reply(['deploy', {}]), reason }];
    for (const turnStart of [0, undefined]) {
      expect(settled(messages, { calls: [ran], partials }, turnStart).text).toContain('deploy');
    }
  });

  it('a call of an older turn is not taken for one that a message cut', () => {
    const messages = [user('Pay.'), reply(['pay', {}]), user('Deploy.')];
    const partials = [{ modelCall: 1, value: reply(['deploy', {}]), reason: byMessage }];
    for (const turnStart of [2, undefined]) {
      const { text, changes } = settled(messages, { partials }, turnStart);
      expect(text).toContain('deploy');
      expect(changes.map(({ what }) => what).join()).toMatch(/answered pay \(\S+: unrecorded/);
    }
  });

  it('what an older turn said in the same words is another reply', () => {
    const said = name === 'gemini' ? { role: 'model', parts: [{ text: 'Let me look.' }] } : undefined;
    const words = said ?? { role: 'assistant', content: 'Let me look.' };
    const messages = [user('One.'), words, user('Two.')];
    const partials = [{ modelCall: 1, value: words, reason: byMessage }];
    expect(settled(messages, { partials }, 2).text.split('Let me look.')).toHaveLength(3);
  });

  it('what stands beside a guarded tool may have run, as a guard records no other', () => {
    const both = reply(['deploy', {}], ['apply', { patch: 'x' }]);
    const ran = { ...outcome(both, 'live'), call: { id: 'call_0', name: 'deploy', args: [{}] } };
    const { text } = settled([user('Do it.'), both], { calls: [ran] }, 0);
    expect(text).toContain('No result was recorded');
    expect(text).not.toContain('nothing happened');
  });

  it('of two copies of a call, one may run', () => {
    const ids = callsIn(reply(['roll', {}], ['roll', {}])).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
