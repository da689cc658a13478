import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import { describe, expect } from 'vitest';

import { checkTranscript } from '../../src/transcript/index.ts';
import { repairWith } from '../transcript/support/repair-with.ts';
import { deepFreeze, marksIn, rowsOf, runs } from '../transcript/support/arbitraries.ts';
import { alwaysSendable, markedText, nextMark, tidy as tidyFields } from '../transcript/support/properties.ts';
import { openaiResponses, type OpenAIResponsesItem } from '../../src/transcript/dialects/openai-responses/index.ts';

type Item = OpenAIResponsesItem & Readonly<Record<string, unknown>>;
const tidy = (item: Readonly<Record<string, unknown>>): Item => tidyFields(item);

const ids = ['a', 'b', 'c'] as const;
const id = fc.constantFrom(...ids);
const itemId = fc.constantFrom(undefined, undefined, undefined, 'it_1', 'it_2');

const text = markedText('', ' ', 'plain', 'trailing \n');

const say = fc.tuple(itemId, fc.oneof(text, fc.array(text, { maxLength: 2 }))).map(([own, said]) =>
  tidy({
    id: own,
    type: 'message',
    role: 'assistant',
    content: typeof said === 'string' ? said : said.map((one) => ({ type: 'output_text', text: one, annotations: [] })),
  }),
);

const call = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({
        id: itemId,
        call_id: fc.oneof({ weight: 9, arbitrary: id }, fc.constant('')),
        name: fc.constantFrom('read', 'read', 'read', ''),
        arguments: fc.constantFrom<unknown>('{}', '{"path":"/tmp"}', '{"path":"/tm', '', undefined),
      })
      .map((one) => tidy({ type: 'function_call', ...one })),
  },
  id.map((own) => tidy({ type: 'custom_tool_call', call_id: own, name: 'sh', input: 'half a comm' })),
  fc
    .tuple(id, fc.constantFrom({ commands: ['ls'] }, undefined))
    .map(([own, action]) => tidy({ type: 'shell_call', call_id: own, action })),
  fc
    .tuple(id, fc.constantFrom({ type: 'delete_file', path: 'a' }, undefined))
    .map(([own, operation]) => tidy({ type: 'apply_patch_call', call_id: own, operation })),
  id.map((own) => tidy({ type: 'local_shell_call', id: `lsh_${own}`, call_id: own, action: { type: 'exec' } })),
  id.map((own) => tidy({ type: 'computer_call', call_id: own, action: { type: 'screenshot' } })),
);

const reasoning = fc
  .tuple(fc.constantFrom('rs_1', 'rs_2', 'rs_3'), fc.constantFrom(undefined, 'seal'))
  .map(([own, seal]) => tidy({ type: 'reasoning', id: own, summary: [], encrypted_content: seal }));

const outputTypes = [
  'function_call',
  'custom_tool_call',
  'shell_call',
  'apply_patch_call',
  'local_shell_call',
] as const;

const outputValue = fc.constantFrom('', 'plain', 'parts', 'shell', null, undefined, 'empty').map((form) => {
  const result = nextMark('result');
  if (form === 'plain') return result;
  if (form === 'empty') return [];
  if (form === 'parts') return [{ type: 'input_text', text: result }];
  return form === 'shell' ? [{ stdout: result, stderr: '', outcome: { type: 'exit', exit_code: 0 } }] : form;
});

const output = fc
  .record({
    type: fc.constantFrom(...outputTypes),
    call_id: id,
    output: outputValue,
    status: fc.constantFrom(undefined, 'completed', 'failed'),
  })
  .map((one) => tidy({ ...one, type: `${one.type}_output` }));

const other = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'system', 'developer'), content: text }).map((one) => one as Item),
  fc.constant(tidy({ type: 'web_search_call', id: 'ws_1', status: 'completed' })),
  fc.constantFrom(
    ...[
      { type: 'item_reference', id: 'rs_9' },
      { type: 'mcp_approval_request', id: 'mcpr_1', name: 'send', arguments: '{}', server_label: 'mail' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
      { type: 'program', id: 'prog_1', call_id: 'a', code: 'x', fingerprint: 'F' },
      { type: 'program_output', id: 'pout_1', call_id: 'a', status: 'completed', result: 'y' },
      { type: 'compaction', id: 'cmp_1', encrypted_content: 'z' },
    ].map(tidy),
  ),
);

/** Anything at all: every rule broken in every combination. */
const wild = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: say },
    { weight: 4, arbitrary: call },
    { weight: 4, arbitrary: output },
    { weight: 2, arbitrary: reasoning },
    { weight: 2, arbitrary: other },
  ),
  { maxLength: 12 },
);

const partialValue = fc.oneof(
  text,
  fc.array(fc.oneof(say, call, reasoning), { maxLength: 4 }),
  fc.array(fc.oneof(say, call, reasoning), { maxLength: 4 }).map((items) => ({ message: items, isComplete: false })),
  fc.constantFrom(null, 7, {}, { role: 'user', content: 'x' }),
);

