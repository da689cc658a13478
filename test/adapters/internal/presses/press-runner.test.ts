import { beforeEach, describe, expect, it, vi } from 'vitest';

import { PressRunner, type PressRunnerOptions } from '../../../../src/adapters/internal/presses/press-runner.ts';
import type { NextEscape } from '../../../../src/adapters/internal/presses/press-machine.ts';
import { targetOf, type TerminalController } from '../../../../src/adapters/internal/presses/press-target.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { FakeController } from './fake-controller.ts';

let clock: VirtualClock;
let agent: FakeController;
let rules: PressRunner;
let left: number;
let armed: boolean[];
let next: (NextEscape | undefined)[];
let rewound: number;

beforeEach(() => {
  clock = new VirtualClock({ startAt: 1_000_000 });
  agent = new FakeController();
  left = 0;
  armed = [];
  next = [];
  rewound = 0;
  rules = make({});
});

function make(options: Partial<PressRunnerOptions>, target: TerminalController = agent): PressRunner {
  return new PressRunner(targetOf(target, undefined), {
    clock,
    escape: 'single',
    idleEscape: false,
    doubleMs: 500,
    leaveMs: 2000,
    leave: () => {
      left++;
    },
    onLeaveArmed: (is) => armed.push(is),
    onEscapeArmed: (what) => next.push(what),
    onIdleDoubleEscape: () => {
      rewound++;
    },
    ...options,
  });
}

const escape = (repeat = false): boolean => rules.escape(clock.now(), repeat);
const interrupt = (): void => {
  rules.interrupt(clock.now());
};

