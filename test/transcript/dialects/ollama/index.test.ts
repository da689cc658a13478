import { expect, it } from 'vitest';

import { ollama } from '../../../../src/transcript/dialects/ollama/index.ts';
import { repairWith } from '../../support/repair-with.ts';
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

it('the whole round of a loop is legal, and each row is with its own call', () => {
  const read = { function: { name: 'read', arguments: {} } };
  const messages = [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: '', tool_calls: [read, read] },
  ];
  const rows = ['first', 'second'].map(
    (value, i) =>
      ({
        id: ollama.calls(messages[1])[i]?.id ?? '',
        name: 'read',
        call: read,
        ms: 1,
        status: 'completed',
        value,
      }) as const,
  );
  const settled = repairWith(messages, { dialect: ollama, outcomes: rows });
  expect(settled.messages.slice(2)).toEqual([
    { role: 'tool', tool_name: 'read', content: 'first' },
    { role: 'tool', tool_name: 'read', content: 'second' },
  ]);
  expect(repairWith(settled.messages, { dialect: ollama, outcomes: rows }).changes).toEqual([]);
});
