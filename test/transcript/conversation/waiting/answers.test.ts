import { expect, it } from 'vitest';

import { EntryWriter, type Entry, type TurnState } from '../../../../src/transcript/conversation/entries.ts';
import { Answers } from '../../../../src/transcript/conversation/waiting/answers.ts';
import { rulesOf } from '../../../../src/transcript/dialects/create-dialect.ts';
import {
  openaiResponses,
  type OpenAIResponsesItem,
} from '../../../../src/transcript/dialects/openai-responses/index.ts';
import { createWords } from '../../../../src/transcript/words/wording.ts';

const rules = rulesOf({ dialect: openaiResponses });
const words = createWords(undefined);
const asks = { type: 'mcp_approval_request', id: 'q', server_label: 's', name: 'pay', arguments: '{}' };
const yes = { type: 'mcp_approval_response', approval_request_id: 'q', approve: true };
const no = { ...yes, approve: false };
const turnOf = (): TurnState => ({ reason: () => undefined, isOver: false, replaced: [] });

it('what answers an entry is a part of it: the last answer counts, and the one before once that is taken back', () => {
  const writer = new EntryWriter(rules, words, undefined);
  const answers = new Answers({ rules, words, writer, loops: undefined }, (message) => message, undefined);
  const entry: Entry<OpenAIResponsesItem> = { turn: undefined, messages: [asks, no], prompts: [] };
  const other: Entry<OpenAIResponsesItem> = { turn: undefined, messages: [asks, no], prompts: [] };
  const [first, second] = [turnOf(), turnOf()];
  expect(answers.write(entry)).toBe(entry.messages);
  answers.add(entry, { turn: first, message: yes, prompts: [yes] });
  expect(answers.write(entry)).toEqual([asks, yes]);
  expect(answers.write(entry)).toBe(answers.write(entry));
  const own = { ...no, reason: 'Too much.' };
  answers.add(entry, { turn: second, message: own, prompts: [own] });
  expect(answers.write(entry)).toEqual([asks, own]);
  answers.takeBack([other, entry], second);
  expect(answers.write(entry)).toEqual([asks, yes]);
  answers.takeBack([entry], first);
  expect(answers.write(entry)).toBe(entry.messages);
  expect(other).toEqual({ turn: undefined, messages: [asks, no], prompts: [] });
});
