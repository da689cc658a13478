import { describe, expect, it } from 'vitest';
import {
  foldOpenAIResponses,
  type OpenAIResponsesReply,
} from '../../../../src/adapters/llm/folds/fold-openai-responses.ts';

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

const added = (output_index: number, item: object): Event => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const done = (output_index: number, item: object): Event => ({ type: 'response.output_item.done', output_index, item });
const delta = (what: string, output_index: number, text: string, content_index = 0): Event => ({
  type: `response.${what}.delta`,
  output_index,
  content_index,
  delta: text,
});
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'seal' };
const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };
const whole = {
  ...message,
  status: 'completed',
  content: [{ type: 'output_text', text: 'Let me look.', annotations: [] }],
};
const call = { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'read', arguments: '{"path":"a"}' };
const created: Event = { type: 'response.created', response: { id: 'resp_1' } };
const usage = { input_tokens: 9, output_tokens: 30 };
const completed: Event = { type: 'response.completed', response: { id: 'resp_1', usage } };
const events = [
  created,
  added(0, { ...reasoning, encrypted_content: null }),
  delta('reasoning_summary_text', 0, 'Hm.'),
  done(0, reasoning),
  added(1, message),
  delta('output_text', 1, 'Let me '),
  delta('output_text', 1, 'look.'),
  done(1, whole),
  added(2, { ...call, arguments: '' }),
  delta('function_call_arguments', 2, '{"path":"a"}'),
  done(2, call),
  completed,
];

function fold(given: readonly Event[]): OpenAIResponsesReply {
  const state = foldOpenAIResponses();
  for (const event of given) state.add(event);
  return state.value;
}

it('folds a whole stream into the items the provider would have sent', () => {
  expect(fold(events)).toEqual({
    message: [reasoning, whole, call],
    calls: [call],
    fragments: [],
    text: 'Let me look.',
    stopReason: 'completed',
    isComplete: true,
    responseId: 'resp_1',
    usage: { isExact: true, inputTokens: 9, outputTokens: 30, reported: usage },
  });
});

describe('a stream cut anywhere', () => {
  const half = (text: string) => ({
    ...message,
    status: 'incomplete',
    content: [{ type: 'output_text', text, annotations: [] }],
  });

  it.each<[number, object[]]>([
    [0, []],
    [3, []],
    [4, []],
    [5, []],
    [6, [reasoning, half('Let me ')]],
    [7, [reasoning, half('Let me look.')]],
    [8, [reasoning, whole]],
    [10, [reasoning, whole]],
    [11, [reasoning, whole, call]],
  ])('after %i events keeps what can go back', (count, items) => {
    const reply = fold(events.slice(0, count));
    expect(reply.message).toEqual(items);
    expect([reply.isComplete, reply.stopReason, reply.usage.isExact]).toEqual([false, undefined, false]);
    expect(reply.calls).toEqual(count === 11 ? [call] : []);
  });

  it('counts at least what came, and knows which response it was', () => {
    expect(fold(events.slice(0, 7)).usage).toEqual({ isExact: false, inputTokens: undefined, outputTokens: 3 });
    expect(fold(events.slice(0, 7)).responseId).toBe('resp_1');
    expect(fold([]).usage.outputTokens).toBeUndefined();
  });
});

it('keeps what had come of a call as a fragment', () => {
  const id = { id: 'a', name: 'read' };
  expect(fold(events.slice(0, 9)).fragments).toEqual([{ ...id, json: '' }]);
  expect(fold(events.slice(0, 10)).fragments).toEqual([{ ...id, json: '{"path":"a"}' }]);
  expect(fold(events.slice(0, 11)).fragments).toEqual([]);
  expect(fold([added(0, call), done(0, { ...call, arguments: '{"pa' })]).fragments).toEqual([{ ...id, json: '{"pa' }]);
  const custom = { type: 'custom_tool_call' };
  expect(fold([added(0, custom), delta('custom_tool_call_input', 0, 'ls')]).fragments).toEqual([
    { id: undefined, name: 'custom_tool_call', json: 'ls' },
  ]);
});

