import { expect, it } from 'vitest';

import { callsInGemini, replyInGemini, resultsForGemini } from '../../../../src/transcript/dialects/gemini/speech.ts';

it('keeps what the model thought, and the signature on its call', () => {
  const parts = [{ text: 'hm', thought: true }, { functionCall: { name: 'x' }, thoughtSignature: 's' }, { text: '' }];
  expect(replyInGemini({ role: 'model', parts })).toEqual([{ role: 'model', parts: parts.slice(0, 2) }]);
  expect(replyInGemini('Hi.')).toEqual([{ role: 'model', parts: [{ text: 'Hi.' }] }]);
});

it('gives a call without an id one that tells it from its neighbours, and its response none', () => {
  const parts = [
    { functionCall: { name: 'x' } },
    { functionCall: { name: 'x', id: 'own' } },
    { functionCall: { name: 'x' } },
  ];
  const calls = callsInGemini([{ role: 'model', parts }]);
  expect(calls.map(({ id }) => id)).toEqual(['x#1', 'own', 'x#3']);
  const answered = calls.map((call) => ({
    outcome: { id: call.id, name: call.name, call, ms: 1, status: 'completed', value: 1 } as const,
    answer: { status: 'completed', value: 1 } as const,
  }));
  const response = { response: { output: '1' } };
  expect(resultsForGemini(answered)).toEqual([
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'x', ...response } },
        { functionResponse: { id: 'own', name: 'x', ...response } },
        { functionResponse: { name: 'x', ...response } },
      ],
    },
  ]);
});
