import { describe, expect, it } from 'vitest';

import { resolveReferences } from '../../../../src/transcript/items/held/held-by-server.ts';
import { checkTranscript } from '../../../../src/transcript/index.ts';
import { repairWith } from '../../support/repair-with.ts';
import { openaiResponses as dialect } from '../../../../src/transcript/dialects/openai-responses/index.ts';

const hello = { role: 'user', content: 'Pay.' };
const reference = { type: 'item_reference', id: 'fc_1' };
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'pay', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'call_1', output: 'paid' };
const row = { id: 'call_1', name: 'pay', call: { raw: call }, ms: 1, status: 'completed', value: 'paid' } as const;
const held = { responses: [{ id: 'resp_1', status: 'completed', output: [call] }] };

it('puts what is known to be held in the place of its reference', () => {
  const { items, references } = resolveReferences([reference, hello], held);
  expect(items).toEqual([call, hello]);
  expect(references.get(call)).toBe(reference);
});

describe('the output of a call that stands as a reference', () => {
  it('the output of a call that stands as a reference stays, once for each reference', () => {
    const items = [hello, reference, output];
    expect(repairWith(items, { dialect }).changes).toEqual([]);
    expect(checkTranscript(items, { dialect })).toEqual([]);
    const more = { ...output, call_id: 'call_2' };
    expect(repairWith([...items, more], { dialect }).messages).toEqual(items);
    expect(checkTranscript([...items, more], { dialect }).map(({ rule }) => rule)).toEqual(['result-has-call']);
  });

  it('does not stay behind a reference to reasoning or to a message', () => {
    for (const id of ['rs_1', 'msg_1']) {
      const items = [hello, { type: 'item_reference', id }, output];
      expect(repairWith(items, { dialect }).messages).toEqual(items.slice(0, 2));
    }
  });

  it('is submitted where the server holds the call', () => {
    const { messages, submit } = repairWith([hello, reference], { dialect, held, outcomes: [row] });
    expect(submit).toEqual({ previous_response_id: 'resp_1', input: [output] });
    expect(messages).toEqual([hello, reference, output]);
  });
});
