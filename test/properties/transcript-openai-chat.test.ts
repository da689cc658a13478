import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import { describe, expect } from 'vitest';

import type { OpenAIChatMessage } from '../../src/transcript/index.ts';
import { marksIn, runs, settleAndVerify, turnOf } from '../transcript/support/arbitraries.ts';

type Message = OpenAIChatMessage & Readonly<Record<string, unknown>>;

const ids = ['a', 'b', 'c', 'b_copy2'] as const;
const id = fc.constantFrom(...ids);

let marks = 0;
/** A mark that no other text has. Numbered, not drawn: the properties ask for its place, not for its value. */
const text = fc.constantFrom('', ' ', 'plain', 'trailing \n').map((form) => {
  marks += 1;
  return form.trim() === '' ? form : `text<${marks}>${form}`;
});

const args = fc.constantFrom<unknown>('{}', '{"path":"/tmp"}', '{"path":"/tm', '', undefined);

const call = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({ id, name: fc.constantFrom('read', 'read', 'read', ''), arguments: args })
      .map(({ id: own, ...body }) => ({ id: own, type: 'function', function: body })),
  },
  {
    weight: 1,
    arbitrary: id.map((own) => ({ id: own, type: 'custom', custom: { name: 'sh', input: 'half a comm' } })),
  },
  { weight: 1, arbitrary: fc.constant({ id: '', type: 'function', function: { name: 'read', arguments: '{}' } }) },
);

const content = fc.oneof(
  text,
  text,
  fc.constant(null),
  fc.constant(undefined),
  fc.array(
    text.map((one) => ({ type: 'text', text: one })),
    { maxLength: 2 },
  ),
);

/** Without its optional keys where they are undefined, as JSON would have it. */
function tidy(message: Readonly<Record<string, unknown>>): Message {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined)) as Message;
}

const assistant = fc
  .record({
    content,
    refusal: fc.constantFrom<unknown>(undefined, undefined, null, '', 'No.'),
    tool_calls: fc.oneof(fc.constant(undefined), fc.array(call, { maxLength: 4 })),
  })
  .map((one) => tidy({ role: 'assistant', ...one }));

const toolContent = fc.constantFrom('', 'plain', 'parts', null, undefined, 'empty').map((form) => {
  marks += 1;
  if (form === 'plain') return `result<${marks}>`;
  if (form === 'empty') return [];
  return form === 'parts' ? [{ type: 'text', text: `result<${marks}>` }] : form;
});

const tool = fc.record({ tool_call_id: id, content: toolContent }).map((one) => tidy({ role: 'tool', ...one }));

const other = fc
  .record({ role: fc.constantFrom('user', 'system', 'developer'), content: text })
  .map((one) => one as Message);

/** Anything at all: every rule broken in every combination. */
const wild = fc.array(
  fc.oneof({ weight: 5, arbitrary: assistant }, { weight: 6, arbitrary: tool }, { weight: 2, arbitrary: other }),
  { maxLength: 10 },
);

/** An agent's rounds as they should be: prompt, then calls and their results, then an answer. */
const round = fc.record({
  calls: fc.integer({ min: 1, max: 4 }),
  results: fc.constantFrom('whole', 'shuffled', 'after a word', 'before the last', 'twice', 'some'),
});
const rounds = fc.tuple(fc.array(round, { minLength: 1, maxLength: 5 }), fc.nat(), fc.boolean());

/** What is left of a conversation that was cut; some servers number their calls anew in every round. */
const cutHistories = rounds.map(([shape, cutAt, reusesIds]) => {
  const history: Message[] = [{ role: 'user', content: 'text<p>' }];
  const callIds = new Set<string>();
  shape.forEach(({ calls, results }, r) => {
    const names = Array.from({ length: calls }, (_, i) => (reusesIds ? `call_${i}` : `r${r}c${i}`));
    names.forEach((name) => callIds.add(name));
    const uses = names.map((name) => ({
      id: name,
      type: 'function',
      function: { name: 'read', arguments: `{"of":"call<r${r}x${name}>"}` },
    }));
    history.push(tidy({ role: 'assistant', content: `text<r${r}>`, tool_calls: uses }));
    const done = names.map((name) => tidy({ role: 'tool', tool_call_id: name, content: `result<r${r}x${name}>` }));
    const word = { role: 'user', content: `text<w${r}>` } as Message;
    if (results === 'shuffled') history.push(...done.reverse());
    else if (results === 'after a word') history.push(word, ...done);
    else if (results === 'before the last') history.push(...done.slice(0, -1), word, ...done.slice(-1));
    else if (results === 'twice') history.push(...done, ...done);
    else if (results === 'some') history.push(...done.slice(1));
    else history.push(...done);
  });
  history.push({ role: 'assistant', content: 'text<end>' });
  return { history: history.slice(0, 1 + (cutAt % history.length)), callIds: [...callIds] };
});

const partialValue = fc.oneof(assistant, text, fc.constantFrom(null, 7, {}, { role: 'user', content: 'x' }));

describe('S17 always sendable: openai-chat', () => {
  test.prop([wild, turnOf(ids, partialValue)], runs)('any history at all', (messages, turn) => {
    const settled = settleAndVerify('openai-chat', messages, turn);
    const added = marksIn(turn.partials ?? []);
    const isOwnText = (mark: string): boolean => mark.startsWith('text') && !added.includes(mark);
    expect(marksIn(settled).filter(isOwnText)).toEqual(marksIn(messages).filter(isOwnText));
  });

  test.prop(
    [cutHistories.chain(({ history, callIds }) => fc.tuple(fc.constant(history), turnOf(callIds, partialValue)))],
    runs,
  )('a conversation cut anywhere keeps its order and all that completed', ([messages, turn]) => {
    const settled = settleAndVerify('openai-chat', messages, turn);
    const isPlaced = (mark: string): boolean => !mark.startsWith('result') && !mark.startsWith('done');
    const given = marksIn(messages).filter(isPlaced);
    expect(marksIn(settled).filter(isPlaced).slice(0, given.length)).toEqual(given);
    const json = JSON.stringify(settled);
    for (const result of new Set(marksIn(messages).filter((mark) => mark.startsWith('result')))) {
      expect(json.split(result), `${result} once`).toHaveLength(2);
    }
    const lastOpen = messages.at(-1);
    for (const { id: own } of (lastOpen?.['tool_calls'] ?? []) as { id: string }[]) {
      const row = turn.outcomes?.filter((one) => one.id === own).at(-1);
      if (row?.status === 'completed' && row.value !== undefined) expect(json).toContain(`done<${own}>`);
    }
  });
});
