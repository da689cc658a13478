import { expect, it } from 'vitest';

import { delay, InterruptController } from '../../../src/index.ts';
import { checkTranscript, Conversation } from '../../../src/transcript/index.ts';
import type { Entry } from '../../../src/transcript/conversation/entries.ts';
import { OpenReplies } from '../../../src/transcript/conversation/open-replies.ts';
import { rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import { anthropic, type AnthropicMessage } from '../../../src/transcript/dialects/anthropic/index.ts';
import { lostNote } from '../../../src/core/foundation/results/lost-note.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';

const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] };

function entry(isOpen: boolean, ...content: object[]): Entry<AnthropicMessage> {
  const messages = [{ role: 'assistant', content } as AnthropicMessage];
  const reply = {
    messages,
    calls: [],
    runnable: [],
    cutBy: undefined,
    isOpen,
    asks: false,
    endedInside: undefined,
    notes: [],
  };
  return { turn: undefined, reply };
}

const write = (one: Entry<AnthropicMessage>): readonly AnthropicMessage[] =>
  one.reply === undefined ? one.messages : one.reply.messages;

function openReplies(): OpenReplies<AnthropicMessage> {
  return new OpenReplies(rulesOf({ dialect: anthropic }), createWords(undefined), write);
}

it('a reply stays open until a later one ends what it began', () => {
  const open = openReplies();
  const entries = [entry(true, { type: 'text', text: 'I look.' }, search)];
  open.takes([], 0, entries[0] as never);
  expect(open.openIn(entries)).toEqual(entries.flatMap(write));
  expect(open.legal(entries)).toEqual(entries.flatMap(write));
  entries.push(entry(false, found, { type: 'text', text: 'Found.' }));
  expect([open.openIn(entries), open.startIn(entries)]).toEqual([undefined, -1]);
  entries.pop();
  expect(open.startIn(entries)).toBe(0);
  entries.push(entry(false, found, { type: 'text', text: 'Found.' }));

  expect([open.openIn(entries), open.startIn(entries)]).toEqual([undefined, -1]);
});

it('a provider does not go on with what it began before a reply that was cut', () => {
  const open = openReplies();
  const entries = [entry(true, search)];
  open.takes([], 0, entries[0] as never);
  const cut = entry(false, { type: 'text', text: 'I fou' });
  entries.push({ ...cut, reply: { ...cut.reply, cutBy: { kind: 'user' } } } as never);

  expect(open.openIn(entries)).toBeUndefined();
  expect(open.legal(entries)).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'I fou' }] },
    { role: 'user', content: lostNote(['web_search']) },
  ]);
});

it('what was open before a reply that was cut is closed by the next one, which may be open itself', () => {
  const open = openReplies();
  const entries = [entry(true, search)];
  open.takes([], 0, entries[0] as never);
  const cut = entry(false, { type: 'text', text: 'I fou' });
  entries.push({ ...cut, reply: { ...cut.reply, cutBy: { kind: 'user' } } } as never);
  const next = entry(true, { ...search, id: 's2' });
  const closed = open.takes(entries, 2, next);
  expect(entries).toEqual([closed]);
  entries.push(next);
  expect(open.openIn(entries)).toEqual(write(next));
  expect(open.legal(entries)).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'I fou' }] },
    { role: 'user', content: lostNote(['web_search']) },
    ...write(next),
  ]);
});

it('what is open when the turn ends is taken out and said', () => {
  const open = openReplies();
  const entries = [entry(true, { type: 'text', text: 'I look.' }, search)];
  open.takes([], 0, entries[0] as never);
  open.close(entries);
  expect([open.openIn(entries), entries.flatMap((one) => [...write(one)])]).toEqual([
    undefined,
    [
      { role: 'assistant', content: [{ type: 'text', text: 'I look.' }] },
      { role: 'user', content: lostNote(['web_search']) },
    ],
  ]);
});

it('a search that is paused after a cut reply is what the provider goes on with', async () => {
  const [chat, agent] = [new Conversation(anthropic), new InterruptController()];
  const paused = (id: string): object => ({
    role: 'assistant',
    content: [{ ...search, id }],
    stop_reason: 'pause_turn',
  });
  const sent: (readonly AnthropicMessage[])[] = [];
  await chat.runTurn(agent, 'Go.', async (turn) => {
    await turn.model(() => paused('s0'));
    await turn.model(({ messages, partial, signal }) => {
      expect(messages.length).toBe(2);
      partial({ message: { role: 'assistant', content: [{ type: 'text', text: 'I will' }] }, isComplete: false });
      agent.interject('b too', { delivery: 'now' });
      return delay(signal, 1000);
    });
    await turn.model(({ messages }) => (sent.push(messages), paused('s1')));
    await turn.model(
      ({ messages }) => (sent.push(messages), { role: 'assistant', content: [{ ...found, tool_use_id: 's1' }] }),
    );
  });
  const [third = [], fourth = []] = sent;
  expect(fourth).toEqual([...third, expect.objectContaining({ content: [{ ...search, id: 's1' }] })]);
  expect(JSON.stringify(chat.messages).split('its result is lost').length).toBe(2);
  expect(checkTranscript(chat.messages, { dialect: anthropic })).toEqual([]);
});
