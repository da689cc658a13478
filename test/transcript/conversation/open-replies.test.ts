import { expect, it } from 'vitest';

import type { Entry } from '../../../src/transcript/conversation/entries.ts';
import { OpenReplies } from '../../../src/transcript/conversation/open-replies.ts';
import { rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import { anthropic, type AnthropicMessage } from '../../../src/transcript/dialects/anthropic/index.ts';
import { lostNote } from '../../../src/transcript/reading/hosted-calls.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';

const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] };

function entry(isOpen: boolean, ...content: object[]): Entry<AnthropicMessage> {
  const messages = [{ role: 'assistant', content } as AnthropicMessage];
  const reply = { messages, calls: [], runnable: [], cutBy: undefined, isOpen, isOverLimit: false, notes: [] };
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
  open.takes([], entries[0] as never);
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
  open.takes([], entries[0] as never);
  const cut = entry(false, { type: 'text', text: 'I fou' });
  entries.push({ ...cut, reply: { ...cut.reply, cutBy: { kind: 'user' } } } as never);

  expect(open.openIn(entries)).toBeUndefined();
  expect(open.legal(entries)).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'I fou' }] },
    { role: 'user', content: lostNote(['web_search']) },
  ]);
});

it('what is open when the turn ends is taken out and said', () => {
  const open = openReplies();
  const entries = [entry(true, { type: 'text', text: 'I look.' }, search)];
  open.takes([], entries[0] as never);
  open.close(entries);
  expect([open.openIn(entries), entries.flatMap((one) => [...write(one)])]).toEqual([
    undefined,
    [
      { role: 'assistant', content: [{ type: 'text', text: 'I look.' }] },
      { role: 'user', content: lostNote(['web_search']) },
    ],
  ]);
});
