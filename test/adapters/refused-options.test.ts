/** Options that are none are refused at the call, by their value: JavaScript passes `null` where nothing is meant. */
import { describe, expect, it } from 'vitest';
import * as aiSdk from '../../src/adapters/ai-sdk/index.ts';
import { cancellableFetch } from '../../src/adapters/fetch/index.ts';
import * as agents from '../../src/adapters/openai-agents/index.ts';
import { InterruptController, type Turn } from '../../src/index.ts';

const agent = {
  tools: [],
  handoffs: [],
  clone(settings: object) {
    return { ...this, ...settings };
  },
};

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
