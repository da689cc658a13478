import { describe, expect, it } from 'vitest';
import {
  foldOpenAIChat,
  type OpenAIChatChunk,
  type OpenAIChatReply,
} from '../../../../src/adapters/llm/folds/fold-openai-chat.ts';

type Delta = NonNullable<NonNullable<OpenAIChatChunk['choices']>[number]['delta']>;

const say = (delta: Delta, finish: string | null = null): OpenAIChatChunk => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const text = [say({ content: '' }), say({ content: 'Let me ' }), say({ content: 'look.' })];
const first = [
  say({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'read', arguments: '' } }] }),
  say({ tool_calls: [{ index: 0, function: { arguments: '{"path"' } }] }),
  say({ tool_calls: [{ index: 0, function: { arguments: ':"a"}' } }] }),
];
const second = [say({ tool_calls: [{ index: 1, id: 'c2', function: { name: 'list', arguments: '{}' } }] })];
const finish = say({}, 'tool_calls');
const usage: OpenAIChatChunk = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 30, total_tokens: 39 } };

function fold(chunks: readonly OpenAIChatChunk[]): OpenAIChatReply {
  const state = foldOpenAIChat();
  for (const chunk of chunks) state.add(chunk);
  return state.value;
}

it('folds a whole stream into the message the provider would have sent', () => {
  const calls = [
    { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
    { id: 'c2', type: 'function', function: { name: 'list', arguments: '{}' } },
  ];
  expect(fold([...text, ...first, ...second, finish, usage])).toEqual({
    message: { role: 'assistant', content: 'Let me look.', tool_calls: calls },
    calls,
    fragments: [],
    text: 'Let me look.',
    stopReason: 'tool_calls',
    isComplete: true,
    usage: { isExact: true, inputTokens: 9, outputTokens: 30, reported: usage.usage },
  });
});

describe('a cut', () => {
  it('offers a call only when the next one began or the model stopped', () => {
    expect(fold([...text, ...first]).calls).toEqual([]);
    expect(fold([...text, ...first]).message).toEqual({ role: 'assistant', content: 'Let me look.' });
    expect(fold([...first, ...second]).calls.map(({ id }) => id)).toEqual(['c1']);
    expect(fold([...first, ...second, finish]).calls.map(({ id }) => id)).toEqual(['c1', 'c2']);
  });

  it('offers no call that the token limit cut', () => {
    expect(fold([...first.slice(0, 2), say({}, 'length')])).toMatchObject({ calls: [], stopReason: 'length' });
  });

  it('offers no call whose arguments had not begun when the token limit cut it', () => {
    const begun = first.slice(0, 1);
    expect(fold([...begun, say({}, 'length')])).toMatchObject({ calls: [], fragments: [{ id: 'c1', json: '' }] });
    expect(fold([...begun, ...second, say({}, 'length')]).calls).toHaveLength(2);
    expect(fold([...begun, finish]).calls).toHaveLength(1);
  });

  it('takes what the model itself wrote wrong for a call', () => {
    const ended = fold([...first.slice(0, 2), say({}, 'tool_calls')]);
    expect(ended).toMatchObject({ calls: [{ id: 'c1', function: { arguments: '{"path"' } }], fragments: [] });
  });

  it('keeps what had come of a call as a fragment', () => {
    expect(fold([...text, ...first.slice(0, 2)]).fragments).toEqual([{ id: 'c1', name: 'read', json: '{"path"' }]);
    expect(fold([...first, ...second]).fragments).toEqual([{ id: 'c2', name: 'list', json: '{}' }]);
    expect(fold([...first.slice(0, 2), say({}, 'length')]).fragments).toMatchObject([{ json: '{"path"' }]);
    expect(fold([say({ tool_calls: [{ index: 1 }] })]).fragments).toEqual([{ id: undefined, name: '', json: '' }]);
    expect(fold([...first, ...second, finish]).fragments).toEqual([]);
  });

  it('S16 counts at least what came, never 0', () => {
    expect(fold([]).usage).toEqual({ isExact: false, inputTokens: undefined, outputTokens: undefined });
    expect(fold([...text, ...first]).usage).toEqual({ isExact: false, inputTokens: undefined, outputTokens: 4 });
    expect(fold([...text, finish]).usage).toMatchObject({ isExact: false, outputTokens: 2 });
  });

  it('says null for no text', () => {
    expect(fold([]).message).toEqual({ role: 'assistant', content: null });
  });
});

it('completes empty arguments to an empty object', () => {
  const bare = say({ tool_calls: [{ index: 0, id: 'c', function: { name: 'n' } }] });
  expect(fold([bare, finish]).calls[0]?.function.arguments).toBe('{}');
});

it.each([{ index: 0 }, {}])('takes an empty id for none: %j', (place) => {
  const chunks = [
    say({ tool_calls: [{ ...place, id: 'a', function: { name: 'n', arguments: '{"x"' } }] }),
    say({ tool_calls: [{ ...place, id: '', function: { arguments: ':1}' } }] }, 'tool_calls'),
  ];
  expect(fold(chunks).calls).toEqual([{ id: 'a', type: 'function', function: { name: 'n', arguments: '{"x":1}' } }]);
});

it('tells calls without an index apart by their ids', () => {
  const chunks = ['a', 'b'].map((id) => say({ tool_calls: [{ id, function: { name: 'n', arguments: '{' } }] }));
  const more = say({ tool_calls: [{ function: { arguments: '}' } }] });
  expect(fold([chunks[0] ?? {}, more, chunks[1] ?? {}, more, finish]).calls.map(({ id }) => id)).toEqual(['a', 'b']);
});

it('listens to the first choice only', () => {
  expect(fold([{ choices: [{ index: 1, delta: { content: 'other draft' } }] }, ...text]).text).toBe('Let me look.');
});

it('gives a new value each time, and never changes an old one', () => {
  const state = foldOpenAIChat();
  for (const chunk of [...text, ...first, finish]) state.add(chunk);
  const before = state.value;
  const copy = structuredClone(before);
  state.add(say({ content: ' more' }));
  for (const chunk of second) state.add(chunk);
  expect(before).toEqual(copy);
});

describe('what is said besides', () => {
  const after = (finish: string | null, ...deltas: object[]) =>
    fold([...deltas.map((delta) => say(delta as Delta)), ...(finish === null ? [] : [say({}, finish)])]);

  it('stands in the message: a refusal, thoughts, seals', () => {
    const thoughts = ['I read ', 'it first.'].map((reasoning_content) => ({ content: null, reasoning_content }));
    expect(after('stop', ...thoughts, { content: 'So.' }).message).toEqual({
      role: 'assistant',
      content: 'So.',
      reasoning_content: 'I read it first.',
    });
    const refused = after('stop', { refusal: 'I will ' }, { refusal: 'not.' });
    expect([refused.message, refused.text]).toEqual([{ role: 'assistant', content: null, refusal: 'I will not.' }, '']);
    const sealed = { id: 'a', type: 'function', extra_content: { google: { thought_signature: 'S' } } };
    const called = { tool_calls: [{ ...sealed, index: 0, function: { name: 'read', arguments: '{}' } }] };
    expect(after('tool_calls', called).calls).toEqual([{ ...sealed, function: { name: 'read', arguments: '{}' } }]);
  });

  it('is no half call of the old form, and no sound before its end', () => {
    const old = { function_call: { name: 'read', arguments: '{"a":1}' } };
    expect(after(null, old).message).not.toHaveProperty('function_call');
    expect(after('length', { function_call: { name: 'read', arguments: '{"a"' } }).message).not.toHaveProperty(
      'function_call',
    );
    expect(after('function_call', old).message).toMatchObject(old);
    const sound = { audio: { id: 'a', data: 'AA' } };
    expect(after(null, sound).message).not.toHaveProperty('audio');
    expect(after('stop', sound, { audio: { expires_at: 1 } }).message).toHaveProperty('audio.expires_at', 1);
  });
});

it('has a custom call as the SDK has it, unless a limit cut it', () => {
  const begun = say({ tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'shell', input: 'ls ' } }] });
  const ended = say({ tool_calls: [{ index: 0, custom: { input: '-l' } }] });
  const whole = { id: 'a', type: 'custom', custom: { name: 'shell', input: 'ls -l' } };
  expect(fold([begun, ended, finish]).calls).toEqual([whole]);
  expect(fold([begun, ended, ...second]).calls).toEqual([whole]);
  for (const cut of [[], [say({}, 'length')], [say({}, 'content_filter')]]) {
    expect(fold([begun, ...cut])).toMatchObject({ calls: [], fragments: [{ id: 'a', name: 'shell', json: 'ls ' }] });
  }
});

