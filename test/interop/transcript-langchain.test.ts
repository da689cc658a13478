/**
 * LangChain's own coercions and conversions as the judge of `langchain` transcripts, with instances of its classes.
 */
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import { startModelServer, type ModelServer } from '../../src/testing/model-server/index.ts';
import { checkTranscript, wordingTable, messageWriter } from '../../src/transcript/index.ts';
import { repairWith } from '../transcript/support/repair-with.ts';
import { majors } from './majors.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';
import { signThought } from '../../src/testing/model-server/transcript-rules/thought-signature.ts';

type Messages = typeof import('@langchain/core/messages');
type BaseMessage = import('@langchain/core/messages').BaseMessage;

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: major.name,
    lc: await major.load<Messages>('@langchain/core/messages'),
    load: await major.load<{ load: (text: string) => Promise<BaseMessage> }>('@langchain/core/load'),
  })),
);
const { ChatOpenAI } = await (majors[0] as (typeof majors)[number]).load<typeof import('@langchain/openai')>(
  '@langchain/openai',
);

// The older major has no standard blocks.
const { ChatAnthropic } = await (majors[0] as (typeof majors)[number]).load<typeof import('@langchain/anthropic')>(
  '@langchain/anthropic',
);

let server: ModelServer | undefined;
afterEach(() => server?.close());

const dialect = langchain;
/** Under the name that both majors have. */
const typeOf = (message: object): string => (message as { getType(): string }).getType();
const reason = createReason({ kind: 'user', at: 1 });
const call = (id: string, args: Record<string, unknown> = {}) => ({
  id,
  name: 'read',
  args,
  type: 'tool_call' as const,
});

// It warns of raw calls that it did not list itself.
const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
afterAll(() => {
  warn.mockRestore();
});

