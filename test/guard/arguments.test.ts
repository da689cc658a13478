import { expect, it } from 'vitest';

import { askedIn, callIdOf, signalsIn, withSignal as replaced } from '../../src/guard/arguments.ts';

const { signal } = new AbortController();

const signalIn = (arg: unknown): AbortSignal | undefined => signalsIn(arg)[0];

const withSignal = (arg: unknown, from: AbortSignal, to: AbortSignal): unknown => replaced([arg], from, to)[0];

class Options {
  readonly signal = signal;
}

it.each<[string, unknown, boolean]>([
  ['an argument of its own', signal, true],
  ['the field abortSignal', { abortSignal: signal }, true],
  ['the field signal', { signal }, true],
  ['the field cancelSignal', { cancelSignal: signal }, true],
  ['a part, as MCP has it', { mcpReq: { signal }, http: {} }, true],
  ['a part of a part', { a: { b: { signal } } }, true],
  ['a field of any name', { stopSignal: signal }, true],
  ['a field of any name in a part', { a: { x: signal } }, true],
  ['a part of a part of a part', { a: { b: { c: { signal } } } }, false],
  ['a list', { list: [{ signal }] }, false],
  ['a Map', { map: new Map([['signal', signal]]) }, false],
  ['an instance in a part', { request: new Options() }, false],
  ['something of that name', { signal: {} }, false],
  ['a text', 'in', false],
  ['nothing', null, false],
])('a signal in %s is found, and replaced there and nowhere else', (_where, arg, isFound) => {
  expect(signalIn(arg)).toBe(isFound ? signal : undefined);
  const other = new AbortController().signal;
  const own = withSignal(arg, signal, other);
  if (!isFound) expect(own).toBe(arg);
  else expect(signalIn(own)).toBe(other);
  expect(withSignal(own, other, signal)).toEqual(arg);
});

it('a signal in the field of an instance is found, and the instance left as it is', () => {
  const options = new Options();
  expect(signalIn(options)).toBe(signal);
  expect(withSignal(options, signal, new AbortController().signal)).toBe(options);
  expect(withSignal({ options, signal }, signal, new AbortController().signal)).toMatchObject({ options });
});

it('a signal that stands in an argument twice is replaced twice', () => {
  const other = new AbortController().signal;
  const arg = { abortSignal: signal, signal, agent: { abortSignal: signal, signal: other } };
  const own = withSignal(arg, signal, other);
  expect(own).toEqual({ abortSignal: other, signal: other, agent: { abortSignal: other, signal: other } });
  expect(arg.agent.abortSignal).toBe(signal);
});

it('a signal is found beside an object that refuses every question', () => {
  const refusing = new Proxy(new (class Client {})(), {
    get: () => {
      throw new Error('no such table');
    },
  });
  expect(signalIn({ db: refusing, stopSignal: signal })).toBe(signal);
});

it('a signal in the field of a known name is found before one in another', () => {
  const other = new AbortController().signal;
  expect(signalIn({ shutdown: other, part: { abortSignal: signal } })).toBe(signal);
  expect(withSignal({ shutdown: other, signal }, signal, other)).toEqual({ shutdown: other, signal: other });
});

it('a signal in an object that is handed over twice, or leads to itself, leaves it one object', () => {
  const other = new AbortController().signal;
  const shared = { signal };
  const [first, second, holder] = replaced([shared, shared, { shared }], signal, other) as [object, object, { shared: object }]; // prettier-ignore
  expect([second, holder.shared]).toEqual([first, first]);
  expect([second === first, holder.shared === first, first === shared]).toEqual([true, true, false]);
  const loop: { signal: AbortSignal; self?: unknown } = { signal };
  loop.self = loop;
  expect(withSignal(loop, signal, other)).toMatchObject({ signal: other });
});

it('what was asked for is the input in what Strands hands over, and never a part of what a model wrote', () => {
  const given = { toolUse: { toolUseId: 'a', input: { path: 'x' } } };
  expect(askedIn({ ...given, cancelSignal: signal }, 0)).toEqual({ path: 'x' });
  expect(askedIn(given, 0)).toBeUndefined();
});

class OfProgram {
  readonly requestId = 'a';
}

/** What frameworks hand over without a signal. */
const framework = { abortSignal: undefined };

it.each<[unknown, number, string | undefined]>([
  [{ toolCallId: 'a', ...framework }, 1, 'a'],
  [{ toolCall: { id: 'a' }, ...framework }, 1, 'a'],
  [{ toolCall: { callId: 'a' }, ...framework }, 2, 'a'],
  [{ agent: { toolCallId: 'a' }, ...framework }, 1, 'a'],
  [{ toolUse: { toolUseId: 'a', input: {} }, agent: {}, ...framework }, 1, 'a'],
  [{ type: 'tool_call', id: 'a', args: {} }, 0, 'a'],
  [{ requestId: 0, ...framework }, 1, '0'],
  [{ mcpReq: { id: 'a' }, ...framework }, 1, 'a'],
  [{ id: 'a', ...framework }, 1, undefined],
  [{ agent: { id: 'a' }, ...framework }, 1, undefined],
  [{ toolCallId: '', ...framework }, 1, undefined],
  [{ requestId: '', ...framework }, 1, undefined],
  [{ mcpReq: { id: '' }, ...framework }, 1, undefined],
  [undefined, 0, undefined],
  // An argument that the model did not write, in the first place.
  [{ requestId: 1, signal }, 0, '1'],
  [{ mcpReq: { id: 1, signal } }, 0, '1'],
  [new OfProgram(), 0, 'a'],
  // What the model wrote.
  [{ toolCallId: 'a' }, 0, undefined],
  [{ toolCallId: 'a', at: new Date(), tags: ['x'], part: {} }, 1, undefined],
  [{ toolUse: { toolUseId: 'a', input: {} } }, 1, undefined],
  [{ requestId: 'a' }, 0, undefined],
  [{ toolCall: { id: 'a' }, agent: { toolCallId: 'b' } }, 0, undefined],
  [{ type: 'tool_call', id: 'a' }, 0, undefined],
])('the id of the call of %o as argument %i is %s', (arg, index, id) => {
  const args = [...Array.from({ length: index }, () => ({})), arg];
  expect(callIdOf(args, { lc_namespace: [] })).toBe(id);
});

class Session {}

it.each<[string, unknown[]]>([
  ['a call of LangChain, for a tool that is none of it', [{ type: 'tool_call', id: 'a', args: {} }, { signal }]],
  ['an input behind a context', [new OfProgram(), { toolCallId: 'a' }, signal]],
  ['an input behind a context, where no signal is given', [new Session(), { toolCallId: 'a' }]],
  ['an input behind plain data, where no signal is given', [{ user: 'ann' }, { toolCallId: 'a' }]],
  ['a number behind a context', [new OfProgram(), { requestId: 7 }, { signal }]],
])('what the model wrote is no id of a call: %s', (_what, args) => {
  expect(callIdOf(args, {})).toBeUndefined();
});
