/** A message of a person, or an instruction, without content: the providers refuse it, so the check names it and a repair takes it out. */
import { describe, expect, it } from 'vitest';

import { InterruptController } from '../../src/index.ts';
import { dialectNamed, dialectNames } from '../../src/transcript/dialects/table.ts';
import { checkTranscript, Conversation, repair, type TranscriptDialect } from '../../src/transcript/index.ts';

type AnyDialect = TranscriptDialect<object, unknown>;
const named = (name: (typeof dialectNames)[number]): AnyDialect => dialectNamed(name) as unknown as AnyDialect;

const place = (name: string): 'parts' | 'content' => (name === 'gemini' ? 'parts' : 'content');
const said = (name: string, text: string): object => ({
  role: 'user',
  [place(name)]: name === 'gemini' ? [{ text }] : text,
});
/** The server of Ollama takes a message without content for an empty one. */
const strict = dialectNames.filter((name) => name !== 'ollama');
const roles = ['user', 'system', 'developer'];
const rows = strict.flatMap((name) =>
  [undefined, null, []].flatMap((content) => {
    if (name === 'gemini' && content === null) return [];
    // A message of settings has no content in Anthropic's API.
    const own = ['gemini', 'anthropic', 'ai-sdk'].includes(name) ? roles.slice(0, 1) : roles;
    return own.map((role) => [name, role, content] as const);
  }),
);

describe('a message without content', () => {
  it.each(rows)('in %s, of %s: %j, is found and taken out', (name, role, content) => {
    const dialect = named(name);
    const empty = content === undefined ? { role } : { role, [place(name)]: content };
    const list = [said(name, 'a'), empty, said(name, 'b')];
    expect(checkTranscript(list, { dialect }).map(({ at, rule }) => [at, rule])).toEqual([[1, 'message-not-empty']]);
    const { messages, changes } = repair(list, { dialect });
    expect(messages).toEqual([said(name, 'a'), said(name, 'b')]);
    expect(changes.map(({ at }) => at)).toEqual([1]);
  });

  it.each(strict)('is not taken into a conversation of %s', async (name) => {
    const dialect = named(name);
    const empty = { role: 'user', [place(name)]: [] };
    const chat = new Conversation(dialect, { messages: [empty, said(name, 'a')] });
    chat.push(empty);
    await chat.runTurn(new InterruptController(), empty, () => 1);
    expect(chat.messages).toEqual([said(name, 'a')]);
  });

  it.each(dialectNames.filter((name) => !['anthropic', 'gemini'].includes(name)))(
    'in %s is not one whose text is empty',
    (name) => {
      const list = [said(name, '')];
      expect(checkTranscript(list, { dialect: named(name) })).toEqual([]);
      expect(repair(list, { dialect: named(name) }).changes).toEqual([]);
    },
  );
});
