import { expect, it } from 'vitest';

import { InterruptController } from '../../../src/index.ts';
import { answered } from '../../../src/transcript/conversation/answered-questions.ts';
import type { Entry } from '../../../src/transcript/conversation/entries.ts';
import { rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';
import { openaiResponses, type OpenAIResponsesItem } from '../../../src/transcript/dialects/openai-responses/index.ts';
import { checkTranscript, Conversation, repair } from '../../../src/transcript/index.ts';

const asks = { type: 'mcp_approval_request', id: 'q', server_label: 's', name: 'pay', arguments: '{}' };
const yes = { type: 'mcp_approval_response', approval_request_id: 'q', approve: true };
const no = { ...yes, approve: false };
const reply = (...output: object[]) => ({ id: 'r', object: 'response', status: 'completed', output });
const said = { type: 'message', role: 'assistant', content: 'Paid.' };

const decisions = (messages: readonly object[]) =>
  messages.flatMap((one) => ('approve' in one ? [(one as typeof yes).approve] : []));

async function asked(chat: Conversation<OpenAIResponsesItem>): Promise<boolean> {
  const report = await chat.runTurn(new InterruptController(), 'Pay.', async (turn) => {
    const { isLast } = await turn.model(() => reply(asks));
    return isLast;
  });
  return report.unwrap();
}

it('a reply that asks a person is not the last, and has a no until somebody answers', async () => {
  const chat = new Conversation(openaiResponses);
  expect(await asked(chat)).toBe(false);
  expect(decisions(chat.messages)).toEqual([false]);
});

it.each([
  ['between turns', (chat: Conversation<OpenAIResponsesItem>) => Promise.resolve(chat.push('Well.', yes))],
  [
    'as the prompt of the next turn',
    (chat: Conversation<OpenAIResponsesItem>) => chat.runTurn(new InterruptController(), yes, () => undefined),
  ],
  [
    'after another answer',
    (chat: Conversation<OpenAIResponsesItem>) => Promise.resolve((chat.push(no), chat.push(yes))),
  ],
])('the answer of a person is the only one: %s', async (_when, answer) => {
  const chat = new Conversation(openaiResponses);
  await asked(chat);
  await answer(chat);
  expect(decisions(chat.messages)).toEqual([true]);
  expect(checkTranscript(chat.messages, { dialect: openaiResponses })).toEqual([]);
});

it('an answer within the turn is what the provider is sent', async () => {
  const chat = new Conversation(openaiResponses);
  const sent: boolean[][] = [];
  await chat.runTurn(new InterruptController(), 'Pay.', async (turn) => {
    await turn.model(() => reply(asks));
    chat.push(yes);
    await turn.model(({ messages }) => (sent.push(decisions(messages)), reply(said)));
  });
  expect(sent).toEqual([[true]]);
});

it('a stored conversation takes the answer as well', async () => {
  const before = new Conversation(openaiResponses);
  await asked(before);
  const chat = new Conversation(openaiResponses, { messages: before.messages });
  chat.push(yes);
  expect(decisions(chat.messages)).toEqual([true]);
});

it('an answer that comes too late is refused, and changes nothing', async () => {
  const chat = new Conversation(openaiResponses);
  await asked(chat);
  await chat.runTurn(new InterruptController(), 'So?', (turn) => turn.model(() => reply(said)));
  const before = chat.messages;
  expect(() => {
    chat.push(yes);
  }).toThrow('a question is answered before the model goes on, which it has: "q"');
  expect(chat.messages).toEqual(before);
});

it('of two answers in a list the last one stays', () => {
  const list = [{ role: 'user', content: 'Pay.' }, asks, no, yes];
  expect(checkTranscript(list, { dialect: openaiResponses })).toMatchObject([{ at: 3, rule: 'one-result-per-call' }]);
  expect(repair(list, { dialect: openaiResponses }).messages).toEqual([list[0], asks, yes]);
});

it('entries stay the same list where nothing is answered', () => {
  const entries: Entry<never>[] = [];
  expect(answered(rulesOf({ dialect: anthropic }) as never, entries, [yes as never]).entries).toBe(entries);
});

const decided = (messages: readonly object[]) =>
  messages.flatMap((one) =>
    'approve' in one ? [[(one as typeof yes).approval_request_id, (one as typeof yes).approve]] : [],
  );

it.each([
  ['the same again', asks],
  ['something else', { ...asks, arguments: '{"sum":2}' }],
])('the answer of a person is of the question asked last, where its id comes again for %s', async (_what, second) => {
  const chat = new Conversation(openaiResponses);
  await asked(chat);
  const report = await chat.runTurn(new InterruptController(), 'Again.', (turn) => turn.model(() => reply(second)));
  expect(report.unwrap().isLast).toBe(false);
  const [, own] = decided(chat.messages).map(([id]) => id);
  expect(decided(chat.messages)).toEqual([
    ['q', false],
    [own, false],
  ]);
  chat.push(yes);
  expect(decided(chat.messages)).toEqual([
    ['q', false],
    [own, true],
  ]);
  expect(chat.messages.filter(({ type }) => type === asks.type)).toEqual([asks, { ...second, id: own }]);
  expect(checkTranscript(chat.messages, { dialect: openaiResponses })).toEqual([]);
  const stored = JSON.parse(JSON.stringify(chat.messages)) as OpenAIResponsesItem[];
  expect(new Conversation(openaiResponses, { messages: stored }).messages).toEqual(stored);
  expect(() => {
    new Conversation(openaiResponses, { messages: stored }).push(yes);
  }).toThrow('which it has: "q"');
});

it('an answer to one of two questions of a reply that came with one id is refused', async () => {
  const chat = new Conversation(openaiResponses);
  await chat.runTurn(new InterruptController(), 'Pay.', (turn) =>
    turn.model(() => reply(asks, { ...asks, arguments: '{"sum":2}' })),
  );
  expect(() => {
    chat.push(yes);
  }).toThrow('two questions came with one id');
  const second = decided(chat.messages)[1]?.[0];
  const own = { ...yes, approval_request_id: second };
  chat.push(own);
  expect(decided(chat.messages)).toEqual([
    ['q', false],
    [second, true],
  ]);
});

it('answers in a list are of the question asked last with their id', () => {
  const user = { role: 'user', content: 'Pay.' };
  const { messages } = repair([user, asks, no, user, asks, yes], { dialect: openaiResponses });
  const own = decided(messages)[1]?.[0];
  expect(messages).toEqual([user, asks, no, user, { ...asks, id: own }, { ...yes, approval_request_id: own }]);
  expect(own).not.toBe('q');
});
