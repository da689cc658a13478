import { expect, it } from 'vitest';

import {
  callsInAnthropic,
  replyInAnthropic,
  resultsForAnthropic,
} from '../../../../src/transcript/dialects/anthropic/speech.ts';

it('takes from a response what a request may not hold', () => {
  const content = [
    { type: 'thinking', thinking: 'half' },
    { type: 'text', text: 'x' },
  ];
  expect(replyInAnthropic({ id: 'msg_1', role: 'assistant', content, usage: {} })).toEqual([
    { role: 'assistant', content: content.slice(1) },
  ]);
  expect(replyInAnthropic('Hello')).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'Hello' }] }]);
});

it('gives arguments that came as text as an object', () => {
  const use = { type: 'tool_use', id: 'a', name: 'read', input: '{"n":1}' };
  expect(callsInAnthropic([{ role: 'assistant', content: [use] }])).toMatchObject([{ id: 'a', input: { n: 1 } }]);
  expect(callsInAnthropic([{ role: 'user', content: [use] }])).toEqual([]);
});

it('puts the results of a batch into one message', () => {
  const row = (id: string) => ({ id, name: 'read', call: {}, ms: 1, status: 'completed', value: id }) as const;
  const answered = ['a', 'b'].map((id) => ({ outcome: row(id), answer: { status: 'completed', value: id } as const }));
  expect(resultsForAnthropic(answered)).toEqual([
    {
      role: 'user',
      content: ['a', 'b'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: id })),
    },
  ]);
});