const round = fc.record({
  calls: fc.integer({ min: 1, max: 4 }),
  thinks: fc.boolean(),
  results: fc.constantFrom('whole', 'shuffled', 'after a word', 'before the last', 'twice', 'some'),
});
/** What is left of a conversation that was cut; some servers number their calls anew in every round. */
const cutHistoriesOf = (reuse: fc.Arbitrary<boolean>) =>
  fc.tuple(fc.array(round, { minLength: 1, maxLength: 5 }), fc.nat(), reuse).map(([shape, cutAt, reusesIds]) => {
    const history: Item[] = [{ role: 'user', content: 'text<p>' }];
    const callIds = new Set<string>();
    shape.forEach(({ calls, thinks, results }, r) => {
      const names = Array.from({ length: calls }, (_, i) => (reusesIds ? `call_${i}` : `r${r}c${i}`));
      names.forEach((name) => callIds.add(name));
      if (thinks) history.push({ type: 'reasoning', id: `rs_${r}`, summary: [], encrypted_content: `text<s${r}>` });
      history.push({
        type: 'message',
        id: `msg_${r}`,
        role: 'assistant',
        content: [{ type: 'output_text', text: `text<r${r}>` }],
      });
      for (const name of names) {
        history.push({ type: 'function_call', call_id: name, name: 'read', arguments: `{"of":"call<r${r}x${name}>"}` });
      }
      const done = names.map((name): Item => ({
        type: 'function_call_output',
        call_id: name,
        output: `result<r${r}x${name}>`,
      }));
      const word: Item = { role: 'user', content: `text<w${r}>` };
      if (results === 'shuffled') history.push(...done.reverse());
      else if (results === 'after a word') history.push(word, ...done);
      else if (results === 'before the last') history.push(...done.slice(0, -1), word, ...done.slice(-1));
      else if (results === 'twice') history.push(...done, ...done);
      else if (results === 'some') history.push(...done.slice(1));
      else history.push(...done);
    });
    history.push({ role: 'assistant', content: 'text<end>' });
    const cut = history.slice(0, 1 + (cutAt % history.length));
    const last = cut.at(-1);
    const open = last?.type === 'function_call' ? [String(last['call_id'])] : [];
    return { history: cut, callIds: [...callIds], open };
  });

/** Without the second copies: an item that stands there twice, under one id, is one item. */
function uniqueItems(items: readonly OpenAIResponsesItem[]): readonly OpenAIResponsesItem[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const json = JSON.stringify(item);
    const isCopy = seen.has(json) && 'id' in item;
    seen.add(json);
    return !isCopy;
  });
}

alwaysSendable({
  dialect: openaiResponses,
  ids,
  wild,
  cut: cutHistoriesOf(fc.boolean()),
  partialValue,
  marksOf: (items) => marksIn(uniqueItems(items)),
  // Reasoning that led to nothing.
  lost: (items) => (items.at(-1)?.type === 'reasoning' ? marksIn(items.at(-1)) : []),
});

describe('S20 server-held state', () => {
  test.prop(
    [
      // A server does not go on from a call without its output, so it never holds two open ones of one id.
      fc.tuple(cutHistoriesOf(fc.constant(false)), fc.nat()).chain(([{ history, callIds }, at]) => {
        return fc.tuple(fc.constant(history), fc.constant(at % (history.length + 1)), rowsOf(callIds));
      }),
    ],
    runs,
  )('what the server holds stays as it is, and what is to be submitted follows it', ([given, heldUpTo, outcomes]) => {
    const responses = [{ id: 'resp_1', output: given.slice(0, heldUpTo).slice(-1) }];
    const options = { outcomes, dialect: openaiResponses, held: { responses } } as const;
    const { messages, submit } = repairWith(deepFreeze(given), deepFreeze(options));
    const input = submit?.input ?? [];
    const heldCount = messages.length - input.length;
    expect(submit?.previous_response_id).toBe('resp_1');
    expect(messages.slice(0, heldCount).every((item, i) => item === given[i])).toBe(true);
    expect(messages.slice(heldCount)).toEqual(input);
    const open = checkTranscript(messages, { dialect: openaiResponses });
    // What is held may be broken in itself, and reasoning may be the last that it holds.
    const isOurs = (found: { at: number; rule: string }): boolean =>
      found.at >= heldCount || found.rule === 'call-answered';
    expect(open.filter(isOurs).filter(({ rule }) => rule !== 'one-result-per-call')).toEqual([]);
    const again = repairWith(messages, options);
    expect(again.messages).toEqual(messages);
    // Where nobody can tell how much is held, it is all there is.
    expect(again.submit).toEqual(heldUpTo === 0 ? { ...submit, input: [] } : submit);
  });
});
