import { expect, it } from 'vitest';

import { Conversation } from '../../../../src/testing/program/conversation/conversation.ts';
import { bash, knownBy, requestOf } from '../support.ts';

const prompt = { role: 'user', content: 'q begin' };
const commands = { text: 'I run it.', toolCalls: [{ name: 'bash', input: { command: 'sh /run/all.sh' } }] };
const opened = (known = knownBy(requestOf([prompt]))) => new Conversation('q', known);

/** One whose model has handed out a call, and that call with its result. */
function running(system?: string) {
  const first = requestOf([prompt], [bash], { body: { messages: [prompt], tools: [bash], system } });
  const conversation = opened(knownBy(first));
  conversation.answer(first, () => commands);
  const [{ id, input } = { id: '', input: {} }] = conversation.calls;
  const call = { role: 'assistant', content: [{ type: 'tool_use', id, name: 'bash', input }] };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] };
  return { conversation, call, result };
}

it('each call that is handed out has an id of its own, and what the model says is kept', () => {
  const conversation = opened();
  const asked = (content: string, rest = {}) => requestOf([{ role: 'user', content }], [], rest);
  const two = { ...commands, toolCalls: [...commands.toolCalls, ...commands.toolCalls] };
  const ids = [{ id: 'toolu_q_1_1' }, { id: 'toolu_q_1_2' }];
  expect(conversation.answer(asked('a'), () => two)).toMatchObject({ toolCalls: ids });
  expect(conversation.answer(asked('b', { dialect: 'gemini' }), () => commands)).toMatchObject({
    toolCalls: [{ id: 'call_q_2_1' }],
  });
  const failure = { status: 529 };
  const replies = ['Hello.', failure].map((reply, n) => conversation.answer(asked(`c${String(n)}`), () => reply));
  expect(replies).toEqual(['Hello.', failure]);
  expect(conversation.said).toEqual(['I run it.', 'I run it.', 'Hello.']);
  expect(conversation.calls).toHaveLength(3);
});

it('who asks the same twice is at the same step, and gets the same calls', () => {
  const conversation = opened();
  const steps: number[] = [];
  const ask = (content: string) =>
    conversation.answer(requestOf([{ role: 'user', content }]), (n) => (steps.push(n), commands));
  expect(ask('a')).toEqual(ask('a'));
  expect(ask('b')).not.toEqual(ask('a'));
  expect([steps, conversation.steps.length, conversation.calls.length]).toEqual([[1, 1, 2, 1], 2, 2]);
});

it('a call is open until a request has answered it, whatever other requests there were', () => {
  const { conversation, call, result } = running();
  expect(conversation.openCalls).toEqual(conversation.calls);
  conversation.requests.push(requestOf([prompt, { role: 'assistant', content: 'Hm.' }]));
  expect(conversation.openCalls).toEqual(conversation.calls);
  conversation.requests.push(requestOf([call, result]));
  expect(conversation.openCalls).toEqual([]);
});

it('a request is of the conversation with its prompt and its tools, one more or less, also if it is refused; without both it is not', () => {
  const conversation = opened(knownBy(requestOf([prompt], [bash, { name: 'welcome' }])));
  expect(conversation.isOf(requestOf([prompt]))).toBe(true);
  expect(conversation.isOf(requestOf([prompt], undefined, { refusal: 'unanswered' }))).toBe(true);
  expect(conversation.isOf(requestOf([{ role: 'user', content: 'Title: q begin' }], []))).toBe(false);
  expect(conversation.isOf(requestOf([prompt, { role: 'user', content: 'A title?' }], [{ name: 'set_title' }]))).toBe(
    false,
  );
  expect(conversation.isOf(requestOf([{ role: 'user', content: 'else' }]))).toBe(false);
});

it('a request that says again what was said is of the conversation without its tools, and one that is instructed otherwise is not', () => {
  const { conversation, call, result } = running('You are an agent.');
  conversation.said.push('q begin', 'q please go on');

  const further = { role: 'user', content: 'q please go on' };
  for (const messages of [[prompt], [prompt, further], [prompt, call, result]]) {
    expect(conversation.isOf(asking(messages)), JSON.stringify(messages)).toBe(true);
  }
  expect(conversation.isOf(asking([prompt], 'You are an agent.'))).toBe(true);
  expect(conversation.isOf(asking([prompt], 'Give a title of five words.'))).toBe(false);
  expect(conversation.isOf(asking([{ role: 'user', content: 'Title for a chat that begins with: q begin' }]))).toBe(
    false,
  );
});

