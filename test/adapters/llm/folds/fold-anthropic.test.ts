import { describe, expect, it } from 'vitest';
import { foldAnthropic, type AnthropicReply } from '../../../../src/adapters/llm/folds/fold-anthropic.ts';

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

const start: Event = {
  type: 'message_start',
  message: { role: 'assistant', content: [], usage: { input_tokens: 10, output_tokens: 1 } },
};
const open = (block: unknown): Event => ({ type: 'content_block_start', index: 0, content_block: block });
const delta = (fields: unknown): Event => ({ type: 'content_block_delta', index: 0, delta: fields });
const stop: Event = { type: 'content_block_stop', index: 0 };
const last: Event = { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 40 } };

const thinking = [
  open({ type: 'thinking', thinking: '', signature: '' }),
  delta({ type: 'thinking_delta', thinking: 'Hm' }),
  delta({ type: 'thinking_delta', thinking: 'm.' }),
  delta({ type: 'signature_delta', signature: 'sig' }),
  stop,
];
const text = [
  open({ type: 'text', text: '' }),
  delta({ type: 'text_delta', text: 'Let me ' }),
  delta({ type: 'text_delta', text: 'look.' }),
  stop,
];
const call = [
  open({ type: 'tool_use', id: 't1', name: 'read', input: {} }),
  delta({ type: 'input_json_delta', partial_json: '{"path"' }),
  delta({ type: 'input_json_delta', partial_json: ':"a"}' }),
  stop,
];
const whole = [start, ...thinking, ...text, ...call, last, { type: 'message_stop' }];

function fold(events: readonly Event[]): AnthropicReply {
  const state = foldAnthropic();
  for (const event of events) state.add(event);
  return state.value;
}

