import { expect, it } from 'vitest';
import { createResponsesWire } from '../../../../src/testing/model-server/wires/openai-responses-wire.ts';
import { planAnswer, type Wire } from '../../../../src/testing/model-server/wires/wire.ts';

const answer = { thinking: 'Hm.', text: 'Go now.', toolCalls: [{ name: 'read', input: { a: 1 } }], chunks: 2 };
const body = { model: 'm', input: 'Go.' };

function events(wire: Wire, given: Parameters<typeof planAnswer>[0] = answer, request: object = body) {
  const plan = planAnswer(given, wire, 1, 'm', 5000);
  return [...wire.stream(plan, request as Record<string, unknown>)].map(({ text, isDelta }) => {
    const [, type, data] = /^event: (\S+)\ndata: (.*)\n\n$/s.exec(text) ?? [];
    return { type, isDelta, data: JSON.parse(data ?? '') as Record<string, unknown> };
  });
}

it('the Responses wire streams each item from its opening to its end, numbered', () => {
  const found = events(createResponsesWire());
  expect(found.map(({ type }) => type)).toEqual(
    [
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ].map((type) => `response.${type}`),
  );
  expect(found.map(({ data }) => data['sequence_number'])).toEqual(found.map((_, index) => index));
  expect(found.filter(({ isDelta }) => isDelta)).toHaveLength(6);
  const ended = found.at(-1)?.data['response'] as { output: { type: string }[] };
  expect(ended.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
});

it('the Responses wire streams the input of a custom tool, and a shell call in one piece', () => {
  const tools = [{ type: 'custom', name: 'grammar' }, { type: 'shell' }];
  const toolCalls = [
    { name: 'grammar', input: 'x' },
    { name: 'shell', input: { commands: ['ls'] } },
  ];
  const types = events(createResponsesWire(), { toolCalls }, { ...body, tools }).map(({ type }) => type?.slice(9));
  expect(types.slice(2, -1)).toEqual([
    'output_item.added',
    'custom_tool_call_input.delta',
    'custom_tool_call_input.done',
    'output_item.done',
    'output_item.added',
    'output_item.done',
  ]);
});

it('the Responses wire says the same in one piece, and why it is incomplete', () => {
  const wire = createResponsesWire();
  const plan = planAnswer({ ...answer, stopReason: 'max_output_tokens' }, wire, 1, 'm', 5000);
  expect(wire.whole(plan, body)).toMatchObject({
    id: 'resp_1',
    created_at: 5,
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    usage: { input_tokens: 10 },
  });
  expect(events(wire, { text: 'x', stopReason: 'max_output_tokens' }).at(-1)?.type).toBe('response.incomplete');
});

it('the Responses wire remembers a response once its stream came to its end, and no cut one', () => {
  const wire = createResponsesWire();
  const plan = planAnswer({ text: 'one two' }, wire, 1, 'm', 0);
  const next = { model: 'm', input: 'And?', previous_response_id: 'resp_1' };
  for (const { isDelta } of wire.stream(plan, body)) if (isDelta) break;
  const refusal = wire.refuse(next, 'm') ?? '';
  expect(refusal).toBe("Previous response with id 'resp_1' not found.");
  expect(wire.failure(400, refusal, 1)).toMatchObject({
    error: { type: 'invalid_request_error', param: 'previous_response_id', code: 'previous_response_not_found' },
  });
  expect([...wire.stream(plan, body)].length).toBeGreaterThan(0);
  expect(wire.refuse(next, 'm')).toBeUndefined();
});
