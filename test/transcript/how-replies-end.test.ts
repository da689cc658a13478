/** How a reply ended decides for every dialect alike which of its calls run, what the model is told, and what fails a turn. */
import { AIMessageChunk } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';

import { foldOpenAIChat, readStream } from '../../src/adapters/llm/index.ts';
import { InterruptController } from '../../src/index.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';
import {
  checkTranscript,
  Conversation,
  dialectNamed,
  messageWriter,
  type TranscriptDialect,
} from '../../src/transcript/index.ts';
import { endedReplies, type Calls } from './support/ended-replies.ts';

type AnyDialect = TranscriptDialect<object, unknown>;

interface Played {
  readonly status: string;
  readonly error: unknown;
  readonly ran: readonly unknown[];
  readonly isLast: readonly boolean[];
  readonly told: string;
}

/** The loop of the guide, for as many replies as the script has. */
async function play(dialect: AnyDialect, script: readonly unknown[]): Promise<Played> {
  const chat = new Conversation(dialect);
  const [ran, isLast]: [unknown[], boolean[]] = [[], []];
  const report = await chat.runTurn(new InterruptController(), 'Go.', async (turn) => {
    for (const one of script) {
      const reply = await turn.model(() => one);
      await turn.tools(reply.calls, ({ name, input }) => (ran.push([name, input]), 'ok'));
      isLast.push(reply.isLast);
    }
  });
  expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
  const { error } = report as { readonly error?: unknown };
  return { status: report.status, error, ran, isLast, told: JSON.stringify(chat.messages) };
}

const cut = { limit: 'reached its limit inside it', refused: 'the reply ended inside it' } as const;

describe.each(endedReplies)('a reply of $dialect, $way', ({ dialect: name, words, reply }) => {
  const dialect = dialectNamed(name) as unknown as AnyDialect;
  const ends = (['limit', 'refused'] as const).filter((end) => words[end] !== undefined);
  const shapes: [first: Calls[number], second?: Calls[number]][] = [['write'], ['read', 'write']];

  describe.each(ends)('that ended by %s', (end) => {
    const made = (calls: Calls, n: number): unknown => reply(words[end] as string, calls, n);

    it.each(shapes)('inside a call (%s %s) is told so, and only what is whole runs', async (first, second) => {
      const calls: Calls = [first, second].flatMap((one) => one ?? []);
      const whole = calls.filter((one) => one === 'read');
      const { status, ran, isLast, told } = await play(dialect, [made(calls, 1)]);
      expect({ status, ran, isLast }).toEqual({
        ...{ status: 'completed', isLast: [false] },
        ran: whole.map((one) => [one, { path: 'a' }]),
      });
      expect(told).toContain(cut[end]);
      expect(/limit/.test(told)).toBe(end === 'limit');
      expect(dialect.calls(made(calls, 1))).toHaveLength(whole.length);
      const written = messageWriter(dialect).reply(made(['write'], 1));
      expect(JSON.stringify(written)).toContain(cut[end]);
    });

    it.each(shapes)('inside a call (%s %s) fails the turn the second time in a row', async (first, second) => {
      const calls: Calls = [first, second].flatMap((one) => one ?? []);
      const { status, error, isLast } = await play(
        dialect,
        [1, 2, 3].map((n) => made(calls, n)),
      );
      expect({ status, isLast }).toEqual({ status: 'failed', isLast: [false] });
      expect(error instanceof RangeError).toBe(end === 'limit');
      expect(String(error)).toMatch(end === 'limit' ? /limit.*raise max_tokens/ : /a filter or a refusal/);
    });

    // Of the last call the Messages API gives as much as could be read.
    const isLenient = name === 'anthropic' && !('isComplete' in (made(['read'], 1) as object));
    const behindOne = isLenient ? [] : ['read'];
    it.for(behindOne)('behind a whole call, %s, has it run, as often as it comes', async () => {
      const { status, ran, told } = await play(
        dialect,
        [1, 2, 3].map((n) => made(['read'], n)),
      );
      expect([status, ran.length]).toEqual(['completed', 3]);
      expect(told).not.toContain(cut[end]);
    });
  });

  const failures = words.failed === undefined ? [] : [words.failed];
  it.for(failures)('that says that it %s fails the turn with what the provider said', async (failed) => {
    const { status, error, ran } = await play(dialect, [reply(failed, ['read'], 1)]);
    expect({ status, ran }).toEqual({ status: 'failed', ran: [] });
    expect(String(error)).toMatch(/^Error: the provider ended the reply: .*server_error: It broke\.$/);
    expect((error as Error).cause).toMatchObject({ code: 'server_error' });
  });
});

it.each(['queued', 'in_progress'])('a response that is %s still is refused as a reply', async (status) => {
  const { error } = await play(openaiResponses, [{ id: 'r', object: 'response', status, output: [] }]);
  expect(String(error)).toBe(
    `TypeError: reply must have ended, got one that is ${status}: wait for its end, as desist/remote-run does`,
  );
});

it('a prompt that Gemini blocks fails the turn with what it says of that', async () => {
  const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: 'No.' } };
  const { status, error } = await play(dialectNamed('gemini'), [blocked]);
  expect([status, String(error)]).toEqual([
    'failed',
    'Error: the provider ended the reply: failed: PROHIBITED_CONTENT: No.',
  ]);
});

