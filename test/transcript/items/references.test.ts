import { describe, expect, it } from 'vitest';

import { callsBehind, outputOfRow, resolveReferences } from '../../../src/transcript/items/references.ts';
import { checkTranscript, settleTranscript } from '../../../src/transcript/index.ts';
import { openaiResponses as dialect } from '../../../src/transcript/dialects/openai-responses/index.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';

const hello = { role: 'user', content: 'Pay.' };
const reference = { type: 'item_reference', id: 'fc_1' };
const thought = { type: 'item_reference', id: 'rs_1' };
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'pay', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'call_1', output: 'paid' };
const row = { id: 'call_1', name: 'pay', call: { raw: call }, ms: 1, status: 'completed', value: 'paid' } as const;
const held = { responses: [{ id: 'resp_1', status: 'completed', output: [call] }] };

it('counts the calls behind references', () => {
  expect(callsBehind([reference, output, reference])).toEqual({
    answered: [{ id: 'call_1', name: '', input: undefined }],
    open: 1,
  });
  expect(callsBehind([thought, call, output])).toEqual({ answered: [], open: 0 });
});

it('puts what is known to be held in the place of its reference', () => {
  const { items, references } = resolveReferences([reference, hello], held);
  expect(items).toEqual([call, hello]);
  expect(references.get(call)).toBe(reference);
  expect(resolveReferences([reference], undefined).items).toEqual([reference]);
});

it('makes of a row the output of its kind of call', () => {
  const telling = { reason: undefined, words: createWords(undefined) };
  expect(outputOfRow(row, telling).items).toEqual([output]);
  const custom = { ...row, call: { raw: { ...call, type: 'custom_tool_call', input: '' } } };
  expect(outputOfRow(custom, telling).items[0]?.type).toBe('custom_tool_call_output');
});

describe('the output of a call that stands as a reference', () => {
  it('the output of a call that stands as a reference stays, once for each reference', () => {
    const items = [hello, reference, output];
    expect(settleTranscript(items, { dialect }).changes).toEqual([]);
    expect(checkTranscript(items, { dialect })).toEqual([]);
    const more = { ...output, call_id: 'call_2' };
    expect(settleTranscript([...items, more], { dialect }).messages).toEqual(items);
    expect(checkTranscript([...items, more], { dialect }).map(({ rule }) => rule)).toEqual(['result-has-call']);
  });

  it('does not stay behind a reference to reasoning or to a message', () => {
    for (const id of ['rs_1', 'msg_1']) {
      const items = [hello, { type: 'item_reference', id }, output];
      expect(settleTranscript(items, { dialect }).messages).toEqual(items.slice(0, 2));
    }
  });

  it('is made of the row of the ledger, and the call is not added a second time', () => {
    const { messages } = settleTranscript([hello, reference], { dialect, outcomes: [row] });
    expect(messages).toEqual([hello, reference, output]);
    expect(settleTranscript(messages, { dialect, outcomes: [row] }).changes).toEqual([]);
  });

  it('is submitted where the server holds the call', () => {
    const { messages, submit } = settleTranscript([hello, reference], { dialect, held, outcomes: [row] });
    expect(submit).toEqual({ previous_response_id: 'resp_1', input: [output] });
    expect(messages).toEqual([hello, reference, output]);
  });
});