it('offers no call whose arguments come after the next one began', () => {
  const both = [0, 1].map((index) => ({ index, id: `c${String(index)}`, function: { name: 'n', arguments: '' } }));
  const begun = say({ tool_calls: both });
  expect(fold([begun]).calls).toEqual([]);
  const rest = say({ tool_calls: both.map(({ index }) => ({ index, function: { arguments: '{"x":1}' } })) });
  expect(fold([begun, rest, finish]).calls).toHaveLength(2);
});

describe('calls of compatible servers', () => {
  const callsOf = (...deltas: object[]) => {
    const fold = foldOpenAIChat();
    for (const delta of deltas) fold.add({ choices: [{ delta: { tool_calls: [delta] } }] });
    fold.add({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] });
    return fold.value.calls.map(({ id, function: { name, arguments: json } }) => `${id} ${name} ${json}`);
  };
  const piece = (json: string, more: object = {}) => ({ ...more, function: { name: 'read', arguments: json } });

  it('have their id and name once, where each piece says them again', () => {
    const indexed = { index: 0, id: 'a' };
    expect(callsOf(piece('{"a"', indexed), piece(':1}', indexed))).toEqual(['a read {"a":1}']);
    expect(callsOf(piece('{"a"', { id: 'a' }), piece(':1}', { id: 'a' }))).toEqual(['a read {"a":1}']);
  });

  it('are several by their ids, where all of them have index 0', () => {
    const rest = (json: string) => ({ index: 0, function: { arguments: json } });
    const [a, b] = [piece('{"a"', { index: 0, id: 'a' }), piece('{"b"', { index: 0, id: 'b' })];
    expect(callsOf(a, rest(':1}'), b, rest(':2}'))).toEqual(['a read {"a":1}', 'b read {"b":2}']);
    const c = piece('{}', { index: 1, id: 'c' });
    expect(callsOf(a, rest(':1}'), b, rest(':2}'), c)).toEqual(['a read {"a":1}', 'b read {"b":2}', 'c read {}']);
  });

  it('without ids are several by what begins behind whole arguments', () => {
    const none = { index: 0, id: '' };
    const stat = { ...none, function: { name: 'stat', arguments: '{"p":2}' } };
    expect(callsOf(piece('{"p":1}', none), stat)).toEqual([' read {"p":1}', ' stat {"p":2}']);
    expect(callsOf(piece('{"p"', none), piece(':1}', none), piece('{"p":2}', none))).toEqual([
      ' read {"p":1}',
      ' read {"p":2}',
    ]);
    expect(callsOf(piece('{"p":1}'), piece('{"p":2}'))).toEqual([' read {"p":1}', ' read {"p":2}']);
    expect(callsOf(piece('{"p":{}', none), piece('}', none))).toEqual([' read {"p":{}}']);
    expect(callsOf(piece('{"p":"{}', none), piece('{}"}', none))).toEqual([' read {"p":"{}{}"}']);
  });

  it('without an index begin with an id of their own', () => {
    expect(callsOf(piece('{}', { id: 'a' }), piece('{}', { id: 'b' }))).toEqual(['a read {}', 'b read {}']);
  });
});

