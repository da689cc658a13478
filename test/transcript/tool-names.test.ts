import { describe, expect, it } from 'vitest';

import type { ToolOutcome } from '../../src/core/interrupt/public-types/outcomes.ts';
import { dialectNamed, type TranscriptDialect, messageWriter } from '../../src/transcript/index.ts';
import { repairWith } from './support/repair-with.ts';

type AnyDialect = TranscriptDialect<object, unknown>;

const replies: Readonly<Record<string, (name: string) => object>> = {
  anthropic: (name) => ({ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name, input: {} }] }),
  'openai-chat': (name) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name, arguments: '{}' } }],
  }),
  'openai-responses': (name) => ({ output: [{ type: 'function_call', call_id: 'a', name, arguments: '{}' }] }),
  'openai-agents': (name) => ({ output: [{ type: 'function_call', callId: 'a', name, arguments: '{}' }] }),
  gemini: (name) => ({ role: 'model', parts: [{ functionCall: { name, args: {} } }] }),
  ollama: (name) => ({ role: 'assistant', content: '', tool_calls: [{ function: { name, arguments: {} } }] }),
  'ai-sdk': (name) => ({
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'a', toolName: name, input: {} }],
  }),
  langchain: (name) => ({ role: 'assistant', content: '', tool_calls: [{ id: 'a', name, args: {} }] }),
};

describe.each(Object.keys(replies))('names of tools in %s', (which) => {
  const dialect = dialectNamed(which as 'anthropic') as unknown as AnyDialect;
  const long = `mcp__${'chrome-devtools-'.repeat(9)}insight`;

  it.each([long, 'fs read', '7up'])('gives the call of %s to whoever has the tool, and goes on', (name) => {
    const reply = replies[which]?.(name) as object;
    const [call] = dialect.calls(reply);
    expect(call).toMatchObject({ name });
    const row: ToolOutcome = { id: call?.id ?? '', name, call, ms: 1, status: 'completed', value: 'done' };
    const prompt = which === 'gemini' ? { role: 'user', parts: [{ text: 'x' }] } : { role: 'user', content: 'x' };
    const pushed = [prompt, ...messageWriter(dialect).reply(reply), ...messageWriter(dialect).toolResults([row])];
    expect(dialect.check(pushed)).toEqual([]);
    expect(repairWith(pushed, { dialect, outcomes: [row] }).changes).toEqual([]);
    const items = (reply as { readonly output?: readonly object[] }).output ?? [reply];
    const stored = repairWith([prompt, ...items], { dialect, outcomes: [row] });
    expect(JSON.stringify(stored.messages)).toContain('done');
    expect(stored.messages).toHaveLength(3);
  });
});

it('leaves a name that Anthropic takes', () => {
  const dialect = dialectNamed('anthropic') as unknown as AnyDialect;
  const talk = [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'n'.repeat(128), input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] },
  ];
  expect(repairWith(talk, { dialect }).changes).toEqual([]);
});
