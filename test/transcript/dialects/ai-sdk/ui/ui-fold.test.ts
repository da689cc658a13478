import { expect, it } from 'vitest';

import { uiPartsOf } from '../../../../../src/transcript/dialects/ai-sdk/ui/ui-fold.ts';

const call = { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: { n: 1 } };
const made = { type: 'tool-pay', toolCallId: 'a', input: { n: 1 } };
const run = (output: unknown) => [
  { role: 'assistant', content: [call] },
  { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'pay', output }] },
];

it.each([
  [
    { type: 'text', value: 'x' },
    { state: 'output-available', output: 'x' },
  ],
  [
    { type: 'json', value: null },
    { state: 'output-available', output: null },
  ],
  [
    { type: 'content', value: [] },
    { state: 'output-available', output: { type: 'content', value: [] } },
  ],
  [
    { type: 'error-json', value: { code: 1 } },
    { state: 'output-error', errorText: '{"code":1}' },
  ],
  [
    { type: 'execution-denied', reason: 'no' },
    { state: 'output-denied', approval: { id: 'a', approved: false, reason: 'no' } },
  ],
  [undefined, { state: 'input-available' }],
])('a call whose tool gave back %j has that end', (output, end) => {
  expect(uiPartsOf(run(output))).toEqual([{ type: 'step-start' }, { ...made, ...end }]);
});

it('a call that somebody else knows of stays open', () => {
  const parts = uiPartsOf(run({ type: 'text', value: 'x' }), (id) => id === 'a');
  expect(parts).toEqual([{ type: 'step-start' }, { ...made, state: 'input-available' }]);
});

it('a call takes the result behind it where its id comes again', () => {
  const both = [...run({ type: 'text', value: 'one' }), ...run({ type: 'text', value: 'two' })];
  expect(uiPartsOf(both).filter(({ type }) => type === 'tool-pay')).toMatchObject([
    { output: 'one' },
    { output: 'two' },
  ]);
});

it('a reply whose content is a text is a step with that text', () => {
  expect(uiPartsOf([{ role: 'assistant', content: 'Hi.' }])).toEqual([
    { type: 'step-start' },
    { type: 'text', text: 'Hi.', state: 'done' },
  ]);
});
