import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import { describe, expect } from 'vitest';

import { rowsOf, runs, settleAndVerify } from '../transcript/support/arbitraries.ts';
import { alwaysSendable, lastThoughts, markedText, nextMark, tidy } from '../transcript/support/properties.ts';
import { anthropic, type AnthropicMessage } from '../../src/transcript/dialects/anthropic/index.ts';
import type { AnthropicBlock } from '../../src/transcript/dialects/anthropic/message.ts';

type Block = AnthropicBlock & Readonly<Record<string, unknown>>;

const ids = ['a', 'b', 'c', 'b_copy2'] as const;
const id = fc.constantFrom(...ids);

const text = markedText('', '  ', '\n', 'plain', 'trailing \n').map((own): Block => ({ type: 'text', text: own }));

const input = fc.constantFrom<unknown>(
  {},
  { path: '/tmp' },
  '{"path":"/tm',
  '{"path":"/tmp"}',
  '',
  undefined,
  null,
  [],
);

const toolUse = fc
  .record({ id, input, name: fc.constantFrom('read', 'read', 'read', '') })
  .map((one): Block => ({ type: 'tool_use', ...one }));

const thinking = fc
  .constantFrom<Block>(
    { type: 'thinking', thinking: 'half a thou' },
    { type: 'thinking', thinking: 'half a thou', signature: '' },
    { type: 'thinking', thinking: 'whole', signature: 'signed+1' },
    { type: 'thinking', thinking: 'whole too', signature: 'signed+2' },
    { type: 'redacted_thinking', data: 'sealed' },
  )
  .map((block): Block => ({ ...block }));

const server = fc.constantFrom<Block>(
  { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
  { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
  { type: 'mcp_tool_use', id: 's2', name: 'x', input: {}, server_name: 'y' },
  { type: 'mcp_tool_result', tool_use_id: 's2', content: [] },
  { type: 'server_tool_use', id: 's3', name: 'code_execution', input: {} },
  { type: 'code_execution_tool_result', tool_use_id: 's3', content: { type: 'code_execution_result', stdout: '' } },
);

const image: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } };
const cacheControl = fc.constantFrom<unknown>(undefined, undefined, { type: 'ephemeral' });

const resultContent = fc
  .constantFrom<unknown>('', 'plain', undefined, [], [{ type: 'text', text: '' }], 'blocks', [image], 'both')
  .map((form) => {
    if (form === 'plain') return nextMark('result');
    if (form === 'both') return [{ type: 'text', text: nextMark('result') }, image];
    return form === 'blocks'
      ? [
          { type: 'text', text: nextMark('result') },
          { type: 'text', text: ' ' },
        ]
      : form;
  });

const toolResult = fc
  .record({
    tool_use_id: id,
    content: resultContent,
    is_error: fc.constantFrom(undefined, true, false),
    cache_control: cacheControl,
  })
  .map((one): Block => tidy({ type: 'tool_result', ...one }));

const plain = markedText('', ' \n', 'word', 'word ');

const assistant = fc.oneof(
  { weight: 1, arbitrary: plain },
  {
    weight: 8,
    arbitrary: fc.array(fc.oneof(text, toolUse, toolUse, toolUse, thinking, server, toolResult), { maxLength: 6 }),
  },
);
const user = fc.oneof(
  { weight: 1, arbitrary: plain },
  {
    weight: 4,
    arbitrary: fc.array(
      fc.oneof(
        { weight: 2, arbitrary: fc.oneof(text, fc.constant(image)) },
        { weight: 6, arbitrary: toolResult },
        { weight: 1, arbitrary: fc.oneof(toolUse, thinking, server) },
      ),
      { maxLength: 5 },
    ),
  },
);

const message: fc.Arbitrary<AnthropicMessage> = fc.oneof(
  { weight: 5, arbitrary: assistant.map((content): AnthropicMessage => ({ role: 'assistant', content })) },
  { weight: 5, arbitrary: user.map((content): AnthropicMessage => ({ role: 'user', content })) },
  { weight: 1, arbitrary: plain.map((content): AnthropicMessage => ({ role: 'system', content })) },
);

/** Anything at all: every rule broken in every combination. */
const wild = fc.array(message, { maxLength: 9 });

