import { expect, it } from 'vitest';
import { listening, ToolBench } from '../../../src/testing/agent-suite/tool-bench.ts';

const never = new Promise<string>(() => undefined);

it('a bench knows who was started, who runs, and with which signal', async () => {
  const bench = new ToolBench();
  const { signal } = new AbortController();
  const slow = bench.tools['slow']?.(signal);
  bench.does('pay', () => 'paid');
  expect(await bench.tools['pay']?.()).toBe('paid');
  expect([bench.started, bench.running, bench.signalOf('slow')]).toEqual([['slow', 'pay'], ['slow'], signal]);
  bench.finish('late');
  expect(await slow).toBe('late');
  expect(bench.running).toEqual([]);
});

it('a tool that fails does not run any more', async () => {
  const bench = new ToolBench();
  bench.does('first', () => {
    throw new Error('no');
  });
  await expect(bench.tools['first']?.()).rejects.toThrow('no');
  expect(bench.running).toEqual([]);
});

it('a listening tool ends with its signal, for its reason, also if that came first', async () => {
  const stop = new AbortController();
  const work = listening(0, never);
  const running = work({ signal: stop.signal, context: undefined });
  stop.abort('enough');
  await expect(running).rejects.toBe('enough');
  await expect(work({ signal: stop.signal, context: undefined })).rejects.toBe('enough');
});

it('a listening tool that nobody stops gives its result', async () => {
  const work = listening(0, Promise.resolve('done'));
  expect(await work({ signal: undefined, context: undefined })).toBe('done');
});
