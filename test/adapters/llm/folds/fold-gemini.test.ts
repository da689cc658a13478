import { expect, it } from 'vitest';
import { foldGemini, type GeminiChunk, type GeminiReply } from '../../../../src/adapters/llm/folds/fold-gemini.ts';

const chunk = (parts: object[], finishReason?: string, usageMetadata?: object): GeminiChunk => ({
  candidates: [{ index: 0, content: { parts }, ...(finishReason === undefined ? {} : { finishReason }) }],
  ...(usageMetadata === undefined ? {} : { usageMetadata }),
});
const call = { id: 'c1', name: 'read', args: { path: 'a' } };
const usage = { promptTokenCount: 9, candidatesTokenCount: 20, thoughtsTokenCount: 10 };
const chunks = [
  chunk([{ text: 'Hm.', thought: true }]),
  chunk([{ text: 'Let me ' }]),
  chunk([{ text: 'look.' }], undefined, { promptTokenCount: 9 }),
  chunk([{ functionCall: call, thoughtSignature: 'sig' }]),
  chunk([{ text: '' }], 'STOP', usage),
];

function fold(given: readonly GeminiChunk[]): GeminiReply {
  const state = foldGemini();
  for (const one of given) state.add(one);
  return state.value;
}

it('folds a whole stream into the turn the provider would have sent', () => {
  expect(fold(chunks)).toEqual({
    message: { role: 'model', parts: [{ text: 'Let me look.' }, { functionCall: call, thoughtSignature: 'sig' }] },
    calls: [call],
    fragments: [],
    text: 'Let me look.',
    stopReason: 'STOP',
    isComplete: true,
    usage: { isExact: true, inputTokens: 9, outputTokens: 30, reported: usage },
  });
});

it.each<[number, object[]]>([
  [0, []],
  [1, []],
  [2, [{ text: 'Let me ' }]],
  [3, [{ text: 'Let me look.' }]],
  [4, [{ text: 'Let me look.' }, { functionCall: call, thoughtSignature: 'sig' }]],
])('cut after %i chunks keeps what can go back', (count, parts) => {
  const reply = fold(chunks.slice(0, count));
  expect(reply.message.parts).toEqual(parts);
  expect([reply.isComplete, reply.usage.isExact]).toEqual([false, false]);
});

it('leaves out a call whose arguments go on, and texts that say nothing', () => {
  const reply = fold([chunk([{ text: ' ' }]), chunk([{ functionCall: { name: 'read', willContinue: true } }])]);
  expect(reply.message.parts).toEqual([]);
  expect(reply.fragments).toEqual([{ id: undefined, name: 'read', json: '' }]);
  const going = fold([chunk([{ functionCall: { id: 'c', name: 'read', args: { a: 1 }, partialArgs: [] } }])]);
  expect(going).toMatchObject({ calls: [], fragments: [{ id: 'c', name: 'read', json: '{"a":1}' }] });
  expect(fold([chunk([{ functionCall: { willContinue: true } }])]).fragments).toEqual([]);
});

it('keeps signatures where they rode, and does not write over them', () => {
  const reply = fold([
    chunk([{ text: 'One', thoughtSignature: 's' }]),
    chunk([{ text: ' two' }]),
    chunk([{ text: '', thoughtSignature: 't' }]),
  ]);
  expect(reply.message.parts).toEqual([
    { text: 'One', thoughtSignature: 's' },
    { text: ' two' },
    { text: '', thoughtSignature: 't' },
  ]);
  expect(reply.text).toBe('One two');
});

it('reads the first candidate only, and chunks without any', () => {
  const drafts: GeminiChunk = {
    candidates: [{ index: 1, content: { parts: [{ text: 'No.' }] } }, { content: { parts: [{ text: 'Yes.' }] } }],
  };
  expect(fold([drafts, {}, { candidates: [] }]).text).toBe('Yes.');
  expect(fold([{}]).usage).toEqual({ isExact: false, inputTokens: undefined, outputTokens: undefined });
});

it('hands out a value that later chunks do not change', () => {
  const state = foldGemini();
  state.add(chunk([{ text: 'One' }]));
  const { message } = state.value;
  state.add(chunk([{ text: ' two' }]));
  expect(message.parts).toEqual([{ text: 'One' }]);
});