it('chunks without a choice say nothing and are refused by nobody: usage, and what a filter found in the prompt', () => {
  const filtered = { choices: [], prompt_filter_results: [{ prompt_index: 0 }] } as OpenAIChatChunk;
  expect(fold([filtered])).toMatchObject({
    text: '',
    isComplete: false,
    message: { role: 'assistant', content: null },
  });
  const whole = fold([filtered, ...text, say({}, 'stop'), usage]);
  expect(whole).toMatchObject({ text: 'Let me look.', isComplete: true, usage: { isExact: true, outputTokens: 30 } });
});

it('takes arguments that a compatible server gives as an object', () => {
  const given = { name: 'remove', arguments: { only: '*.tmp' } } as never;
  const { calls } = fold([say({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: given }] }), finish]);
  expect(calls.map((call) => call.function.arguments)).toEqual(['{"only":"*.tmp"}']);
});

it('is not complete where a proxy says that the provider fell over, and offers no call that it cut', () => {
  const half = { index: 0, id: 'c1', type: 'function', function: { name: 'pay', arguments: '{"to":' } };
  const error = { code: 502, message: 'Provider disconnected' };
  const failed = fold([...text, say({ tool_calls: [half] }), say({ content: '' }, 'error')]);
  expect(failed).toMatchObject({ isComplete: false, stopReason: 'error', calls: [], text: 'Let me look.' });
  expect(failed.fragments).toHaveLength(1);
  expect(fold([...text, { error, choices: [] }, say({}, 'stop')]).isComplete).toBe(false);
});

it('has the words of a content that is streamed as parts, and counts its thoughts', () => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'They greet me, so I greet them.' }] };
  const parts = [{ type: 'text', text: 'Hello ' }, null, 7, { type: 'reference' }];
  const said = [say({ content: [thinking] }), say({ content: parts }), say({ content: 'there.' }), finish];
  const whole = fold(said);
  expect(whole).toMatchObject({ text: 'Hello there.', message: { content: 'Hello there.' }, isComplete: true });
  const silent = fold(said.slice(1));
  expect(whole.usage.outputTokens).toBeGreaterThan(silent.usage.outputTokens ?? 0);
});
