import { expect, it } from 'vitest';

import { createReason } from '../../../../src/core/foundation/reason.ts';
import { ollama } from '../../../../src/transcript/dialects/ollama/index.ts';
import { settleTranscript } from '../../../../src/transcript/index.ts';
import { servesALoop } from '../../support/loop-contract.ts';

const call = { function: { name: 'read', arguments: { path: 'a.txt' } } };
const message = { role: 'assistant', content: 'Hello.', tool_calls: [call] };

servesALoop({
  dialect: ollama,
  prompt: { role: 'user', content: 'Go.' },
  whole: { model: 'm', message, done: true, done_reason: 'stop' },
  fold: { message, text: 'Hello.', calls: [call], isComplete: false },
  empty: { model: 'm', message: { role: 'assistant', content: '' }, done: true },
});

it('the whole round of a loop with ids that its caller made up is legal, and each row is with its own call', () => {
  const reason = createReason({ kind: 'user', at: 1 });
  const read = { function: { name: 'read', arguments: {} } };
  const messages = [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: '', tool_calls: [read, read] },
  ];
  const rows = ['first', 'second'].map(
    (value, i) => ({ id: `own-${String(i)}`, name: 'read', call: read, ms: 1, status: 'completed', value }) as const,
  );
  const settled = settleTranscript(messages, { dialect: ollama, outcomes: rows, reason });
  expect(settled.messages.slice(2)).toEqual([
    { role: 'tool', tool_name: 'read', content: 'first' },
    { role: 'tool', tool_name: 'read', content: 'second' },
  ]);
  expect(settleTranscript(settled.messages, { dialect: ollama, outcomes: rows, reason }).changes).toEqual([]);
});
