/**
 * Whole streams of Chat Completions, with every field that the SDK's types name and those of the servers that speak the
 * dialect: the fold keeps what the SDK's own accumulator keeps, and cut after any chunk it holds a beginning of that.
 */
import { describe, expect, it } from 'vitest';
import { foldOpenAIChat, type OpenAIChatChunk, type OpenAIChatReply } from '../../src/adapters/llm/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { majors } from './majors.ts';
import { isBeginningOf, linesOf } from './support/streams.ts';
import { messageWriter } from '../../src/transcript/index.ts';

interface Accumulator {
  fromReadableStream(lines: ReadableStream): { finalMessage(): Promise<object> };
}

const loaded = await Promise.all(
  majors.map(async (major) => {
    const { ChatCompletionStream } = await major.load<{ ChatCompletionStream: Accumulator }>(
      'openai/lib/ChatCompletionStream',
    );
    return { version: major.version('openai'), accumulator: ChatCompletionStream };
  }),
);

function stream(finish: string, ...deltas: object[]): OpenAIChatChunk[] {
  const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const chunk = (delta: object, finish_reason: string | null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
  });
  return [
    chunk({ role: 'assistant', content: null, refusal: null }, null),
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, finish),
    { ...base, choices: [], usage: { prompt_tokens: 9, completion_tokens: 30, total_tokens: 39 } },
  ];
}

const call = (fields: object) => ({ tool_calls: [{ index: 0, ...fields }] });
const read = { id: 'a', type: 'function', function: { name: 'read', arguments: '' } };
const more = (json: string, index = 0) => ({ tool_calls: [{ index, function: { arguments: json } }] });

const streams: Readonly<Record<string, OpenAIChatChunk[]>> = {
  text: stream('stop', { content: '' }, { content: 'Let me ' }, { content: 'look.' }),
  'text and calls': stream('tool_calls', { content: 'I look.' }, call(read), more('{"path"'), more(':"a"}'), {
    tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'list', arguments: '{}' } }],
  }),
  'calls that come side by side': stream(
    'tool_calls',
    { tool_calls: [0, 1].map((index) => ({ ...read, index, id: `c${String(index)}` })) },
    { tool_calls: [0, 1].map((index) => ({ index, function: { arguments: '{"path":"a"}' } })) },
  ),
  'custom calls': stream(
    'tool_calls',
    call({ id: 'a', type: 'custom', custom: { name: 'shell', input: '' } }),
    call({ custom: { input: 'ls ' } }),
    call({ custom: { input: '-l' } }),
    { tool_calls: [{ ...read, index: 1, id: 'b', function: { name: 'read', arguments: '{}' } }] },
  ),
  'a refusal': stream('stop', { refusal: 'I cannot ' }, { refusal: 'help with that.' }),
  sound: stream(
    'stop',
    { audio: { id: 'audio_1', transcript: 'Hel' } },
    { audio: { data: 'AAAA', transcript: 'lo' } },
    { audio: { data: 'BBBB' } },
    { audio: { expires_at: 1700000000 } },
  ),
  'a call of the old form': stream(
    'function_call',
    { function_call: { name: 'read', arguments: '' } },
    { function_call: { arguments: '{"path"' } },
    { function_call: { arguments: ':"a"}' } },
  ),
  'a thought’s seal of Gemini': stream(
    'tool_calls',
    call({
      ...read,
      function: { name: 'read', arguments: '{}' },
      extra_content: { google: { thought_signature: 'SIG' } },
    }),
  ),
  'a seal on a text': stream('stop', { content: 'So.' }, { extra_content: { google: { thought_signature: 'SIG' } } }),
  'a thought of DeepSeek': stream('tool_calls', { reasoning_content: 'I read it first.' }, call(read), more('{}')),
  'a tool of the server’s own': stream(
    'tool_calls',
    call({ id: 'a', type: 'builtin_function', function: { name: 'web_search', arguments: '{"q":1}' } }),
  ),
  'fields nobody knows': stream('stop', { content: 'x', later: { at: ['all'] } }, { sealed: 'S', count: 2 }),
};

function fold(chunks: readonly OpenAIChatChunk[]): OpenAIChatReply {
  const state = foldOpenAIChat();
  for (const chunk of chunks) state.add(chunk);
  return state.value;
}

/** Without what the SDK adds where nothing was said. */
function said(message: object): object {
  const entries = Object.entries(JSON.parse(JSON.stringify(message)) as object);
  return Object.fromEntries(entries.filter(([name, value]) => name === 'content' || value !== null));
}

const cases = loaded.flatMap((sdk) => Object.entries(streams).map(([what, chunks]) => ({ ...sdk, what, chunks })));

/** The major before takes calls of functions only. */
const isJudged = ({ what, version }: (typeof cases)[number]): boolean =>
  !version.startsWith('6.') || !['custom calls', 'a tool of the server’s own'].includes(what);

describe.each(cases.filter(isJudged))('$what, beside openai $version', ({ accumulator, chunks }) => {
  it('is folded to what the SDK makes of it', async () => {
    const reply = fold(chunks);
    expect(reply.message).toEqual(said(await accumulator.fromReadableStream(linesOf(chunks)).finalMessage()));
    expect([reply.isComplete, reply.fragments]).toEqual([true, []]);
  });
});

/** Speech goes back by its id, and the words of one that was cut as text; every call is one of a function. */
function inHistory(message: OpenAIChatReply['message']): object {
  const {
    audio,
    tool_calls: calls,
    ...rest
  } = message as {
    readonly audio?: { readonly id: string };
    readonly tool_calls?: readonly object[];
  };
  return {
    ...rest,
    ...(audio === undefined ? {} : { audio: { id: audio.id } }),
    ...(calls === undefined
      ? {}
      : { tool_calls: calls.map((each) => ('function' in each ? { ...each, type: 'function' } : each)) }),
  };
}

describe.each(Object.entries(streams))('%s', (what, chunks) => {
  it('S15 is a beginning of itself wherever it is cut', () => {
    const full = fold(chunks).message;
    const words = { role: 'assistant', content: 'Hello' };
    for (let cut = 0; cut < chunks.length; cut += 1) {
      const { message } = fold(chunks.slice(0, cut));
      const whole = what === 'sound' && !('audio' in message) ? words : full;
      expect(isBeginningOf(message, whole), `after ${String(cut)} chunks: ${JSON.stringify(message)}`).toBe(true);
    }
  });

  it('says in the history what it said in the stream', () => {
    const { message } = fold(chunks);
    const written = (): unknown => messageWriter(openaiChat).reply(fold(chunks));
    if (what === 'a call of the old form') expect(written).toThrow(TypeError);
    else expect(written()).toMatchObject([inHistory(message)]);
  });
});
