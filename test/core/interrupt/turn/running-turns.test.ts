import { expect, it } from 'vitest';

import { runningTurns } from '../../../../src/core/interrupt/turn/running-turns.ts';
import { obedient, stage, tick } from '../kit.ts';

it('holds each turn while it runs, in the order of their start, and lets go of it at its end', async () => {
  const [one, two] = [stage({ name: 'one' }), stage({ name: 'two' })];
  const names = (): string[] => [...runningTurns].map(({ agent }) => agent.name);
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

it('is the same for every copy of the package in the process', () => {
  const shared = (globalThis as Record<symbol, unknown>)[Symbol.for('desist.running-turns.1')];
  expect(shared).toBe(runningTurns);
});
