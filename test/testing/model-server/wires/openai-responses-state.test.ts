import { expect, it } from 'vitest';
import { ResponsesState } from '../../../../src/testing/model-server/wires/openai-responses-state.ts';

const call = { id: 'fc_1', type: 'function_call', call_id: 'a', name: 't', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'a', output: 'ok' };
const reasoning = { id: 'rs_1', type: 'reasoning', summary: [] };

function afterOneCall(body: object = {}): ResponsesState {
  const state = new ResponsesState();
  state.keep('resp_1', { model: 'm', input: 'Go.', ...body }, [reasoning, call]);
  return state;
}

it('the Responses state asks for a model and something to answer', () => {
  const state = new ResponsesState();
  expect(state.refuse({ input: 'Go.' })).toBe("Missing required parameter: 'model'.");
  expect(state.refuse({ model: 'm' })).toContain("One of 'input' or 'previous_response_id'");
  expect(state.refuse({ model: 'm', input: 'Go.' })).toBeUndefined();
});

it('the Responses state holds what a response left open against the next request', () => {
  const state = afterOneCall();
  const next = { model: 'm', previous_response_id: 'resp_1' };
  expect(state.refuse({ ...next, input: 'And?' })).toBe('No tool output found for function call a.');
  expect(state.refuse({ ...next, input: [output] })).toBeUndefined();
  expect(state.refuse({ ...next, input: [output, output] })).toContain('No tool call found');
});

it('the Responses state knows a conversation by its id', () => {
  const state = afterOneCall({ conversation: { id: 'conv_1' } });
  expect(state.refuse({ model: 'm', conversation: 'conv_1', input: 'And?' })).toContain('No tool output found');
  expect(state.refuse({ model: 'm', conversation: 'conv_1', input: [output] })).toBeUndefined();
  expect(state.refuse({ model: 'm', conversation: 'c', previous_response_id: 'resp_1' })).toContain(
    'Mutually exclusive',
  );
});

it('the Responses state does not know what was never finished, or was not to be stored', () => {
  const state = afterOneCall({ store: false });
  expect(state.refuse({ model: 'm', previous_response_id: 'resp_1', input: [output] })).toBe(
    "Previous response with id 'resp_1' not found.",
  );
});

it('the Responses state resolves references, and remembers which reasoning led to an item', () => {
  const state = afterOneCall();
  const input = [{ type: 'item_reference', id: 'rs_1' }, { type: 'item_reference', id: 'fc_1' }, output];
  expect(state.refuse({ model: 'm', input })).toBeUndefined();
  expect(state.refuse({ model: 'm', input: [{ type: 'item_reference', id: 'fc_9' }] })).toBe(
    "Item with id 'fc_9' not found.",
  );
  const bare = [{ ...reasoning, id: 'rs_9' }, { ...call, id: 'fc_9' }, output];
  expect(state.refuse({ model: 'm', input: bare })).toContain("Item with id 'rs_9' not found.");
  expect(
    state.refuse({ model: 'm', input: [{ ...bare[0], encrypted_content: 'x' }, bare[1], output] }),
  ).toBeUndefined();
  expect(state.refuse({ model: 'm', input: [call, output] })).toContain(
    "without its required 'reasoning' item: 'rs_1'",
  );
});
