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

  it('without an index begin with an id of their own', () => {
    expect(callsOf(piece('{}', { id: 'a' }), piece('{}', { id: 'b' }))).toEqual(['a read {}', 'b read {}']);
  });
});
