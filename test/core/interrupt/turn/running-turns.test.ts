import { expect, it } from 'vitest';

import { runningTurns } from '../../../../src/core/interrupt/turn/running-turns.ts';
import { obedient, stage, tick } from '../kit.ts';

interface Named {
  readonly agent: { readonly name: string };
}

it('holds each turn while it runs, and lets go of it at its end', async () => {
  const [one, two] = [stage({ name: 'one' }), stage({ name: 'two' })];
  const names = (): string[] => (runningTurns as unknown as Named[]).map(({ agent }) => agent.name);
  expect(names()).toEqual([]);
  const first = one.agent.runTurn(obedient);
  const second = two.agent.runTurn(() => names());
  expect((await second).unwrap()).toEqual(['one', 'two']);
  expect(names()).toEqual(['one']);
  one.agent.cancel();
  await first;
  await tick();
  expect(names()).toEqual([]);
});

it('lets go of the right turn, whichever ends first', async () => {
  const stages = ['one', 'two', 'three', 'four'].map((name) => stage({ name }));
  const turns = stages.map(({ agent }) => agent.runTurn(obedient));
  const names = (): string[] => (runningTurns as unknown as Named[]).map(({ agent }) => agent.name).sort();
  const left = ['four', 'one', 'three', 'two'];
  for (const [index, ended] of [1, 0, 3, 2].entries()) {
    stages[ended]?.agent.cancel();
    await turns[ended];
    left.splice(left.indexOf(stages[ended]?.agent.name ?? ''), 1);
    expect(names(), String(index)).toEqual(left);
  }
});

it('is the same for every copy of the package in the process', () => {
  const shared = (globalThis as Record<symbol, unknown>)[Symbol.for('desist.running-turns.1')];
  expect(shared).toBe(runningTurns);
});
