import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';

import { CancellationTokenSource, InterruptController } from '../../src/index.ts';
import { record } from '../../src/inspect/index.ts';

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
