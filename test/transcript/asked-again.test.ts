/** A reply that broke and is asked for again: what the model said goes, and what has run stays told. */
import { expect, it } from 'vitest';

import { InterruptController } from '../../src/index.ts';
import { checkTranscript, Conversation, dialectNamed, type DialectName } from '../../src/transcript/index.ts';
import type { AnyDialect } from './support/replies/taken.ts';

const sdkCall = { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: {} };
const sdkResult = { type: 'tool-result', toolCallId: 'a', toolName: 'pay', output: { type: 'text', value: 'PAID' } };
const item = { type: 'mcp_call', id: 'mcp_1', name: 'pay', arguments: '{}', server_label: 'bank' };
const use = { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'pay', server_name: 'bank', input: {} };
const said = { type: 'text', text: 'Hm.' };

async function askAgain(name: DialectName, broken: unknown) {
  const dialect = dialectNamed(name) as unknown as AnyDialect;
  const chat = new Conversation(dialect);
  const sent: string[] = [];
  await chat.runTurn(new InterruptController(), 'Pay.', async (turn) => {
    const first = turn.model(({ partial }) => {
      partial(broken);
      throw new Error('ECONNRESET');
    });
    await expect(first).rejects.toThrow('ECONNRESET');
    const last = turn.model(({ messages }) => {
      expect(checkTranscript(messages, { dialect })).toEqual([]);
      sent.push(JSON.stringify(messages));
      throw new Error('enough');
    });
    await expect(last).rejects.toThrow('enough');
  });
  return sent.join();
}

it.each<[DialectName, string, unknown, string]>([
  ['openai-responses', 'a call of the provider', [{ ...item, status: 'in_progress' }], 'may have run'],
  ['openai-responses', 'one that ended', [{ ...item, status: 'completed', output: 'PAID' }], 'PAID'],
  ['anthropic', 'a call of the provider', { role: 'assistant', content: [said, use] }, 'may have run'],
  ['gemini', 'code', { role: 'model', parts: [{ executableCode: { code: 'pay()' } }] }, 'may have run'],
  [
    ...(['gemini', 'code that ended'] as const),
    { role: 'model', parts: [{ executableCode: { code: 'pay()' } }, { codeExecutionResult: { output: 'PAID' } }] },
    'PAID',
  ],
  [
    ...(['ai-sdk', 'a step whose tool ran'] as const),
    {
      isComplete: false,
      messages: [
        { role: 'assistant', content: [sdkCall] },
        { role: 'tool', content: [sdkResult] },
        { role: 'assistant', content: [said] },
      ],
    },
    'PAID',
  ],
])('of %s, with %s, is told with what has run', async (name, _what, broken, told) => {
  expect(await askAgain(name, broken)).toContain(told);
});

it.each<[DialectName, unknown]>([
  ['openai-responses', 'Hm.'],
  ['anthropic', { role: 'assistant', content: [said] }],
  ['gemini', 'Hm.'],
  ['ai-sdk', { role: 'assistant', content: [said, sdkCall] }],
])('of %s goes where nothing of it has run', async (name, broken) => {
  expect(await askAgain(name, broken)).not.toContain('Hm.');
});