describe.each(loaded)('langchain, $name', ({ name, lc, load }) => {
  const hello = new lc.HumanMessage('Hello');
  const batch = () => new lc.AIMessage({ content: 'On it.', id: 'm1', tool_calls: [call('a'), call('b')] });
  const half = () =>
    new lc.AIMessageChunk({
      content: [{ type: 'text', text: 'I' }],
      tool_call_chunks: [
        { id: 'a', name: 'read', args: '{"path":', index: 0, type: 'tool_call_chunk' },
        { args: '"/tmp"}', index: 0, type: 'tool_call_chunk' },
        { id: 'b', name: 'read', args: '{"path":"/tm', index: 1, type: 'tool_call_chunk' },
      ],
    });

  it('what comes out is what LangChain takes for messages, and makes messages of', () => {
    const done = new lc.ToolMessage({ content: 'a done', tool_call_id: 'a' });
    const { messages } = repairWith([hello, batch(), done], { dialect });
    const coerced = messages.map((message) => lc.coerceMessageLikeToMessage(message));
    expect(coerced.map(typeOf)).toEqual(['human', 'ai', 'tool', 'tool']);
    expect(coerced.slice(0, 3).map((message, i) => message === messages[i])).toEqual([true, true, true]);
    expect(coerced[3]).toBeInstanceOf(lc.ToolMessage);
    expect(coerced[3]).toMatchObject({ tool_call_id: 'b', status: 'error', content: wordingTable.unknown.unrecorded });
    expect(repairWith(coerced, { dialect }).changes, 'nothing left to do').toEqual([]);
  });

  it('a changed instance stays one of its class, and what it was made from stays as it was', async () => {
    const chunk = half();
    expect(chunk.tool_calls, 'LangChain reads half arguments leniently').toHaveLength(2);
    const before = JSON.stringify(chunk);
    const { messages } = repairWith([hello, chunk], { dialect });
    expect(JSON.stringify(chunk)).toBe(before);
    const settled = messages[1] as typeof chunk;
    expect(settled).not.toBe(chunk);
    expect(settled).toBeInstanceOf(lc.AIMessageChunk);
    expect(typeOf(settled)).toBe('ai');
    expect(settled.tool_calls).toEqual([call('a', { path: '/tmp' })]);
    const stored = await load.load(JSON.stringify(settled));
    expect(stored).toMatchObject({ tool_calls: settled.tool_calls });
    expect(new lc.AIMessageChunk(Object.assign({}, settled) as never).tool_calls, 'made anew').toEqual(
      settled.tool_calls,
    );
    expect(settled.concat(new lc.AIMessageChunk('!')).tool_calls).toHaveLength(1);
  });

  it('mends what was stored, before it is loaded', async () => {
    const stored = JSON.parse(JSON.stringify([hello, batch()])) as object[];
    const { messages } = repairWith(stored, { dialect });
    expect(checkTranscript(messages, { dialect })).toEqual([]);
    const coerced = messages.map((message) => lc.coerceMessageLikeToMessage(message as never));
    expect(coerced.map(typeOf)).toEqual(['human', 'ai', 'tool', 'tool']);
    await expect(load.load(JSON.stringify(messages[1]))).resolves.toBeInstanceOf(lc.AIMessage);
  });

  it('what LangChain cannot coerce, it can after settling', () => {
    const cut = { id: 'a', type: 'function', function: { name: 'read', arguments: '{"pa' } };
    const broken = { role: 'assistant', content: 'I', tool_calls: [cut] };
    expect(() => lc.coerceMessageLikeToMessage(broken)).toThrow(SyntaxError);
    const [settled] = repairWith([broken], { dialect }).messages;
    expect(typeOf(lc.coerceMessageLikeToMessage(settled as never))).toBe('ai');
  });

  const histories: [string, () => object[]][] = [
    ['a batch that was cut', () => [hello, batch(), new lc.ToolMessage({ content: 'x', tool_call_id: 'a' })]],
    [
      'results after the next prompt',
      () => [hello, batch(), hello, new lc.ToolMessage('x', 'a'), new lc.ToolMessage('y', 'b')],
    ],
    ['a result of nobody’s', () => [hello, new lc.ToolMessage({ content: 'x', tool_call_id: 'z' }), hello]],
    [
      'results in a message of the user, which only the client for Claude sends as they are',
      () => [
        hello,
        batch(),
        new lc.HumanMessage({
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'x' },
            { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'y' }], is_error: true },
            { type: 'text', text: 'Well?' },
          ],
        }),
      ],
    ],
    ['a stream cut inside arguments', () => [hello, half()]],
    [
      'an answer to a call that could not be parsed',
      () => [
        hello,
        new lc.AIMessage({
          content: '',
          invalid_tool_calls: [
            { id: 'a', name: 'read', args: '{"pa', error: 'Malformed args.', type: 'invalid_tool_call' },
          ],
        }),
        new lc.ToolMessage({ content: 'bad JSON', tool_call_id: 'a', status: 'error' }),
      ],
    ],
    [
      'calls in the provider’s own words only',
      () => [
        hello,
        new lc.AIMessage({
          content: '',
          tool_calls: [],
          // What old providers still send.
          additional_kwargs: Object.fromEntries([
            ['tool_calls', [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{"pa' } }]],
          ]),
        }),
      ],
    ],
  ];

  it.each(histories)('S17 %s: refused by the server before, taken after', async (_what, history) => {
    server = await startModelServer({ script: ['Understood.', 'Understood.'] });
    const model = new ChatOpenAI({
      ...{ model: 'm', apiKey: 'none', maxRetries: 0 },
      configuration: { baseURL: `${server.url}/v1` },
    });
    // Only one major of the OpenAI package is there; the other's messages it takes as it takes stored ones.
    const own = (messages: readonly object[]) =>
      name === 'newest' ? messages : (JSON.parse(JSON.stringify(messages)) as object[]);
    const send = (messages: readonly object[]) => model.invoke([...own(messages), 'What now?'] as never);
    await expect(send(history())).rejects.toThrow(/400/);
    expect(checkTranscript(history(), { dialect })).not.toEqual([]);
    const settled = repairWith(history(), { dialect }).messages;
    expect(checkTranscript(settled, { dialect })).toEqual([]);
    expect((await send(settled)).content).toBe('Understood.');
  });

  it('S18 a stream cut after any chunk, put together, is taken for the next request', async () => {
    const answer = {
      text: 'Let me look at both.',
      toolCalls: [
        { name: 'read', input: { path: 'a.txt' } },
        { name: 'list', input: {} },
      ],
      chunks: 3,
    };
    server = await startModelServer({ script: [answer, ...Array.from({ length: 60 }, () => 'Understood.')] });
    const model = new ChatOpenAI({
      ...{ model: 'm', apiKey: 'none', maxRetries: 0 },
      configuration: { baseURL: `${server.url}/v1` },
    });
    const chunks: import('@langchain/core/messages').AIMessageChunk[] = [];
    for await (const chunk of await model.stream('Go.')) chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(8);
    expect(chunks.length).toBeLessThan(30);

    for (let cut = 1; cut <= chunks.length; cut += 1) {
      const value = chunks.slice(1, cut).reduce((whole, next) => whole.concat(next), chunks[0] as (typeof chunks)[0]);
      const said = messageWriter(dialect).reply({ status: 'interjected', partial: value, reason }) as object[];
      for (const history of [
        ['Go.', ...said],
        ['Go.', value],
      ]) {
        const { messages } = repairWith(history, { dialect });
        expect(checkTranscript(messages, { dialect }), `after ${String(cut)} chunks`).toEqual([]);
        expect(repairWith(messages, { dialect }).changes).toEqual([]);
        const json = JSON.stringify(messages);
        expect(json).toContain(value.text);
        // A call that was whole is answered, half of one is not sent.
        const answered = messages.filter((message) => (message as { role?: string }).role === 'tool');
        const sent = messages.flatMap((message) => (message as { tool_calls?: object[] }).tool_calls ?? []);
        expect(answered).toHaveLength(sent.length);
        expect(sent.length).toBeLessThanOrEqual(value.tool_calls?.length ?? 0);
        expect((await model.invoke([...messages, 'What now?'] as never)).content).toBe('Understood.');
      }
      if (cut === chunks.length) expect(value.tool_calls).toHaveLength(2);
    }
  });
});

