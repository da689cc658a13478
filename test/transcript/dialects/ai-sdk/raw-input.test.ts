import { convertToModelMessages } from 'ai';
import { expect, it } from 'vitest';

import { checkTranscript } from '../../../../src/transcript/index.ts';
import { repairWith } from '../../support/repair-with.ts';
import { aiSDKUI as dialect } from '../../../../src/transcript/dialects/ai-sdk/index.ts';

const chat = (rawInput: unknown) => [
  { id: 'u', role: 'user' as const, parts: [{ type: 'text', text: 'x' }] },
  {
    id: 'm',
    role: 'assistant' as const,
    parts: [
      { type: 'tool-read', toolCallId: 'a', state: 'output-error', input: undefined, rawInput, errorText: 'Invalid' },
    ],
  },
];

it.each([
  ['{"path":"a', {}],
  ['{"path":"a"}', { path: 'a' }],
  [7, {}],
])(
  'gives a call whose arguments were no object some, which the SDK would send as they came: %j',
  async (raw, input) => {
    expect(checkTranscript(chat(raw), { dialect })).toMatchObject([{ at: 1, rule: 'call-arguments' }]);
    const { messages, changes } = repairWith(chat(raw), { dialect });
    expect(changes).toMatchObject([{ at: 1, rule: 'call-arguments' }]);
    expect(messages[1]?.parts[0]).toMatchObject({ input, rawInput: raw });
    expect(checkTranscript(messages, { dialect })).toEqual([]);
    expect(repairWith(messages, { dialect }).changes).toEqual([]);
    const [, sent] = await convertToModelMessages(messages as never);
    expect(sent?.content).toMatchObject([{ type: 'tool-call', input }]);
  },
);

it('leaves one that was an object', () => {
  expect(repairWith(chat({ path: 'a' }), { dialect }).changes).toEqual([]);
});
