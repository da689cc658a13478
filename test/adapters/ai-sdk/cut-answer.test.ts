import { expect, it } from 'vitest';
import { GrowingAnswer, sendable } from '../../../src/adapters/ai-sdk/cut-answer.ts';

const signed = { type: 'reasoning', text: 'hm', providerMetadata: { p: { signature: 's' } } };
const call = (toolCallId: string, more: object = {}) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 't',
  input: '{"a":1}',
  ...more,
});
const called = (toolCallId: string, more: object = {}) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 't',
  input: { a: 1 },
  ...more,
});
const thought = { type: 'reasoning', text: 'hm', providerOptions: { p: { signature: 's' } } };

it('an answer without calls is kept as its words', () => {
  const answer = new GrowingAnswer();
  answer.close('r', signed);
  expect(answer.said).toBeUndefined();
  answer.addText('t', 'Pay');
  answer.addText('t', 'ing');
  expect(answer.said).toEqual({
    text: 'Paying',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Paying' }] },
  });
  expect(answer.hasCalls).toBe(false);
});

it('behind a call an answer is kept in its order, with what is signed, and without a thought that led to nothing', () => {
  const answer = new GrowingAnswer();
  answer.close('r', signed);
  answer.addText('t', ' ');
  answer.addText('t', 'Paying');
  answer.close('t', { type: 'text', text: ' Paying', providerMetadata: { p: { cited: 1 } } } as never);
  answer.addWhole(call('a', { providerMetadata: { p: { signature: 'c' } } }));
  answer.close('r2', signed);
  const first = [
    thought,
    { type: 'text', text: ' Paying', providerOptions: { p: { cited: 1 } } },
    called('a', { providerOptions: { p: { signature: 'c' } } }),
  ];
  expect(answer.said?.message.content).toEqual(first);
  answer.addText('t2', ' \n');
  expect(answer.said?.message.content).toEqual(first);
  answer.addText('t2', 'Then');
  expect(answer.said?.message.content).toEqual([...first, thought, { type: 'text', text: ' \nThen' }]);
  expect(answer.text).toBe(' Paying \nThen');
});

it('items lose their names, and thoughts that are nothing else are left out', () => {
  const answer = new GrowingAnswer();
  const item = (itemId: string, more: object = {}) => ({ providerMetadata: { openai: { itemId, ...more } } });
  answer.addWhole(call('web', { providerExecuted: true }));
  answer.addWhole({ type: 'tool-result', toolCallId: 'web', toolName: 't', result: 1 } as never);
  answer.close('1', { type: 'reasoning', text: 'a', ...item('rs_1') } as never);
  answer.close('2', { type: 'reasoning', text: 'b', ...item('rs_2', { reasoningEncryptedContent: 'x' }) } as never);
  answer.addWhole(call('a', item('fc_1')));
  answer.addWhole(call('later', { providerExecuted: true }));
  expect(answer.said?.message.content).toEqual([
    { type: 'reasoning', text: 'b', providerOptions: { openai: { reasoningEncryptedContent: 'x' } } },
    called('a'),
    called('web', { providerExecuted: true }),
    called('later', { providerExecuted: true }),
  ]);
  expect(answer.lost).toEqual(['t', 't']);
});

it('what a provider runs that stores items is lost with its answer, also where it has ended', () => {
  const answer = new GrowingAnswer();
  answer.addText('t', 'I look.');
  answer.close('t', { type: 'text', text: 'I look.', providerMetadata: { openai: { itemId: 'msg_1' } } } as never);
  answer.addWhole(call('web', { providerExecuted: true }));
  const words = { type: 'text', text: 'I look.' };
  expect(answer.said?.message.content).toEqual([words, called('web', { providerExecuted: true })]);
  answer.addWhole({ type: 'tool-result', toolCallId: 'web', toolName: 't', result: 1 } as never);
  expect(answer.said?.message.content).toEqual([words, called('web', { providerExecuted: true })]);
  expect(answer.lost).toEqual(['t']);
});

it('what a provider ran to its end stays with its result, the last one, in its order', () => {
  const answer = new GrowingAnswer();
  const result = { type: 'tool-result', toolCallId: 'web', toolName: 't', result: 1 };
  answer.close('r', signed);
  answer.addWhole(call('web', { providerExecuted: true }));
  expect(answer.lost).toEqual(['t']);
  answer.addWhole({ ...result, result: 0, preliminary: true } as never);
  answer.addWhole(result);
  answer.addText('t', 'Then');
  const output = { type: 'json', value: 1 };
  const ran = [
    called('web', { providerExecuted: true }),
    { type: 'tool-result', toolCallId: 'web', toolName: 't', output },
  ];
  expect(answer.said?.message.content).toEqual([thought, ...ran, { type: 'text', text: 'Then' }]);
  expect(answer.lost).toEqual([]);
});

it('of what was cut no call without its result can be sent, and no thought at its end', () => {
  const [run, text] = [called('web', { providerExecuted: true }), { type: 'text', text: 'a' }];
  expect(sendable({ role: 'assistant', content: [text, thought, run] })).toEqual([
    { role: 'assistant', content: [text] },
  ]);
  expect(sendable({ role: 'assistant', content: [thought, run] })).toEqual([]);
});

it('what a provider without stored items ran stays, and is no call of ours', () => {
  const answer = new GrowingAnswer();
  answer.addWhole(call('web', { providerExecuted: true }));
  expect(answer.said?.message.content).toEqual([called('web', { providerExecuted: true })]);
  expect(answer.hasCalls).toBe(false);
  answer.addWhole(call('a'));
  expect(answer.said?.message.content).toEqual([called('web', { providerExecuted: true }), called('a')]);
});

it('a text without words is kept for its signature', () => {
  const answer = new GrowingAnswer();
  answer.close('t', { type: 'text', text: '', providerMetadata: { google: { thoughtSignature: 's' } } } as never);
  answer.addWhole(call('a'));
  expect(answer.said?.message.content[0]).toEqual({
    type: 'text',
    text: '',
    providerOptions: { google: { thoughtSignature: 's' } },
  });
});