it('keeps a refusal, and leaves out a call that the token limit cut', () => {
  const refused = fold([added(0, message), delta('refusal', 0, 'I will '), delta('refusal', 0, 'not.')]);
  expect(refused.message[0]?.['content']).toEqual([{ type: 'refusal', refusal: 'I will not.' }]);
  const incomplete: Event = {
    type: 'response.incomplete',
    response: { id: 'r', incomplete_details: { reason: 'max_output_tokens' }, usage },
  };
  const limited = fold([added(0, call), done(0, { ...call, arguments: '{"pa' }), incomplete]);
  expect(limited.fragments).toEqual([{ id: 'a', name: 'read', json: '{"pa' }]);
  expect(limited).toMatchObject({ message: [], calls: [], stopReason: 'max_output_tokens', isComplete: true });
});

it('has for calls what the caller answers, and for fragments what a limit cut of those', () => {
  const shell = { type: 'shell_call', call_id: 's', status: 'completed' };
  const hosted = { ...shell, environment: { type: 'container_reference' } };
  expect(fold([done(0, { ...shell, environment: { type: 'local' } })]).calls).toHaveLength(1);
  expect(fold([done(0, hosted)]).calls).toEqual([]);
  expect(fold([done(0, shell), done(1, { type: 'shell_call_output', call_id: 's' })]).calls).toEqual([]);
  const search = { type: 'tool_search_call', call_id: 't' };
  expect(fold([done(0, { ...search, execution: 'client' })]).calls).toHaveLength(1);
  expect(fold([done(0, { ...search, execution: 'server' })]).calls).toEqual([]);
  const half = { type: 'custom_tool_call', call_id: 'u', name: 'sh', status: 'incomplete', input: 'rm -' };
  expect(fold([done(0, half)])).toMatchObject({ message: [], fragments: [{ id: 'u', name: 'sh', json: 'rm -' }] });
  expect(fold([done(0, { ...call, status: 'incomplete', arguments: '' })]).calls).toEqual([]);
});

it('keeps what is said of a text that was cut', () => {
  const annotation = { type: 'url_citation', url: 'u' };
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
  const cited = fold([
    added(0, message),
    { type: 'response.content_part.added', output_index: 0, content_index: 0, part },
    delta('output_text', 0, 'So'),
    { type: 'response.output_text.annotation.added', output_index: 0, content_index: 0, annotation },
  ]);
  expect(cited.message[0]?.['content']).toEqual([{ ...part, text: 'So', annotations: [annotation] }]);
});

it('takes from the end what no event had closed', () => {
  const end = (...output: object[]): Event => ({ type: 'response.completed', response: { id: 'r', usage, output } });
  expect(fold([added(0, message), delta('output_text', 0, 'Let'), end(whole, call)]).message).toEqual([whole, call]);
  expect(fold([end(whole)]).message).toEqual([whole]);
  expect(fold([done(0, whole), end()]).message).toEqual([whole]);
  expect(fold([done(4e9, whole), end({ ...whole, id: 'other' })]).message).toEqual([whole]);
});

it('leaves out a text without a visible character', () => {
  expect(fold([added(0, message), delta('output_text', 0, ' \n')]).message).toEqual([]);
});

it('does not take a failure for an end', () => {
  const failed: Event = { type: 'response.failed', response: { id: 'r', error: { message: 'x' } } };
  expect(fold([created, failed])).toMatchObject({ isComplete: false, stopReason: 'failed' });
});

it('passes over what it does not know', () => {
  expect(
    fold([
      { type: 'keepalive' },
      delta('output_text', 7, 'lost'),
      { type: 'response.output_item.added', output_index: 0 },
    ]).message,
  ).toEqual([]);
});

it('takes arguments that a compatible server gives as an object', () => {
  const fold = foldOpenAIResponses();
  fold.add(done(0, { ...call, arguments: { path: 'a' } }));
  expect(fold.value.calls.map(({ arguments: json }) => json)).toEqual(['{"path":"a"}']);
});

it('says the same whether it was asked on the way or not, also where an item comes anew in an earlier place', () => {
  const events = [
    done(0, { type: 'reasoning', id: 'rs' }),
    done(4, { type: 'function_call_output', call_id: 'other', output: '' }),
    added(5, { ...call, arguments: '' }),
    added(4, { type: 'message', content: [] }),
    completed,
  ];
  const [asked, once] = [foldOpenAIResponses(), foldOpenAIResponses()];
  for (const event of events) {
    asked.add(event);
    expect(asked.value).toBeDefined();
    once.add(event);
  }
  expect(asked.value).toEqual(once.value);
  expect(once.value.message).toEqual([]);
});
