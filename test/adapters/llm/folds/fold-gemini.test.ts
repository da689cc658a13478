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
  const going = { id: 'c', name: 'read', args: { a: 1 }, willContinue: true };
  expect(fold([chunk([{ functionCall: going }])])).toMatchObject({
    calls: [],
    fragments: [{ id: 'c', name: 'read', json: '{"a":1}' }],
  });
  expect(fold([chunk([{ functionCall: { willContinue: true } }])]).fragments).toEqual([]);
});

it('puts the arguments of a call together that come by their paths', () => {
  const going = (functionCall: object, more: object = {}) =>
    chunk([{ functionCall: { ...functionCall, willContinue: true }, ...more }]);
  const value = (jsonPath: string, stringValue: string, willContinue = false) => ({
    partialArgs: [{ jsonPath, stringValue, willContinue }],
  });
  const begun = going({ id: 'c1', name: 'read' }, { thoughtSignature: 'sig' });
  const streamed = [
    begun,
    going(value('$.path', 'a/', true)),
    going(value('$.path', 'b')),
    going({ partialArgs: [{ jsonPath: '$.of[0].n', numberValue: 1 }] }),
    chunk([{ functionCall: {} }]),
  ];
  const made = { id: 'c1', name: 'read', args: { path: 'a/b', of: [{ n: 1 }] } };
  const whole = fold([...streamed, chunk([{ text: 'So.' }], 'STOP')]);
  expect(whole.message.parts).toEqual([{ functionCall: made, thoughtSignature: 'sig' }, { text: 'So.' }]);
  expect([whole.calls, whole.fragments]).toEqual([[made], []]);
  const cuts = streamed.map((_, count) => fold(streamed.slice(0, count)));
  expect(cuts.flatMap(({ calls }) => calls)).toEqual([]);
  expect(cuts.map(({ fragments }) => fragments[0]?.json)).toEqual([
    ...[undefined, '', '{"path":"a/', '{"path":"a/b"', '{"path":"a/b","of":[{"n":1'],
  ]);
  const other = chunk([{ functionCall: { name: 'list', partialArgs: [{ jsonPath: '$.of', boolValue: true }] } }]);
  expect(fold([begun, other]).calls).toEqual([{ name: 'list', args: { of: true } }]);
  expect(fold([begun, other]).fragments).toEqual([{ id: 'c1', name: 'read', json: '' }]);
  expect(fold([begun, going(value('$[0]', 'x')), chunk([{ functionCall: {} }], 'STOP')]).calls).toEqual([]);
});

it('keeps parts of every kind as they came', () => {
  const parts = [
    { executableCode: { language: 'PYTHON', code: 'print(1)' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
    { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    { toolCall: { id: 't', toolType: 'GOOGLE_SEARCH', args: {} }, thoughtSignature: 's' },
    { text: 'one', partMetadata: { of: 'a' } },
    { text: 'two', partMetadata: { of: 'b' } },
    { text: 'three' },
  ];
  expect(fold(parts.map((part) => chunk([part]))).message.parts).toEqual(parts);
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