it('a request that answers a call is of the conversation, without the prompt and without its tools', () => {
  const { conversation, call, result } = running();
  expect(conversation.isOf(requestOf([call, result], []))).toBe(true);
  const input = [{ type: 'function_call_output', call_id: conversation.calls[0]?.id, output: 'ok' }];
  const body = { previous_response_id: 'r', input };
  expect(conversation.isOf(requestOf([], [], { dialect: 'openai-responses', body }))).toBe(true);
  const other = [{ type: 'function_call_output', call_id: 'call_of_another', output: 'ok' }];
  expect(conversation.isOf(requestOf([], [], { dialect: 'openai-responses', body: { input: other } }))).toBe(false);
});

it('a request without tools that says what the model has said goes on with the conversation, unless it asks about it', () => {
  const { conversation, call, result } = running('You are an agent.');
  const messages = [prompt, { role: 'assistant', content: 'I run it.' }];
  const example = [
    { role: 'user', content: 'a title' },
    { role: 'assistant', content: 'of a few words' },
  ];
  const format = { output_config: { format: { schema: { type: 'object' } } } };
  expect(conversation.isOf(requestOf(messages, []))).toBe(true);
  expect(conversation.isOf(requestOf([...example, prompt], []))).toBe(false);
  expect(conversation.isOf(requestOf([], [], { body: { messages, ...format } }))).toBe(false);
  expect(conversation.isOf(requestOf([], [], { body: { messages, format: 'json' } }))).toBe(false);
  const title = { role: 'user', content: 'Write a title for that.' };
  expect(conversation.isOf(requestOf([...messages, title], []))).toBe(false);
  expect(conversation.isOf(requestOf([...messages, title]))).toBe(true);
  // Who is instructed to do something else asks about it, and who has one instruction more does not.
  const instructed = (system: string) => conversation.isOf(requestOf([], [], { body: { messages, system } }));
  expect(instructed('Write a title.')).toBe(false);
  expect(instructed('You are an agent.\nUse no tools.')).toBe(true);
  // The prompt was put in other words, and the call is still that of this run.
  expect(conversation.isOf(requestOf([{ role: 'user', content: 'Continue.' }, call, result]))).toBe(true);
});

it('of a program of which nothing is known each request that says the prompt is of the conversation', () => {
  const conversation = new Conversation('q', undefined);
  expect(conversation.isOf(requestOf([prompt], []))).toBe(true);
  expect(conversation.isOf(requestOf([{ role: 'user', content: 'else' }]))).toBe(false);
});

const asking = (messages: readonly object[], system?: string) => requestOf([], [], { body: { messages, system } });
const said = { role: 'assistant', content: 'w1 w2' };
const next = { role: 'user', content: 'q please go on' };

it.each([
  ['its instructions', asking([prompt], 'You write titles.'), asking([prompt, said], 'You write titles.')],
  ['other instructions than any seen', asking([prompt]), asking([prompt, said], 'You remember what matters.')],
  [
    'its words around the prompt',
    asking([{ role: 'user', content: 'Write a title for: q begin' }], 'You are a friend.'),
    asking([{ role: 'user', content: 'Write a title for: q begin' }], 'You are a friend.'),
  ],
  [
    'its words behind the conversation',
    asking([prompt]),
    asking([prompt, said, { role: 'user', content: 'Write a title.' }], 'You are a friend.'),
  ],
])('a program without tools asks beside its conversation, which is known by %s', (_, beside, later) => {
  const conversation = opened(knownBy(asking([prompt], 'You are a friend.'), beside));
  conversation.said.push('q begin', 'q please go on');
  expect(conversation.isOf(later)).toBe(false);
  // With a clock in its instructions, and a reminder behind the prompt.
  const reminder = { role: 'user', content: 'Be brief.' };
  for (const messages of [[prompt], [prompt, said, next], [prompt, said, next, reminder]]) {
    expect(conversation.isOf(asking(messages, 'You are a friend. It is 9 o’clock.'))).toBe(true);
  }
});