it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'])(
  'a call that Gemini refuses (%s) is told, though the reply holds none, and fails the turn the second time',
  async (finishReason) => {
    const one = { candidates: [{ content: { role: 'model' }, finishReason, finishMessage: 'print(pay())' }] };
    const { status, isLast, told } = await play(dialectNamed('gemini'), [one, one]);
    expect([status, isLast]).toEqual(['failed', [false]]);
    expect(told).toContain('[Your call of a tool (print(pay())): This call was not started');
    const fold = { text: '', message: { role: 'model', parts: [] }, isComplete: true, stopReason: finishReason };
    expect((await play(dialectNamed('gemini'), [fold])).told).toContain(`a tool (${finishReason})`);
    const streamed = { ...fold, finishMessage: 'print(pay())' };
    expect((await play(dialectNamed('gemini'), [streamed])).told).toContain('a tool (print(pay()))');
    const parts = [{ functionCall: { name: 'pay', args: {} } }];
    const made = { candidates: [{ content: { role: 'model', parts }, finishReason }] };
    // A malformed call is never the one that came; of the others it is the one that the end speaks of.
    const { ran, told: heard } = await play(dialectNamed('gemini'), [made]);
    const isUntold = !heard.includes('not started');
    expect([ran, isUntold]).toEqual([[['pay', {}]], finishReason !== 'MALFORMED_FUNCTION_CALL']);
  },
);

it.each(['abort', 'some_new_word'])(
  'half a call of a reply that ended by a word that is not known (%s) never runs',
  async (word) => {
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'wipe', arguments: '{"pa' } }];
    const { ran, isLast } = await play(openaiChat as never, [
      { choices: [{ finish_reason: word, message: { role: 'assistant', content: null, tool_calls } }] },
    ]);
    expect([ran, isLast]).toEqual([[], [false]]);
  },
);

it.each(['web_search_call', 'mcp_call'])(
  'a limit inside what the provider runs (%s) fails the turn the second time',
  async (type) => {
    const response = (n: number) => ({
      ...{ id: `r${String(n)}`, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      output: [{ type, id: `i${String(n)}`, name: 'pay', arguments: '{}', status: 'in_progress' }],
    });
    const { status, error, isLast } = await play(openaiResponses, [1, 2, 3].map(response));
    expect([status, isLast]).toEqual(['failed', [false]]);
    expect(error).toBeInstanceOf(RangeError);
  },
);

it('a reply that ends in results which no model has read is not the last one', async () => {
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'x', input: {} };
  const result = { type: 'tool-result', toolCallId: 'a', toolName: 'x', output: { type: 'text', value: 'y' } };
  const messages = [
    { role: 'assistant', content: [call] },
    { role: 'tool', content: [result] },
  ];
  const item = { type: 'function_call', callId: 'a', name: 'x', arguments: '{}' };
  const output = {
    type: 'function_call_result',
    callId: 'a',
    status: 'completed',
    output: { type: 'text', text: 'y' },
  };
  const said = [
    [dialectNamed('ai-sdk'), { finishReason: 'tool-calls', response: { messages } }],
    [dialectNamed('openai-agents'), { usage: {}, output: [item, output] }],
  ] as const;
  for (const [dialect, value] of said) expect((await play(dialect as AnyDialect, [value])).isLast).toEqual([false]);
});

describe('a call of which no argument has come', () => {
  const begun = { id: 'c', type: 'function', function: { name: 'wipe', arguments: '' } };
  const meta = { response_metadata: { finish_reason: 'length' } };
  const chunk = { type: 'tool_call_chunk', id: 'c', name: 'wipe', args: '', index: 0 } as const;
  const block = { type: 'tool_use', id: 'c', name: 'wipe', input: {} };
  it.each<[string, unknown, unknown]>([
    [
      'Chat Completions',
      openaiChat,
      { choices: [{ finish_reason: 'length', message: { role: 'assistant', tool_calls: [begun] } }] },
    ],
    ['LangChain, as chunks', langchain, new AIMessageChunk({ content: '', tool_call_chunks: [chunk], ...meta })],
    [
      'LangChain, of Anthropic',
      langchain,
      { role: 'assistant', content: [block], tool_calls: [{ ...block, args: {} }], ...meta },
    ],
    [
      'Responses',
      openaiResponses,
      { output: [{ type: 'function_call', call_id: 'c', name: 'wipe', arguments: '' }], status: 'incomplete' },
    ],
  ])('is half where the limit of its reply came: %s', async (_whose, dialect, value) => {
    const { ran, isLast, told } = await play(dialect as AnyDialect, [value]);
    expect([ran, isLast]).toEqual([[], [false]]);
    expect(told).toContain(cut.limit);
  });
});

describe('a server that says no word of an end', () => {
  const say = (delta: object) => ({ choices: [{ index: 0, delta, finish_reason: null }] });
  const calling = (json: string) =>
    say({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'read', arguments: json } }] });
  const streamed = (chunks: readonly object[]) =>
    readStream(
      undefined,
      async function* () {
        yield* chunks as never[];
      },
      { fold: foldOpenAIChat },
    );

  it('has whole replies, and calls that run', async () => {
    const script = [await streamed([calling('{"path":"a"}')]), await streamed([say({ content: 'Two lines.' })])];
    const { status, ran, isLast, told } = await play(openaiChat as never, script);
    expect({ status, ran, isLast }).toEqual({
      status: 'completed',
      ran: [['read', { path: 'a' }]],
      isLast: [false, true],
    });
    expect(told).not.toContain('cut off');
    expect(script.map(({ isComplete, stopReason }) => [isComplete, stopReason])).toEqual([
      [true, undefined],
      [true, undefined],
    ]);
  });

  it('may have left half a call, which never runs', async () => {
    const { status, error, ran, told } = await play(openaiChat as never, [
      await streamed([calling('{"pa')]),
      await streamed([calling('{"pa')]),
    ]);
    expect([status, ran]).toEqual(['failed', []]);
    expect(told).toContain(cut.refused);
    expect(String(error)).toContain('without saying why');
  });

  it('has said nothing where its stream was empty', async () => {
    expect((await streamed([])).isComplete).toBe(false);
  });
});
