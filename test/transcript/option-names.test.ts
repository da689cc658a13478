import { describe, expect, it } from 'vitest';

import type { LateToolOutcome } from '../../src/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { checkTranscript, Conversation, mapDialect, repair, messageWriter } from '../../src/transcript/index.ts';

const stored = [{ role: 'user', content: 'Hi' } as const];
const chat = new Conversation(openaiChat, { messages: stored });
const identity = (one: object): never => one as never;
const given: Readonly<Record<string, [call: (options: never) => unknown, known: string]>> = {
  'new Conversation': [(options) => new Conversation(openaiChat, options), 'messages, waits, wording, render'],
  compact: [
    (options) => {
      chat.compact(['S'], options);
    },
    'upTo',
  ],
  repair: [
    (options: object) => repair(stored, { dialect: openaiChat, ...options }),
    'dialect, wording, render, ids, outcomeOf, held',
  ],
  checkTranscript: [(options: object) => checkTranscript(stored, { dialect: openaiChat, ...options }), 'dialect, ids'],
  'dialect.check': [(options) => openaiChat.check(stored, options), 'ids'],
  'messageWriter.toolResults': [
    (options) => messageWriter(openaiChat).toolResults([], options),
    'reason, wording, render',
  ],
  mapDialect: [
    (options: object) => mapDialect(openaiChat, { toWire: identity, fromWire: identity, ...options }),
    'toWire, fromWire',
  ],
};

describe.each(Object.entries(given))('the options of %s', (_name, [call, known]) => {
  it('are refused where there is none of that name, with the names that there are', () => {
    expect(() => call({ upto: 1 } as never)).toThrow(
      new TypeError(`${known.startsWith('toWire') ? 'map' : 'options'}.upto is no option: there are ${known}`),
    );
    expect(chat.messages).toEqual(stored);
  });
});

it.each(['new Conversation', 'compact', 'dialect.check', 'messageWriter.toolResults'])(
  'a number in the place of the options of %s is refused',
  (name) => {
    expect(() => given[name]?.[0](1 as never)).toThrow(new TypeError('options must be an object, got 1'));
    expect(chat.messages).toEqual(stored);
  },
);

it('a text in the place of a list is refused, and replaces nothing', () => {
  expect(() => {
    chat.compact('sum' as never);
  }).toThrow(new TypeError('replacement must be an array, got "sum"'));
  expect(() => {
    chat.late('sum' as unknown as LateToolOutcome[]);
  }).toThrow(new TypeError('outcomes must be an array, got "sum"'));
  expect(() => new Conversation(openaiChat, { messages: 'sum' as never })).toThrow('messages must be an array');
  expect(chat.messages).toEqual(stored);
});