it('a result in a message of the user, as only the client for Claude sends it, is one that it takes as a tool message', async () => {
  server = await startModelServer({ script: ['Understood.', 'Understood.'] });
  const model = new ChatAnthropic({ model: 'm', apiKey: 'none', maxRetries: 0, anthropicApiUrl: server.url });
  const content = [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }];
  const given = [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: '', tool_calls: [call('a')] },
    { role: 'user', content },
  ];
  const { messages, changes } = repairWith(given, { dialect });
  expect(changes.map(({ at, rule }) => `${String(at)} ${rule}`)).toEqual(['1 call-answered', '2 results-alone']);
  for (const list of [given, messages]) expect((await model.invoke(list as never)).text).toBe('Understood.');
  const [sent, made] = server.requests.map(({ body }) => (body as { readonly messages: unknown }).messages);
  expect(made).toEqual(sent);
});

it('S18 a thought in standard blocks, cut after any chunk, is taken for the next request', async () => {
  const answer = {
    thinking: 'I should look first.',
    text: 'Let me look.',
    toolCalls: [{ name: 'read', input: { path: 'a.txt' } }],
    chunks: 3,
  };
  server = await startModelServer({ script: [answer, ...Array.from({ length: 60 }, () => 'Understood.')] });
  const model = new ChatAnthropic({
    ...{ model: 'm', apiKey: 'none', maxRetries: 0, anthropicApiUrl: server.url },
    outputVersion: 'v1',
  });
  const chunks: import('@langchain/core/messages').AIMessageChunk[] = [];
  for await (const chunk of await model.stream('Go.')) chunks.push(chunk);
  expect(chunks.some(({ content }) => JSON.stringify(content).includes('"reasoning"'))).toBe(true);

  /** The blocks of the model's reply in the last request. */
  function sentBlocks(): readonly { readonly type: string; readonly thinking?: string; readonly signature?: string }[] {
    const { messages } = server?.requests.at(-1)?.body as { messages: { role: string; content: unknown }[] };
    const reply = messages.find(({ role }) => role === 'assistant');
    return (reply?.content ?? []) as ReturnType<typeof sentBlocks>;
  }

  const thoughts = new Set<string>();
  for (let cut = 1; cut <= chunks.length; cut += 1) {
    const value = chunks.slice(1, cut).reduce((whole, next) => whole.concat(next), chunks[0] as (typeof chunks)[0]);
    const said = messageWriter(dialect).reply({ status: 'interjected', partial: value, reason }) as object[];
    for (const history of [
      ['Go.', ...said],
      ['Go.', value],
    ]) {
      const { messages } = repairWith(history, { dialect });
      expect(checkTranscript(messages, { dialect }), `after ${String(cut)} chunks`).toEqual([]);
      expect(repairWith(messages, { dialect }).changes).toEqual([]);
      expect((await model.invoke([...messages, 'What now?'] as never)).text).toBe('Understood.');
      const thinking = sentBlocks().filter(({ type }) => type === 'thinking');
      for (const block of thinking) thoughts.add(`${String(block.thinking)} ${String(block.signature)}`);
      // Its calls are sent where their results are.
      const calls = sentBlocks().filter(({ type }) => type === 'tool_use');
      expect(calls).toHaveLength(messages.filter((message) => (message as { role?: string }).role === 'tool').length);
      if (cut === chunks.length) expect([thinking.length, calls.length]).toEqual([1, 1]);
    }
  }
  // Half a thought was never sent, nor one without its own signature.
  expect([...thoughts]).toEqual([`I should look first. ${signThought('1', 'I should look first.')}`]);
});
