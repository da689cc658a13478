/** Options that are none are refused at the call, by their value: JavaScript passes `null` where nothing is meant. */
import { describe, expect, it } from 'vitest';
import * as aiSdk from '../../src/adapters/ai-sdk/index.ts';
import { cancellableIterable, sharedStream } from '../../src/adapters/async-iterator/index.ts';
import { adopt, cancellableExec, cancellableSpawn, runSubprocessTool } from '../../src/adapters/child-process/index.ts';
import { cancellableFetch } from '../../src/adapters/fetch/index.ts';
import * as langchain from '../../src/adapters/langchain/index.ts';
import { cancellableCall, cancellableStream, readStream } from '../../src/adapters/llm/index.ts';
import * as agents from '../../src/adapters/openai-agents/index.ts';
import { runBlocking, superviseWorker } from '../../src/adapters/worker/index.ts';
import { InterruptController, type Turn } from '../../src/index.ts';

type Call = (turn: Turn, options: never) => unknown;

const nothing = (): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
});
const tool = { start: () => 1, isRunning: () => false, kill: () => 1, result: () => 1 };
const runnable = { invoke: () => Promise.resolve(1) };
const agentsModel = { getResponse: () => Promise.resolve(1), getStreamedResponse: nothing };
const agent = {
  tools: [],
  handoffs: [],
  clone(settings: object) {
    return { ...this, ...settings };
  },
};

const calls: Readonly<Record<string, Call>> = {
  cancellableIterable: (_turn, options) => cancellableIterable(null, nothing(), options),
  sharedStream: (_turn, options) => sharedStream(null, nothing(), options),
  'sharedStream().reader': (_turn, options) => sharedStream(null, nothing()).reader(null, options),
  cancellableStream: (_turn, options) => cancellableStream(null, nothing, options),
  cancellableCall: (_turn, options) => cancellableCall(null, () => 1, options),
  readStream: (_turn, options) => readStream(null, nothing, options),
  cancellableSpawn: (_turn, options) => cancellableSpawn('true', [], options),
  cancellableExec: (_turn, options) => cancellableExec('true', options),
  adopt: (_turn, options) => adopt({ pid: 2 ** 30 }, options),
  runSubprocessTool: (_turn, options) => runSubprocessTool(null, tool, options),
  runBlocking: (_turn, options) => runBlocking(null, 'data:text/javascript,', [], options),
  superviseWorker: (_turn, options) => superviseWorker(null, { terminate: () => 1 }, options),
  cancellableFetch: (_turn, options) => cancellableFetch('data:,x', options),
  'underTurn of ai-sdk': (turn, options) => aiSdk.underTurn(turn, {}, options),
  'underTurn of ai-sdk, for its model': (turn, options) => aiSdk.underTurn(turn, {}, { model: options }),
  'underTurn of openai-agents': (turn, options) => agents.underTurn(turn, agent, options),
  'turnModel of openai-agents': (turn, options) => agents.turnModel(turn, agentsModel, options),
  turnProvider: (turn, options) => agents.turnProvider(turn, { getModel: () => agentsModel }, options),
  'turnModel of langchain': (turn, options) => langchain.turnModel(turn, runnable, options),
  guardRunnable: (_turn, options) => langchain.guardRunnable(runnable, options),
  guardNode: (_turn, options) => langchain.guardNode(() => 1, options),
};

describe.each(Object.entries(calls))('%s', (name, call) => {
  const bad: readonly (readonly [unknown, string])[] = [
    [null, 'null'],
    [7, '7'],
    ['fast', '"fast"'],
  ];
  // `fetch` takes null for nothing.
  it.each(bad.slice(name === 'cancellableFetch' ? 1 : 0))('refuses %j for its options', async (options, shown) => {
    const agent = new InterruptController();
    const report = await agent.runTurn(async (turn) => {
      await call(turn, options as never);
    });
    expect(report).toMatchObject({
      status: 'failed',
      error: {
        name: 'TypeError',
        message: expect.stringMatching(new RegExp(`^(options|init) must be an object, got ${shown}$`)) as string,
      },
    });
    await agent.close();
  });
});

it('cancellableFetch takes null for nothing, as fetch does', async () => {
  expect(await (await cancellableFetch('data:,x', null as never)).text()).toBe('x');
});

describe.each([
  ['ai-sdk', (turn: Turn, options: object) => aiSdk.underTurn(turn, {}, options)],
  ['openai-agents', (turn: Turn, options: object) => agents.underTurn(turn, agent, options)],
])('underTurn of %s', (_door, call) => {
  it.each([
    [-1, 'RangeError'],
    [null, 'TypeError'],
  ])('refuses a grace of %j, also without tools', async (graceMs, name) => {
    const controller = new InterruptController();
    const report = await controller.runTurn((turn) => void call(turn, { graceMs }));
    expect(report).toMatchObject({ status: 'failed', error: { name } });
    await controller.close();
  });
});

it('cancellableFetch refuses a requireComplete that is no boolean, and readRun what is no run', async () => {
  const withComplete = (requireComplete: unknown) => cancellableFetch('data:,x', { requireComplete } as never);
  await expect(withComplete('yes')).rejects.toThrow('requireComplete must be a boolean, got "yes"');
  await expect(withComplete(null)).rejects.toThrow('requireComplete must be a boolean, got null');
  await expect(agents.readRun(null, null as never)).rejects.toThrow('running must be a run, got null');
});
