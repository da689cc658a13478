import { expect, it } from 'vitest';

import { targetOf } from '../../../../src/adapters/internal/presses/press-target.ts';
import { FakeController } from './fake-controller.ts';

it('a controller tells what it does, and one without a state does not', () => {
  const agent = new FakeController();
  const target = targetOf(agent, undefined);
  expect(target().doing).toBe('idle');
  agent.become('running');
  expect(target().doing).toBe('running');
  expect(targetOf({ cancel: () => 0, kill: () => 0 }, undefined)().doing).toBe('unknown');
});

it('no session in front is nothing to stop', () => {
  const target = targetOf(new FakeController(), () => undefined)();
  target.cancel();
  target.kill();
  expect([target.doing, target.id, target.onChange]).toEqual(['idle', undefined, undefined]);
});
