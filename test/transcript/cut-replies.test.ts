/** A cut reply that was pushed with more than its partial tells of, and one that makes a call that was made before. */
import { describe, expect, it } from 'vitest';
import { createReason } from '../../src/core/foundation/reason.ts';
import type { anthropic, AnthropicMessage } from '../../src/transcript/dialects/anthropic/index.ts';
import { dialectNamed, type DialectName } from '../../src/transcript/index.ts';
import { settleReport } from './support/settle-report.ts';

const reason = createReason({ kind: 'user', at: 0 });
const cut = (modelCall: number, value: unknown, calls: readonly object[] = []) =>
  ({ status: 'cancelled', calls, partials: [{ modelCall, value, reason }], stop: { reason } }) as never;
const count = (messages: unknown, text: string): number => JSON.stringify(messages).split(text).length - 1;

interface Kit {
  readonly call: object;
  readonly result: object;
  /** A text and two calls, and where the provider shows them sealed thoughts before. */
  readonly full: object;
}

const kits: Readonly<Record<string, Kit>> = {
  anthropic: {
    call: { role: 'assistant', content: [{ type: 'tool_use', id: 'call_0', name: 'pay', input: { to: 'Ann' } }] },
    result: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_0', content: 'paid' }] },
    full: {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'sealed' },
        { type: 'text', text: 'I read it' },
        { type: 'tool_use', id: 'a', name: 'read', input: {} },
        { type: 'tool_use', id: 'b', name: 'read', input: {} },
      ],
    },
  },
  'openai-chat': {
    call: {
      role: 'assistant',
      content: 'I pay.',
      tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'pay', arguments: '{"to":"Ann"}' } }],
    },
    result: { role: 'tool', tool_call_id: 'call_0', content: 'paid' },
    full: {
      role: 'assistant',
      content: 'I read it',
      tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } })),
    },
  },
  gemini: {
    call: { role: 'model', parts: [{ functionCall: { name: 'pay', args: { to: 'Ann' } } }] },
    result: { role: 'user', parts: [{ functionResponse: { name: 'pay', response: { output: 'paid' } } }] },
    full: {
      role: 'model',
      parts: [
        { text: 'I read it' },
        { functionCall: { name: 'read', args: { of: 'a' } }, thoughtSignature: 'sealed' },
        { functionCall: { name: 'read', args: { of: 'b' } } },
      ],
    },
  },
  ollama: {
    call: { role: 'assistant', content: '', tool_calls: [{ function: { name: 'pay', arguments: { to: 'Ann' } } }] },
    result: { role: 'tool', tool_name: 'pay', content: 'paid' },
    full: {
      role: 'assistant',
      content: 'I read it',
      tool_calls: ['a', 'b'].map((of) => ({ function: { name: 'read', arguments: { of } } })),
    },
  },
  'openai-responses': {
    call: { type: 'function_call', call_id: 'call_0', name: 'pay', arguments: '{"to":"Ann"}' },
    result: { type: 'function_call_output', call_id: 'call_0', output: 'paid' },
    full: {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'I read it', annotations: [] }],
    },
  },
};

describe.each(Object.entries(kits))('%s', (name, { call, result, full }) => {
  const dialect = dialectNamed(name as DialectName) as typeof anthropic;
  const user = (
    name === 'gemini' ? { role: 'user', parts: [{ text: 'Go.' }] } : { role: 'user', content: 'Go.' }
  ) as AnthropicMessage;
  const [asked, answered, fullReply] = [call, result, full] as unknown as readonly AnthropicMessage[] as [
    AnthropicMessage,
    AnthropicMessage,
    AnthropicMessage,
  ];
  const again =
    name === 'openai-responses' ? { output: [call], status: 'in_progress' } : { message: call, isComplete: false };

  // The same list is what settling makes of a reply whose call ran while it streamed: nothing tells the two apart.
  it('a cut reply of nothing but a call that the turn has made before is taken for that one (a limit of the guide)', () => {
    expect(settleReport([user, asked, answered], cut(2, again), { dialect }).changes).toEqual([]);
  });

  it('the call of an older turn does not stand for that of a reply that was cut in the next', () => {
    const report = cut(1, again);
    const history = [user, asked, answered, ...dialect.reply('Done.'), user];
    const { messages } = settleReport(history, report, { dialect });
    expect(count(messages, 'This call was not started')).toBe(1);
    expect(settleReport(messages, report, { dialect }).changes).toEqual([]);
  });

  it.each(['I read', 'I read it', 'I read it no'])(
    'a reply that was pushed with more than its text “%s” is told once',
    (text) => {
      const { messages } = settleReport([user, fullReply], cut(1, text), { dialect });
      expect(count(messages, 'I read')).toBe(1);
      if (name !== 'openai-responses') expect(count(messages, 'This call was not started')).toBe(2);
      expect(settleReport(messages, cut(1, text), { dialect }).changes).toEqual([]);
    },
  );
});
