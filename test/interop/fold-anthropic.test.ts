/**
 * Whole streams of the Messages API, with every kind of delta and block that the SDK's types name: the fold keeps what the
 * SDK's own accumulator keeps, and cut after any event it holds a beginning of that.
 */
import { describe, expect, it } from 'vitest';
import { foldAnthropic, type AnthropicReply } from '../../src/adapters/llm/index.ts';
import { majors } from './majors.ts';
import { isBeginningOf, linesOf } from './support/streams.ts';

interface Event {
  readonly type: string;
}
interface Accumulator {
  fromReadableStream(lines: ReadableStream): { finalMessage(): Promise<{ readonly content: unknown }> };
}

const loaded = await Promise.all(
  majors.map(async (major) => {
    const [plain, beta] = await Promise.all([
      major.load<{ MessageStream: Accumulator }>('@anthropic-ai/sdk/lib/MessageStream'),
      major.load<{ BetaMessageStream: Accumulator }>('@anthropic-ai/sdk/lib/BetaMessageStream'),
    ]);
    return { version: major.version('@anthropic-ai/sdk'), plain: plain.MessageStream, beta: beta.BetaMessageStream };
  }),
);

const block =
  (content_block: object, ...deltas: object[]) =>
  (index: number): object[] => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];

function stream(...blocks: ((index: number) => object[])[]): Event[] {
  const usage = { input_tokens: 10, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [], usage };
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'ping' },
    ...blocks.flatMap((make, index) => make(index)),
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 90 } },
    { type: 'message_stop' },
  ] as Event[];
}

const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json });
const text = (piece: string) => ({ type: 'text_delta', text: piece });
const cite = (encrypted_index: string) => ({
  type: 'citations_delta',
  citation: { type: 'web_search_result_location', cited_text: 'c', url: 'u', title: 't', encrypted_index },
});

const plain = stream(
  block(
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'Hm' },
    { type: 'thinking_delta', thinking: 'm.' },
    { type: 'signature_delta', signature: 'sig' },
  ),
  block({ type: 'thinking', thinking: '', signature: '' }, { type: 'signature_delta', signature: 'of nothing shown' }),
  block({ type: 'redacted_thinking', data: 'sealed' }),
  block({ type: 'text', text: '' }, text('Let me '), text('look.')),
  block(
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {}, caller: { type: 'direct' } },
    json(''),
    json('{"query"'),
    json(':"x"}'),
  ),
  block({
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result', url: 'u', title: 't', encrypted_content: 'e', page_age: null }],
  }),
  block({ type: 'text', text: '', citations: [] }, cite('one'), text('It is '), text('so.'), cite('two')),
  block({ type: 'text', text: '', citations: null }, text('And so.'), cite('three')),
  block({ type: 'container_upload', file_id: 'file_1' }),
  block({ type: 'tool_use', id: 'toolu_1', name: 'now', input: {}, caller: { type: 'direct' } }),
  block(
    { type: 'tool_use', id: 'toolu_2', name: 'read', input: {} },
    json('{"path":'),
    json('"a","of":{"b":[1,'),
    json('2]}}'),
  ),
);

const beta = [
  ...stream(
    block(
      { type: 'compaction', content: null },
      { type: 'compaction_delta', content: 'What was said.', encrypted_content: 'E' },
    ),
    block({ type: 'compaction', content: null }, { type: 'compaction_delta', content: null }),
    block(
      { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'query', server_name: 's', input: {} },
      json('{"sql":'),
      json('"select 1"}'),
    ),
    block({
      type: 'mcp_tool_result',
      tool_use_id: 'mcptoolu_1',
      is_error: false,
      content: [{ type: 'text', text: '1', citations: null }],
    }),
    block({ type: 'mcp_tool_use', id: 'mcptoolu_2', name: 'list', server_name: 's', input: {} }),
    block({ type: 'fallback', from: { model: 'a' }, to: { model: 'b' } }),
    block({ type: 'of_a_later_version', anything: { at: ['all'] } }),
  ),
];

/** Two calls at once, as servers in front of other models send them. */
const interleaved = (() => {
  const events = stream(
    block({ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }, json('{"path"'), json(':"a"}')),
    block({ type: 'tool_use', id: 'toolu_2', name: 'list', input: {} }, json('{"of":'), json('"b"}')),
  );
  const order = [0, 1, 2, 6, 3, 7, 4, 8, 5, 9, 10, 11];
  return order.map((at) => events[at] as Event);
})();

const cases = loaded.flatMap(({ version, ...sdk }) => [
  { what: 'a plain reply', version, accumulator: sdk.plain, events: plain },
  { what: 'a plain reply, by the beta door', version, accumulator: sdk.beta, events: plain },
  { what: 'a reply of beta features', version, accumulator: sdk.beta, events: beta },
  { what: 'a reply of two calls at once', version, accumulator: sdk.plain, events: interleaved },
]);

function fold(events: readonly Event[]): AnthropicReply {
  const state = foldAnthropic();
  for (const event of events) state.add(event);
  return state.value;
}

describe.each(cases)('$what, beside @anthropic-ai/sdk $version', ({ accumulator, events }) => {
  it('is folded to what the SDK makes of it', async () => {
    const message = await accumulator.fromReadableStream(linesOf(events)).finalMessage();
    const reply = fold(events);
    expect(reply.message.content).toEqual(JSON.parse(JSON.stringify(message.content)));
    expect([reply.isComplete, reply.fragments]).toEqual([true, []]);
  });

  it('S15 is a beginning of itself wherever it is cut', () => {
    const whole = fold(events).message;
    for (let cut = 0; cut < events.length; cut += 1) {
      const { message } = fold(events.slice(0, cut));
      expect(isBeginningOf(message, whole), `after ${String(cut)} events: ${JSON.stringify(message)}`).toBe(true);
    }
  });
});
