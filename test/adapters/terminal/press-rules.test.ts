import { beforeEach, describe, expect, it } from 'vitest';

import { PressRules } from '../../../src/adapters/terminal/press-rules.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { FakeController } from './fake-controller.ts';

let clock: VirtualClock;
let agent: FakeController;
let rules: PressRules;
let left: number;
let armed: boolean[];

beforeEach(() => {
  clock = new VirtualClock({ startAt: 1_000_000 });
  agent = new FakeController();
  left = 0;
  armed = [];
  rules = new PressRules(agent, {
    clock,
    doubleMs: 500,
    leaveMs: 2000,
    leave: () => {
      left++;
    },
    onLeaveArmed: (is) => armed.push(is),
  });
});

const escape = (repeat = false): boolean => rules.escape(clock.now(), repeat);
const interrupt = (): void => {
  rules.interrupt(clock.now());
};

describe('ESC', () => {
  it("is nobody's while idle", () => {
    expect(escape()).toBe(false);
    expect(agent.calls).toEqual([]);
  });

  it.each(['running', 'interjecting'] as const)('cancels while %s', (state) => {
    agent.become(state);
    expect(escape()).toBe(true);
    expect(agent.calls).toEqual(['cancel user']);
  });

  it('P1 kills on the second within 500 ms, once', () => {
    agent.become('running');
    escape();
    clock.advanceSync(500);
    expect(escape()).toBe(true);
    expect(escape()).toBe(true);
    expect(agent.calls).toEqual(['cancel user', 'kill user']);
  });

  it('P1 does not kill after 501 ms, but begins a new pair', () => {
    agent.become('running');
    escape();
    clock.advanceSync(501);
    expect(escape()).toBe(true);
    expect(agent.calls).toEqual(['cancel user']);
    clock.advanceSync(400);
    escape();
    expect(agent.calls).toEqual(['cancel user', 'kill user']);
  });

  it('P2 counts from the bytes, not from the decision', () => {
    agent.become('running');
    rules.escape(1_000_000, false);
    clock.advanceSync(900); // decided late
    rules.escape(1_000_400, false);
    expect(agent.calls).toEqual(['cancel user', 'kill user']);
  });

  it('held down is one press', () => {
    agent.become('running');
    escape();
    clock.advanceSync(30);
    expect(escape(true)).toBe(true);
    expect(agent.calls).toEqual(['cancel user']);
  });

  it("P3 is swallowed for 400 ms after a run ended, and does not touch the next run's pair", () => {
    agent.become('running');
    clock.advanceSync(60_000);
    agent.become('idle');
    clock.advanceSync(399);
    expect(escape()).toBe(true);
    clock.advanceSync(1);
    expect(escape()).toBe(false);
    expect(agent.calls).toEqual([]);
  });

  it('of one run is no half of a pair in the next', () => {
    agent.become('running');
    escape();
    agent.become('idle');
    agent.become('running');
    clock.advanceSync(100);
    agent.become('cancelling'); // not by a key
    escape();
    expect(agent.calls).toEqual(['cancel user']);
  });
});

describe('Ctrl+C', () => {
  it('cancels, then leaves within 2,000 ms', () => {
    agent.become('running');
    interrupt();
    expect([agent.calls, armed, left]).toEqual([['cancel user'], [true], 0]);
    clock.advanceSync(1999);
    interrupt();
    expect([agent.calls, armed, left]).toEqual([['cancel user', 'kill user'], [true, false], 1]);
  });

  it('leaves from idle with two, and kills nothing', () => {
    interrupt();
    interrupt();
    expect([agent.calls, left]).toEqual([[], 1]);
  });

  it('is a first one again after 2,000 ms: what still cancels is killed', () => {
    agent.become('running');
    interrupt();
    clock.advanceSync(2001);
    expect(armed).toEqual([true, false]);
    interrupt();
    expect([agent.calls, left]).toEqual([['cancel user', 'kill user'], 0]);
  });

  it('P1 kills a run that ESC is already cancelling', () => {
    agent.become('running');
    escape();
    interrupt();
    expect([agent.calls, left]).toEqual([['cancel user', 'kill user'], 0]);
  });

  it('is disarmed by another key, and by ESC', () => {
    interrupt();
    rules.disarm();
    rules.disarm();
    interrupt();
    escape();
    interrupt();
    expect(left).toBe(0);
    expect(armed).toEqual([true, false, true, false, true]);
  });

  it('stays usable when leaving was declined', () => {
    interrupt();
    interrupt();
    interrupt();
    interrupt();
    expect(left).toBe(2);
  });
});

describe('close', () => {
  it('leaves no timer and no listener', () => {
    interrupt();
    rules.close();
    expect(clock.pending).toBe(0);
    expect(agent.listeners.size).toBe(0);
  });

  it('needs no events', () => {
    const bare = { state: 'idle' as const, cancel: () => undefined, kill: () => undefined };
    const plain = new PressRules(bare, {
      clock,
      doubleMs: 500,
      leaveMs: 2000,
      leave: () => undefined,
      onLeaveArmed: undefined,
    });
    expect(plain.escape(clock.now(), false)).toBe(false);
    plain.close();
  });
});