/** An agent's rounds as they should be: prompt, then calls and their results, then an answer; ids are never used twice. */
const round = fc.record({
  reasoning: fc.boolean(),
  calls: fc.integer({ min: 1, max: 4 }),
  results: fc.constantFrom('together', 'one by one', 'shuffled', 'with a word', 'after a word', 'twice', 'some'),
});
const rounds = fc.tuple(fc.array(round, { minLength: 1, maxLength: 5 }), fc.nat());

/** What is left of a conversation that was cut: in a round, in a message, in a block. */
const cutHistories = rounds.map(([shape, cutAt]) => {
  const history: AnthropicMessage[] = [{ role: 'user', content: 'text<p>' }];
  const callIds: string[] = [];
  shape.forEach(({ reasoning, calls, results }, r) => {
    const names = Array.from({ length: calls }, (_, i) => `r${r}c${i}`);
    callIds.push(...names);
    const use = names.map((name): Block => ({
      type: 'tool_use',
      id: name,
      name: 'read',
      input: { of: `call<${name}>` },
    }));
    const think: Block[] = reasoning ? [{ type: 'thinking', thinking: 'hm', signature: `sig${r}` }] : [];
    history.push({ role: 'assistant', content: [...think, { type: 'text', text: `text<r${r}>` } as Block, ...use] });
    const done = names.map((name): Block => ({ type: 'tool_result', tool_use_id: name, content: `result<${name}>` }));
    const word: Block = { type: 'text', text: `text<w${r}>` };
    if (results === 'one by one')
      history.push(...done.map((one): AnthropicMessage => ({ role: 'user', content: [one] })));
    else if (results === 'shuffled') history.push({ role: 'user', content: done.reverse() });
    else if (results === 'with a word') history.push({ role: 'user', content: [...done, word] });
    else if (results === 'after a word')
      history.push({ role: 'user', content: 'text<u>' }, { role: 'user', content: [word, ...done] });
    else if (results === 'twice') history.push({ role: 'user', content: [...done, ...done] });
    else if (results === 'some') history.push({ role: 'user', content: done.slice(1) });
    else history.push({ role: 'user', content: done });
  });
  history.push({ role: 'assistant', content: 'text<end> ' });
  const cut = history.slice(0, 1 + (cutAt % history.length));
  const answered = JSON.stringify(cut);
  const open = callsOf(cut).filter((call) => !answered.includes(`result<${call}>`));
  return { history: cut, callIds, open };
});

const partialValue = fc.oneof(
  assistant.map((content) => ({ role: 'assistant', content, id: 'msg_1', usage: {} })),
  plain,
  fc.constantFrom(null, 7, {}, { role: 'user', content: 'x' }),
);

alwaysSendable({ dialect: anthropic, ids, wild, cut: cutHistories, partialValue });

describe('S18 thinking', () => {
  test.prop([wild, rowsOf(ids)], runs)('signed reasoning stays byte-identical', (messages, outcomes) => {
    const settled = sealed(settleAndVerify(anthropic, messages, { outcomes }));
    const free = new Set(lastThoughts(messages));
    const kept = sealedIn(messages).filter((block) => !free.has(block));
    expect(subsequence(kept.map(toJSON), settled), 'all that words stand behind').toBe(true);
    expect(subsequence(settled, sealed(messages)), 'in their order, unchanged').toBe(true);
  });
});

function blocks(messages: readonly AnthropicMessage[], role: string): Block[] {
  return messages.flatMap(({ role: own, content }) =>
    own === role && typeof content !== 'string' ? (content as Block[]) : [],
  );
}

function callsOf(messages: readonly AnthropicMessage[]): string[] {
  return blocks(messages, 'assistant')
    .filter((block) => block.type === 'tool_use')
    .map((block) => String(block['id']));
}

function sealedIn(messages: readonly AnthropicMessage[]): Block[] {
  return blocks(messages, 'assistant').filter((block) => Boolean(block['signature']) || Boolean(block['data']));
}

function sealed(messages: readonly AnthropicMessage[]): string[] {
  return sealedIn(messages).map(toJSON);
}

function toJSON(block: object): string {
  return JSON.stringify(block);
}

/** Whether all of these stand in the others, in this order. */
function subsequence(some: readonly string[], all: readonly string[]): boolean {
  let at = 0;
  for (const one of all) if (one === some[at]) at += 1;
  return at === some.length;
}
