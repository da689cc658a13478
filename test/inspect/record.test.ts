import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';

import { CancellationTokenSource, InterruptController } from '../../src/index.ts';
import { record, timelineHtml, timelineText } from '../../src/inspect/index.ts';
import { VirtualClock } from '../../src/testing/index.ts';

it('a released recording hears nothing, and can still be read', async () => {
  const agent = new InterruptController({ name: 'main' });
  const recording = record(agent);
  await agent.runTurn(() => 1);
  recording.release();
  recording.release();
  await agent.runTurn(() => 2);
  expect(recording.trace().operations.map(({ name }) => name)).toEqual(['turn 1']);
});

it('a recording of a source leaves no listener on what the source follows', () => {
  const above = new AbortController();
  const source = new CancellationTokenSource({ parent: above.signal, name: 'session' });
  {
    using _recording = record(source);
    expect(getEventListeners(above.signal, 'abort')).toHaveLength(1);
  }
  expect(getEventListeners(above.signal, 'abort')).toHaveLength(0);
});

it('a stop and a kill of a source are two stops', () => {
  const source = new CancellationTokenSource({ name: 'session' });
  using recording = record(source);
  source.cancel('user');
  source.kill('now');
  expect(recording.trace().stops.map(({ kind, agent }) => `${kind} ${agent}`)).toEqual([
    'cancel session',
    'kill session',
  ]);
});

it('what is no controller, no source or no sense is refused', () => {
  for (const subject of [undefined, null, 7, 'main', {}, new AbortController().signal])
    expect(() => record(subject as never)).toThrow(TypeError);
  const source = new CancellationTokenSource();
  for (const maxOperations of [0, 1.5, NaN, -1]) expect(() => record(source, { maxOperations })).toThrow(RangeError);
  expect(() => record(source, { sinks: {} as never })).toThrow(TypeError);
});

it('watched work is checked before it starts', async () => {
  const source = new CancellationTokenSource();
  using recording = record(source);
  await expect(recording.watch(source.token, 7 as never)).rejects.toThrow(TypeError);
  await expect(recording.watch(source.token, () => 7, { starvedMs: -1 })).rejects.toThrow(RangeError);
  expect(recording.trace().operations).toEqual([]);
});

it('no event of an operation is made while nobody records: none is dated', async () => {
  const virtual = new VirtualClock();
  let reads = 0;
  const clock = {
    now: () => {
      reads++;
      return virtual.now();
    },
    setTimer: virtual.setTimer.bind(virtual),
  };
  const agent = new InterruptController({ name: 'main', clock });
  // Hears of turns, so that those events are made in any case.
  agent.onEvent(() => undefined);
  const readsOfATurn = async (): Promise<number> => {
    reads = 0;
    await agent.runTurn(async ({ model, tools }) => {
      await model(() => 'text');
      await tools([{ id: 'c1', name: 'read' }], () => 'done');
    });
    return reads;
  };

  const before = await readsOfATurn();
  const recording = record(agent, { clock: virtual });
  const during = await readsOfATurn();
  recording.release();
  // The start and the end of the model call and of the tool call.
  expect(during).toBe(before + 4);
  expect(await readsOfATurn()).toBe(before);
});

it('arguments, results and errors are not in a trace, nor on what is drawn of it; names are', async () => {
  const agent = new InterruptController({ name: 'main' });
  using recording = record(agent);
  await agent.runTurn(async ({ model, tools }) => {
    await model(() => 'sk-reply');
    const calls = [
      { id: 'c1', name: 'read', input: { key: 'sk-argument' } },
      { id: 'c2', name: 'write', input: { key: 'sk-argument' } },
    ];
    await tools(calls, (call) => {
      if (call.name === 'write') throw new Error('sk-error');
      return 'sk-result';
    });
    return 'sk-value';
  });
  const trace = recording.trace();
  const shown = [JSON.stringify(trace), timelineText(trace), timelineHtml(trace)].join('\n');
  expect(shown.match(/sk-\w+/g)).toBeNull();
  expect(trace.operations.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    'turn 1 completed',
    'model completed',
    'read completed',
    'write failed',
  ]);
});

it.each([
  [null, 'options must be an object, got null'],
  [{ sinks: [null] }, 'options.sinks[0] must be a sink, got null'],
  [{ sinks: [{}, { started: 5 }] }, 'options.sinks[1].started must be a function, got 5'],
  [{ onError: 5 }, 'options.onError must be a function, got 5'],
])('a recording refuses the options %o', (options, words) => {
  expect(() => record(new CancellationTokenSource(), options as never)).toThrow(new TypeError(words));
});

it('a recording watches nothing without a token', async () => {
  using recording = record(new CancellationTokenSource());
  for (const token of [null, undefined, {}, 'token']) {
    await expect(recording.watch(token as never, () => 1)).rejects.toThrow(/^watch needs a token, got /);
  }
  expect(recording.trace().operations).toEqual([]);
});

it('a trace has the message of a stop and its detail, but not its cause, nor the arguments, results and errors of tools', async () => {
  const agent = new InterruptController();
  using recording = record(agent);
  await agent.runTurn(async ({ tool, cancel }) => {
    await tool({ id: '1', name: 'pay', card: 'secret' }, () => 'a secret receipt');
    await tool({ id: '2', name: 'ship' }, () => Promise.reject(new Error('a secret address')));
    cancel({ message: 'limit of bob', detail: { limit: 'eu' }, cause: new Error('a secret password') });
  });
  const json = JSON.stringify(recording.trace());
  expect([/limit of bob/.test(json), /"limit":"eu"/.test(json), /secret/.test(json)]).toEqual([true, true, false]);
  const source = new CancellationTokenSource({ name: 'import' });
  using other = record(source);
  source.cancel(new Error('bob has no password'));
  expect(timelineText(other.trace())).toContain('bob has no password');
});