it('folds a whole stream into the message the provider would have sent', () => {
  const use = { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a' } };
  expect(fold(whole)).toEqual({
    message: {
      role: 'assistant',
      content: [{ type: 'thinking', thinking: 'Hmm.', signature: 'sig' }, { type: 'text', text: 'Let me look.' }, use],
    },
    calls: [use],
    fragments: [],
    text: 'Let me look.',
    stopReason: 'tool_use',
    isComplete: true,
    usage: {
      isExact: true,
      inputTokens: 10,
      outputTokens: 40,
      reported: { input_tokens: 10, output_tokens: 40 },
    },
  });
});

describe('a cut', () => {
  it('S18 keeps no thinking that was not signed and closed', () => {
    expect(fold([start, ...thinking.slice(0, 3)]).message.content).toEqual([]);
    expect(fold([start, ...thinking.slice(0, 4)]).message.content).toEqual([]);
    expect(fold([start, ...thinking]).message.content).toHaveLength(1);
  });

  it('keeps cut text, but no empty or blank one', () => {
    expect(fold([start, ...text.slice(0, 2)]).text).toBe('Let me ');
    expect(fold([start, ...text.slice(0, 1)]).message.content).toEqual([]);
    expect(fold([start, open({ type: 'text', text: '' }), delta({ text: '\n' })]).message.content).toEqual([]);
  });

  const limit: Event = { type: 'message_delta', delta: { stop_reason: 'max_tokens' } };

  it('offers no half call, be it cut by us or by the token limit', () => {
    expect(fold([start, ...text, ...call.slice(0, 3)])).toMatchObject({ calls: [], message: { content: [{}] } });
    expect(fold([start, ...call.slice(0, 2), stop, limit]).calls).toEqual([]);
    expect(fold([start, ...call]).calls).toHaveLength(1);
  });

  it('offers no call whose arguments had not begun when the token limit cut it', () => {
    const begun = [start, ...call.slice(0, 1), stop];
    expect(fold([...begun, limit])).toMatchObject({ calls: [], fragments: [{ id: 't1', name: 'read', json: '' }] });
    expect(fold([...begun, last]).calls).toHaveLength(1);
    expect(fold([...begun, ...text, limit]).calls).toHaveLength(1);
    const given = open({ type: 'tool_use', id: 't1', name: 'read', input: { path: 'a' } });
    expect(fold([start, given, stop, limit]).calls).toHaveLength(1);
  });

  it('takes what the model itself wrote wrong for a call, in the form that the provider asks for', () => {
    const wrong = [{ type: 'tool_use', id: 't1', name: 'read', input: { INVALID_JSON: '{"path"' } }];
    const ended = fold([start, ...call.slice(0, 2), stop, last]);
    expect(ended).toMatchObject({ calls: wrong, fragments: [], message: { content: wrong } });
    expect(fold([start, ...call.slice(0, 2), stop, ...text]).calls).toEqual(wrong);
  });

  it('keeps what had come of a call as a fragment', () => {
    expect(fold([start, ...call.slice(0, 2)]).fragments).toEqual([{ id: 't1', name: 'read', json: '{"path"' }]);
    expect(fold([start, ...call.slice(0, 2), stop]).fragments).toHaveLength(1);
    expect(fold([start, ...call.slice(0, 2), stop, limit]).fragments).toHaveLength(1);
    expect(fold([start, open({ type: 'tool_use' })]).fragments).toEqual([{ id: undefined, name: '', json: '' }]);
    expect(fold([start, ...call]).fragments).toEqual([]);
    expect(fold([start, ...text.slice(0, 2)]).fragments).toEqual([]);
  });

  it('S16 counts at least what came, never 0', () => {
    expect(fold([]).usage).toEqual({ isExact: false, inputTokens: undefined, outputTokens: undefined });
    expect(fold([start, ...text.slice(0, 3)]).usage).toMatchObject({
      isExact: false,
      inputTokens: 10,
      outputTokens: 2,
    });
    for (let length = 1; length < whole.length - 2; length += 1) {
      const { usage, isComplete } = fold(whole.slice(0, length));
      expect([usage.isExact, isComplete]).toEqual([false, false]);
      expect(usage.outputTokens).toBeGreaterThan(0);
      expect(usage.outputTokens).toBeLessThanOrEqual(40);
    }
  });
});

it('reads calls without arguments, and arguments that came whole', () => {
  const bare = [open({ type: 'tool_use', id: 't', name: 'n', input: {} }), stop];
  const full = [open({ type: 'tool_use', id: 't', name: 'n', input: { a: 1 } }), stop];
  expect(fold(bare).calls).toMatchObject([{ input: {} }]);
  expect(fold(full).calls).toMatchObject([{ input: { a: 1 } }]);
});

it('puts a signature together, whose beginning may come with the opening', () => {
  const thinking = open({ type: 'thinking', thinking: 'Hm', signature: 'a' });
  const parts = [thinking, delta({ signature: 'b' }), delta({ signature: 'c' }), stop];
  expect(fold(parts).message.content).toEqual([{ type: 'thinking', thinking: 'Hm', signature: 'abc' }]);
});

it('passes blocks it does not know through, once they are closed', () => {
  const block = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
  expect(fold([open(block)]).message.content).toEqual([]);
  expect(fold([open(block), stop]).message.content).toEqual([block]);
});

it('keeps what a delta of any kind says of a block of any kind', () => {
  const mcp = { type: 'mcp_tool_use', id: 'm', name: 'query', server_name: 's', input: {} };
  const parts = (...pieces: string[]) =>
    pieces.map((partial_json) => delta({ type: 'input_json_delta', partial_json }));
  expect(fold([open(mcp), ...parts('{"a"', ':1}'), stop]).message.content).toEqual([{ ...mcp, input: { a: 1 } }]);
  expect(fold([open(mcp), ...parts('{"a"'), stop]).message.content).toEqual([]);
  const compacted = { type: 'compaction', content: 'All.', encrypted_content: 'E' };
  const summary = delta({ ...compacted, type: 'compaction_delta' });
  expect(fold([open({ type: 'compaction', content: null }), summary, stop]).message.content).toEqual([compacted]);
  const cited = [delta({ type: 'citations_delta', citation: 1 }), delta({ text: 'x' }), delta({ citation: 2 })];
  expect(fold([open({ type: 'text', text: '' }), ...cited]).message.content).toEqual([
    { type: 'text', text: 'x', citations: [1, 2] },
  ]);
  const later = [delta({ type: 'notes_delta', notes: 'a' }), delta({ type: 'notes_delta', notes: 'b', of: 1 })];
  expect(fold([open({ type: 'notes' }), ...later, stop]).message.content).toEqual([
    { type: 'notes', notes: 'ab', of: 1 },
  ]);
});

it('puts each delta into the block that it names', () => {
  const at = (index: number, event: Event): Event => ({ ...event, index });
  const events = [0, 1].map((index) => call.map((event) => at(index, event)));
  const mixed = [0, 1, 2, 3].flatMap((step) => events.map((own) => own[step] as Event));
  expect(fold(mixed).calls.map(({ input }) => input)).toEqual([{ path: 'a' }, { path: 'a' }]);
});

it('adds cached input, and does not mind nulls', () => {
  const usage = { input_tokens: 1, cache_creation_input_tokens: 20, cache_read_input_tokens: 300, output_tokens: 1 };
  const final = { type: 'message_delta', delta: {}, usage: { input_tokens: null, output_tokens: 5 } };
  expect(fold([{ type: 'message_start', message: { usage } }, final]).usage.inputTokens).toBe(321);
});

it('gives a new value each time, and never changes an old one', () => {
  const state = foldAnthropic();
  for (const event of [start, ...text.slice(0, 2)]) state.add(event);
  const before = state.value;
  const copy = structuredClone(before);
  for (const event of text.slice(2)) state.add(event);
  expect(before).toEqual(copy);
  expect(state.value.text).toBe('Let me look.');
});

it('survives events out of order and of no known kind', () => {
  expect(fold([stop, delta({ text: 'x' }), { type: 'ping' }, { type: 'message_start' }]).message.content).toEqual([]);
});
