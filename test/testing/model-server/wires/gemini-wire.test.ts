import { expect, it } from 'vitest';
import { geminiWire } from '../../../../src/testing/model-server/wires/gemini-wire.ts';
import { planAnswer } from '../../../../src/testing/model-server/wires/wire.ts';

const toolCalls = [
  { name: 'read', input: { path: 'a' } },
  { name: 'list', input: undefined },
];
const plan = planAnswer({ thinking: 'Hm.', text: 'Looking now.', toolCalls }, geminiWire, 1, 'gemini-3-pro', 0);
const signature = Buffer.from('signature-1').toString('base64');
const calls = [
  { functionCall: { id: 'call_1_1', name: 'read', args: { path: 'a' } }, thoughtSignature: signature },
  { functionCall: { id: 'call_1_2', name: 'list', args: {} } },
];

it('the Gemini wire streams thoughts, text and whole calls, and says only at the end why it stopped', () => {
  const chunks = [...geminiWire.stream(plan, {})];
  const candidates = chunks.map(({ text }) => {
    expect(text).toMatch(/^data: .*\r\n\r\n$/);
    return (JSON.parse(text.slice('data: '.length)) as { candidates: [{ content: { parts: [unknown] } }] })
      .candidates[0];
  });
  expect(candidates.map(({ content }) => content.parts[0])).toEqual([
    { text: 'Hm.', thought: true },
    { text: 'Looking' },
    { text: ' now.' },
    ...calls,
    { text: '' },
  ]);
  expect(candidates.map((candidate) => (candidate as { finishReason?: string }).finishReason)).toEqual([
    ...Array.from({ length: 5 }),
    'STOP',
  ]);
  expect(chunks.filter(({ isDelta }) => isDelta)).toHaveLength(5);
});

it('the Gemini wire says the same in one piece', () => {
  expect(geminiWire.whole(plan, {})).toMatchObject({
    candidates: [{ content: { role: 'model', parts: [{ thought: true }, { text: 'Looking now.' }, ...calls] } }],
    modelVersion: 'gemini-3-pro',
    usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 + plan.outputTokens },
  });
});

it.each([
  ['/v1beta/models/gemini-3-pro:generateContent', { model: 'gemini-3-pro', stream: false }],
  ['/v1/models/g:streamGenerateContent', { model: 'g', stream: true }],
  ['/v1beta/models/g:countTokens', undefined],
  ['/models/g:generateContent', { model: 'g', stream: false }],
])('the Gemini wire reads %s', (path, route) => {
  expect(geminiWire.route(path)).toEqual(route);
});

it.each([
  [400, 'INVALID_ARGUMENT'],
  [429, 'RESOURCE_EXHAUSTED'],
  [418, 'UNKNOWN'],
])('names error %i %s', (code, status) => {
  expect(geminiWire.failure(code, 'why', 1)).toEqual({ error: { code, message: 'why', status } });
});

it('the Gemini wire keeps the order of parts, and signs the first call of them', () => {
  const [one, other] = toolCalls.map((toolCall) => ({ toolCall }));
  const parts = [{ thinking: 'a b' }, { text: 'c d' }, one, { thinking: 'e' }, other].filter(
    (part) => part !== undefined,
  );
  const given = planAnswer({ parts }, geminiWire, 1, 'gemini-3-pro', 0);
  expect(geminiWire.whole(given, {})).toMatchObject({
    candidates: [
      {
        content: {
          parts: [{ text: 'a b', thought: true }, { text: 'c d' }, calls[0], { text: 'e', thought: true }, calls[1]],
        },
      },
    ],
  });
  expect([...geminiWire.stream(given, {})].filter(({ isDelta }) => isDelta)).toHaveLength(7);
});