describe('ESC', () => {
  it('P5 is decided late, and stops a run of which nobody told when it began', async () => {
    const silent = { state: 'idle', cancel: vi.fn(), kill: vi.fn() };
    const runner = make({}, silent as unknown as TerminalController);
    silent.state = 'running';
    const cameAt = clock.now();
    await clock.advance(50);
    expect(runner.escape(cameAt, false, cameAt)).toBe(true);
    expect(silent.cancel).toHaveBeenCalledOnce();
    runner.close();
  });

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

describe('the hint', () => {
  it('says what one more ESC would do, until it no longer would', () => {
    agent.become('running');
    escape();
    expect(next).toEqual(['kill']);
    clock.advanceSync(499);
    expect(next).toEqual(['kill']);
    clock.advanceSync(1);
    expect(next).toEqual(['kill', undefined]);
  });

  it('goes with another key, with the end of the run, and with the press it announced', () => {
    agent.become('running');
    escape();
    rules.disarm();
    escape();
    escape();
    expect(next).toEqual(['kill', undefined, 'kill', undefined]);
    agent.become('idle');
    agent.become('running');
    escape();
    agent.become('idle');
    expect(next.slice(4)).toEqual(['kill', undefined]);
    expect(clock.pending).toBe(0);
  });

  it('that throws keeps no stop from happening', () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    rules = make({
      onEscapeArmed: () => {
        throw new Error('no screen');
      },
    });
    agent.become('running');
    escape();
    expect([agent.calls, told.mock.calls.length]).toEqual([['cancel user'], 1]);
    told.mockRestore();
  });
});

describe('double', () => {
  beforeEach(() => {
    rules.close();
    rules = make({ escape: 'double' });
    agent.become('running');
  });

  it('only hints at the first ESC, cancels at the second, kills at the third', () => {
    expect(escape()).toBe(true);
    expect([agent.calls, next]).toEqual([[], ['cancel']]);
    clock.advanceSync(500);
    escape();
    expect(agent.calls).toEqual(['cancel user']);
    escape();
    expect(agent.calls).toEqual(['cancel user', 'kill user']);
  });

  it('begins anew after 501 ms, and after another key', () => {
    escape();
    clock.advanceSync(501);
    escape();
    rules.disarm();
    escape();
    expect(agent.calls).toEqual([]);
    escape();
    expect(agent.calls).toEqual(['cancel user']);
  });

  it('P2 finds the pair that was decided late, though the hint is gone', () => {
    rules.escape(1_000_000, false);
    clock.advanceSync(700);
    expect(next).toEqual(['cancel', undefined]);
    rules.escape(1_000_490, false);
    expect(agent.calls).toEqual(['cancel user']);
  });

  it('takes no half of a pair over from before the run', () => {
    agent.become('idle');
    clock.advanceSync(1000);
    escape();
    agent.become('running');
    escape();
    expect(agent.calls).toEqual([]);
  });
});

describe('the hint of tiered', () => {
  beforeEach(() => {
    rules = make({ escape: 'tiered' });
    agent.become('running');
    escape();
  });

  it('stays as long as ESC kills', async () => {
    await clock.advance(10_000);
    expect(next).toEqual(['kill']);
    escape();
    expect([next, agent.calls]).toEqual([
      ['kill', undefined],
      ['cancel user', 'kill user'],
    ]);
  });

  it('goes with the run, and with a kill by somebody else', async () => {
    agent.become('idle');
    expect(next.splice(0)).toEqual(['kill', undefined]);
    await clock.advance(1000);
    agent.become('running');
    escape();
    agent.kill();
    expect(next).toEqual(['kill', undefined]);
  });

  it('goes after a while where nobody tells of the end', async () => {
    rules = make({ escape: 'tiered' }, { cancel: () => undefined, kill: () => undefined });
    next = [];
    escape();
    await clock.advance(500);
    expect(next).toEqual(['kill', undefined]);
  });
});

describe('tiered', () => {
  it('kills with the second ESC however late it comes', () => {
    rules.close();
    rules = make({ escape: 'tiered' });
    agent.become('running');
    escape();
    clock.advanceSync(60_000);
    escape();
    escape();
    expect(agent.calls).toEqual(['cancel user', 'kill user']);
  });
});

describe('ESC ESC while idle', () => {
  beforeEach(() => {
    rules.close();
    rules = make({ idleEscape: true });
  });

  it('runs the action, and the first of the two is still for other handlers', () => {
    expect(escape()).toBe(false);
    expect([next, rewound]).toEqual([['idle'], 0]);
    expect(escape()).toBe(true);
    expect([next, rewound]).toEqual([['idle', undefined], 1]);
    escape();
    expect(rewound).toBe(1);
  });

  it('P3 the ESC that stopped a run and the one that came too late are no half of it', () => {
    agent.become('running');
    escape();
    agent.become('idle');
    clock.advanceSync(390);
    escape(); // swallowed
    clock.advanceSync(20);
    escape();
    expect(rewound).toBe(0);
    escape();
    expect(rewound).toBe(1);
  });

  it('needs both within 500 ms, with no key between', () => {
    escape();
    clock.advanceSync(501);
    escape();
    rules.disarm();
    escape();
    expect(rewound).toBe(0);
  });
});

describe('a target that does not say what it does', () => {
  const calls: string[] = [];
  const mute = {
    cancel: () => calls.push('cancel'),
    kill: () => calls.push('kill'),
  };

  it('counts as running, and as cancelling for a moment after a cancel', () => {
    calls.length = 0;
    rules = make({}, mute);
    escape();
    clock.advanceSync(300);
    escape();
    clock.advanceSync(501);
    escape();
    expect(calls).toEqual(['cancel', 'kill', 'cancel']);
  });

  it('is stopped and left by Ctrl+C twice', () => {
    calls.length = 0;
    rules = make({}, mute);
    interrupt();
    interrupt();
    expect([calls, left]).toEqual([['cancel', 'kill'], 1]);
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

  it('P6 stops the run that has begun since, and leaves with the next', () => {
    agent.become('running');
    interrupt();
    agent.become('idle');
    agent.become('running');
    expect(armed).toEqual([true, false]);
    agent.calls.length = 0;
    clock.advanceSync(1000);
    interrupt();
    expect([agent.calls, left]).toEqual([['cancel user'], 0]);
    clock.advanceSync(1999);
    interrupt();
    expect([agent.calls, left]).toEqual([['cancel user', 'kill user'], 1]);
  });

  it('P6 leaves with three within 2,000 ms, also a program that begins one run after the other', () => {
    const next = (): void => {
      interrupt();
      agent.become('idle');
      agent.become('running');
      clock.advanceSync(999);
    };
    agent.become('running');
    next();
    next();
    expect(left).toBe(0);
    next();
    expect(left).toBe(1);
    next();
    clock.advanceSync(3);
    next();
    next();
    expect(left).toBe(1);
  });

  it('P6 is half of no pair when another key came, however many there were', () => {
    for (const other of [() => rules.disarm(), escape]) {
      interrupt();
      agent.become('running');
      agent.become('idle');
      other();
      interrupt();
      agent.become('running');
      agent.become('idle');
      interrupt();
      other();
    }
    expect(left).toBe(0);
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
    const plain = make({}, bare);
    expect(plain.escape(clock.now(), false)).toBe(false);
    plain.close();
  });
});
