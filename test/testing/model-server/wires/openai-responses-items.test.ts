import { expect, it } from 'vitest';
import { outputItems, textPart } from '../../../../src/testing/model-server/wires/openai-responses-items.ts';
import { createResponsesWire } from '../../../../src/testing/model-server/wires/openai-responses-wire.ts';
import { planAnswer } from '../../../../src/testing/model-server/wires/wire.ts';

function items(answer: Parameters<typeof planAnswer>[0], tools: unknown[] = [], include: unknown = sealed) {
  return outputItems(planAnswer(answer, createResponsesWire(), 2, 'm', 0), { tools, include });
}

const sealed = ['reasoning.encrypted_content'];

it('a Responses reply seals its thoughts for who asks for it, and for nobody else', () => {
  for (const include of [null, [], ['file_search_call.results']]) {
    const [thought] = items({ thinking: 'Hm.' }, [], include);
    expect(thought?.item).toEqual({ id: 'rs_2', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] });
  }
  expect(items({ thinking: 'Hm.' })[0]?.item['encrypted_content']).toBe('signature-2');
});

it('a Responses reply puts reasoning first, then the text, then the calls', () => {
  const found = items({ thinking: 'Hm.', text: 'Go.', toolCalls: [{ name: 'read', input: { a: 1 } }] });
  expect(found.map(({ item }) => item)).toEqual([
    {
      id: 'rs_2',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      encrypted_content: 'signature-2',
    },
    { id: 'msg_2', type: 'message', status: 'completed', role: 'assistant', content: [textPart('Go.')] },
    {
      id: 'fc_2_1',
      type: 'function_call',
      status: 'completed',
      call_id: 'call_2_1',
      name: 'read',
      arguments: '{"a":1}',
    },
  ]);
});

it('a Responses reply takes the kind of a call from the tool that the request declares', () => {
  const action = { commands: ['ls'] };
  const operation = { type: 'delete_file', path: 'a' };
  const toolCalls = [
    { name: 'shell', input: action },
    { name: 'apply_patch', input: operation },
    { name: 'grammar', input: 'x = 1' },
  ];
  const declared = items({ toolCalls }, [
    { type: 'shell' },
    { type: 'apply_patch' },
    { type: 'custom', name: 'grammar' },
  ]);
  expect(declared.map(({ item }) => item)).toMatchObject([
    { id: 'sh_2_1', type: 'shell_call', call_id: 'call_2_1', action },
    { id: 'apc_2_2', type: 'apply_patch_call', call_id: 'call_2_2', operation },
    { id: 'ctc_2_3', type: 'custom_tool_call', call_id: 'call_2_3', name: 'grammar', input: 'x = 1' },
  ]);
  expect(declared.map(({ block }) => block?.pieces)).toEqual([undefined, undefined, ['x = 1']]);
  expect(items({ toolCalls }).map(({ item }) => item['type'])).toEqual(Array(3).fill('function_call'));
});

it('a Responses reply keeps the order of parts, and seals each thought', () => {
  const toolCall = { name: 'read', input: {} };
  const found = items({ parts: [{ thinking: 'a' }, { toolCall }, { text: 'b' }, { thinking: 'c' }, { toolCall }] });
  expect(found.map(({ item: { id, encrypted_content: sealed } }) => [id, sealed])).toEqual([
    ['rs_2', 'signature-2'],
    ['fc_2_1', undefined],
    ['msg_2', undefined],
    ['rs_2_2', 'signature-2_2'],
    ['fc_2_2', undefined],
  ]);
});
