import { expect, it } from 'vitest';

import { EntryWriter, type Entry } from '../../../src/transcript/conversation/entries.ts';
import { ToldEntries } from '../../../src/transcript/conversation/told-entries.ts';
import { anthropic, type AnthropicMessage } from '../../../src/transcript/dialects/anthropic/index.ts';
import { rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';

it('what was told is written once, up to the first that may still change', () => {
  const rules = rulesOf({ dialect: anthropic });
  const writer = new EntryWriter(rules, createWords(undefined), undefined);
  const written: Entry<AnthropicMessage>[] = [];
  const write = (entry: Entry<AnthropicMessage>) => (written.push(entry), writer.write(entry));
  const told = new ToldEntries({ rules, writer, write });
  const said = (content: string): Entry<AnthropicMessage> => ({
    ...{ turn: undefined, messages: [{ role: 'user', content }], prompts: [] },
  });
  const entries = ['a', 'b', 'c'].map(said);
  const all = () => told.with(entries, (rest) => rest.flatMap(write)).map(({ content }) => content);
  const open = new Set([entries[1]]);
  const none = () => undefined;
  told.tell(entries, { from: none, isOpen: (entry) => open.has(entry) });
  written.length = 0;
  expect([all(), written]).toEqual([['a', 'b', 'c'], entries.slice(1)]);
  open.clear();
  told.tell(entries, { from: () => 2, isOpen: () => false });
  written.length = 0;
  expect([all(), written]).toEqual([['a', 'b', 'c'], entries.slice(2)]);
  told.reset();
  written.length = 0;
  expect([all(), written]).toEqual([['a', 'b', 'c'], entries]);
});
