import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { press } from '../../../../src/adapters/internal/keyboard/decoder/key-event.ts';
import { acquireStdin } from '../../../../src/adapters/internal/keyboard/stdin-registry.ts';
import type { StdinLease } from '../../../../src/adapters/internal/keyboard/stdin-owner.ts';
import { PressRunner } from '../../../../src/adapters/internal/presses/press-runner.ts';
import { targetOf } from '../../../../src/adapters/internal/presses/press-target.ts';
import { watchPresses, type WatchedPresses } from '../../../../src/adapters/internal/presses/watch-presses.ts';
import type { Releasable } from '../../../../src/core/inside.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { FakeTty } from '../keyboard/fake-tty.ts';
import { FakeController } from './fake-controller.ts';

let clock: VirtualClock;
let tty: FakeTty;
let lease: StdinLease;
let controller: FakeController;
let left: number;
const held: Releasable[] = [];

function watch(target: FakeController, keys: Partial<WatchedPresses> = {}): Releasable {
  const rules = new PressRunner(targetOf(target, undefined), {
    clock,
    escape: 'single',
    idleEscape: false,
    doubleMs: 500,
    leaveMs: 2000,
    leave: () => left++,
    onLeaveArmed: undefined,
    onEscapeArmed: undefined,
    onIdleDoubleEscape: undefined,
  });
  const watched = watchPresses(lease.owner, rules, {
    clock,
    escapes: true,
    interrupts: true,
    suspends: false,
    ...keys,
  });
  held.push(watched);
  return watched;
}

const type = (name: string, ctrl = false): void => {
  lease.owner.keys.dispatch(press(name, { ctrl }), clock.now());
};

beforeEach(() => {
  clock = new VirtualClock({ startAt: 10_000 });
  tty = new FakeTty();
  lease = acquireStdin(tty, { clock, escTimeoutMs: 50 }, false);
  controller = new FakeController();
  controller.become('running');
  left = 0;
});

afterEach(() => {
  for (const releasable of held.splice(0)) releasable.release();
  lease.release();
});

describe('watchPresses', () => {
  it('stops with ESC and with Ctrl+C, and not while a prompt waits for its ESC', () => {
    watch(controller);
    lease.owner.enterGate();
    type('escape');
    expect(controller.calls).toEqual([]);
    lease.owner.exitGate();
    type('escape');
    type('c', true);
    expect(controller.calls).toEqual(['cancel user', 'kill user']);
  });

  it('leaves on two Ctrl+C, and starts the count anew after another key', () => {
    controller.become('idle');
    watch(controller);
    type('c', true);
    type('x');
    type('c', true);
    expect(left).toBe(0);
    type('c', true);
    expect(left).toBe(1);
  });

  it('stops one of two, the newest that works, and neither after its release', () => {
    const other = new FakeController();
    other.become('running');
    const first = watch(controller);
    const second = watch(other);
    type('escape');
    expect([controller.calls, other.calls]).toEqual([[], ['cancel user']]);
    second.release();
    type('escape');
    expect(controller.calls).toEqual(['cancel user']);
    first.release();
    type('escape');
    expect([controller.calls.length, other.calls.length]).toEqual([1, 1]);
  });

  it('leaves keys alone that it is not to watch', () => {
    watch(controller, { escapes: false, interrupts: false });
    const seen: string[] = [];
    lease.owner.keys.handle((event) => void (event.type === 'key' && seen.push(event.name)), -1);
    type('escape');
    type('c', true);
    type('z', true);
    expect([seen, controller.calls]).toEqual([['escape', 'c', 'z'], []]);
  });
});
