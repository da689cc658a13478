import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Releasable } from '../../../../src/core/foundation/disposable.ts';
import type { FrontHost } from '../../../../src/adapters/internal/keyboard/front-group.ts';
import type { JobHost } from '../../../../src/adapters/internal/keyboard/job-control.ts';
import { createProcessHooks } from '../../../../src/adapters/internal/process/process-hooks.ts';
import { acquireStdin, findStdin } from '../../../../src/adapters/internal/keyboard/stdin-registry.ts';
import type { StdinLease } from '../../../../src/adapters/internal/keyboard/stdin-owner.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { FakeTty } from './fake-tty.ts';

let tty: FakeTty;
let clock: VirtualClock;
/** What waits for the kernel to be polled once more. */
let polls: Set<() => void>;

beforeEach(() => {
  tty = new FakeTty();
  clock = new VirtualClock();
  polls = new Set();
});

function afterPoll(fn: () => void): Releasable {
  polls.add(fn);
  return { release: () => polls.delete(fn) };
}

function poll(): void {
  for (const fn of [...polls]) {
    polls.delete(fn);
    fn();
  }
}

function acquire(keepAlive = false): StdinLease {
  return acquireStdin(tty, { clock, escTimeoutMs: 50, afterPoll }, keepAlive);
}

function listen(lease: StdinLease): string[] {
  const seen: string[] = [];
  lease.owner.keys.handle((event, at) => {
    seen.push(`${event.type === 'key' ? `${event.alt ? 'alt+' : ''}${event.name}` : event.type}@${String(at - start)}`);
    return true;
  }, 0);
  return seen;
}

let start = 0;
beforeEach(() => {
  start = clock.now();
});

describe('sharing', () => {
  it('T1 is raw from the first lease to the last, and then as it was', () => {
    const first = acquire();
    const second = acquire();
    expect(second.owner).toBe(first.owner);
    expect(tty.modes).toEqual([true]);
    first.release();
    first.release();
    expect(tty.isRaw).toBe(true);
    second.release();
    expect(tty.modes).toEqual([true, false]);
    expect(tty.attached()).toBe(0);
    expect(tty.isFlowing).toBe(false);
    expect(Object.getOwnPropertySymbols(tty).map(String)).not.toContain('Symbol(desist.stdin-owner.v1)');
  });

  it('can be found while it lasts, and knows when it heard something last', () => {
    expect(findStdin(tty)).toBeUndefined();
    const { owner, release } = acquire();
    expect(findStdin(tty)).toBe(owner);
    expect(owner.lastBytesAt).toBe(-Infinity);
    clock.advanceSync(7);
    tty.type('a');
    expect(owner.lastBytesAt).toBe(clock.now());
    const loan = owner.prompts.lend('');
    expect(owner.lastBytesAt).toBeUndefined();
    loan.release();
    release();
    expect(findStdin(tty)).toBeUndefined();
  });

  it('T1 leaves a terminal raw that was raw', () => {
    tty.isRaw = true;
    acquire().release();
    expect(tty.isRaw).toBe(true);
  });

  it('begins anew after the last lease', () => {
    acquire().release();
    const lease = acquire();
    const seen = listen(lease);
    tty.type('a');
    expect(seen).toEqual(['a@0']);
    lease.release();
  });

  it('T3 keeps the process alive only while a lease wants that, and not by the stream', () => {
    const idle = acquire();
    expect([tty.isReffed, clock.pending]).toEqual([false, 0]);
    const awake = acquire(true);
    const again = acquire(true);
    awake.release();
    expect([tty.isReffed, clock.pending]).toEqual([false, 1]);
    again.release();
    expect([tty.isReffed, clock.pending]).toEqual([false, 0]);
    idle.release();
    expect(tty.isReffed).toBe(true);
  });
});

describe('a lone ESC', () => {
  it('T3 counts after the timeout and one more poll, with the instant of its arrival', () => {
    const lease = acquire();
    const seen = listen(lease);
    tty.type('\x1b');
    clock.advanceSync(49);
    poll();
    expect(seen).toEqual([]);
    clock.advanceSync(1);
    expect(seen).toEqual([]);
    poll();
    expect(seen).toEqual(['escape@0']);
    lease.release();
  });

  it('T3 was an arrow key if the rest is found by that poll', () => {
    const lease = acquire();
    const seen = listen(lease);
    tty.type('\x1b');
    clock.advanceSync(5000); // the loop stalled
    tty.type('[A');
    poll();
    expect(seen).toEqual(['up@5000']);
    expect(polls.size).toBe(0);
    lease.release();
  });

  it('is no ESC if the rest comes within the timeout', () => {
    const lease = acquire();
    const seen = listen(lease);
    tty.type('\x1b');
    clock.advanceSync(30);
    tty.type('[');
    clock.advanceSync(49);
    tty.type('A');
    expect(clock.pending).toBe(0);
    clock.advanceSync(5000);
    poll();
    expect(seen).toEqual(['up@79']);
    lease.release();
  });

  it('heals what was cut off after a second', () => {
    const lease = acquire();
    const seen = listen(lease);
    tty.type('\x1b[200~abc');
    clock.advanceSync(999);
    poll();
    expect(seen).toEqual([]);
    clock.advanceSync(1);
    poll();
    tty.type('x');
    expect(seen).toEqual(['paste@0', 'x@1000']);
    lease.release();
  });

  it('leaves no timer behind', () => {
    const lease = acquire();
    tty.type('\x1b');
    lease.release();
    expect(clock.pending).toBe(0);
    expect(polls.size).toBe(0);
  });
});

describe('lending', () => {
  it("T1 is cooked, quiet and ref'd until the loan ends", () => {
    const lease = acquire();
    const seen = listen(lease);
    const loan = lease.owner.prompts.lend('');
    expect([tty.isRaw, tty.isFlowing, tty.isReffed, tty.listenerCount('data')]).toEqual([false, false, true, 0]);
    expect(lease.owner.isWaitingInput).toBe(true);
    tty.isRaw = true; // the prompt's library went raw and did not clean up
    loan.release();
    loan.release();
    expect([tty.isRaw, tty.isFlowing, tty.isReffed]).toEqual([true, true, false]);
    expect(lease.owner.isWaitingInput).toBe(false);
    tty.type('a');
    expect(seen).toEqual(['a@0']);
    lease.release();
    expect(tty.isRaw).toBe(false);
  });

  it('counts loans', () => {
    const lease = acquire();
    const outer = lease.owner.prompts.lend('');
    const inner = lease.owner.prompts.lend('');
    outer.release();
    expect([lease.owner.isWaitingInput, tty.isRaw]).toEqual([true, false]);
    inner.release();
    expect([lease.owner.isWaitingInput, tty.isRaw]).toEqual([false, true]);
    lease.release();
  });

  it('puts what was typed before in front of the prompt', () => {
    const lease = acquire();
    lease.owner.prompts.lend('y\n').release();
    lease.owner.prompts.lend('').release();
    expect(tty.unshifted).toEqual(['y\n']);
    lease.release();
  });

  it('takes an ESC from before the prompt for what it was', () => {
    const lease = acquire();
    const seen = listen(lease);
    tty.type('\x1b');
    const loan = lease.owner.prompts.lend('');
    expect(seen).toEqual(['escape@0']);
    loan.release();
    lease.release();
  });

  it('does not take the keyboard back when nobody watches any more', () => {
    const lease = acquire();
    const loan = lease.owner.prompts.lend('');
    lease.release();
    const modes = tty.modes.length;
    loan.release();
    expect(tty.modes).toHaveLength(modes);
    expect([tty.isRaw, tty.attached()]).toEqual([false, 0]);
  });
});

describe('a prompt beside us', () => {
  const turn = (): Promise<void> => new Promise(setImmediate);

  it('T1 is followed by us, although it puts the stream down', async () => {
    const lease = acquire();
    const seen = listen(lease);
    tty.pause();
    tty.setRawMode(false);
    await turn();
    expect([tty.isRaw, tty.isFlowing]).toEqual([true, true]);
    tty.type('a');
    expect(seen).toEqual(['a@0']);
    lease.release();
    await turn();
    expect([tty.isRaw, tty.isFlowing]).toEqual([false, false]);
  });

  it('T1 puts down for good what is ours no longer', async () => {
    const lease = acquire();
    tty.pause();
    lease.release();
    await turn();
    expect([tty.isRaw, tty.isFlowing]).toEqual([false, false]);
  });
});

describe('the gate', () => {
  it('counts without touching the stream', () => {
    const lease = acquire();
    lease.owner.enterGate();
    lease.owner.enterGate();
    lease.owner.exitGate();
    expect(lease.owner.isWaitingInput).toBe(true);
    expect(tty.modes).toEqual([true]);
    lease.owner.exitGate();
    expect(lease.owner.isWaitingInput).toBe(false);
    expect(() => {
      lease.owner.exitGate();
    }).toThrow(RangeError);
    lease.release();
  });
});

describe('without a terminal', () => {
  it('leaves the stream alone', () => {
    tty.isTTY = false;
    const lease = acquire(true);
    expect(lease.owner.degraded).toBe('no terminal');
    lease.owner.prompts.lend('x').release();
    expect([tty.modes, tty.attached(), tty.isFlowing, tty.unshifted]).toEqual([[], 0, false, []]);
    lease.release();
  });

  it('is degraded when the terminal cannot be made raw', () => {
    tty.broken = true;
    const lease = acquire();
    expect(lease.owner.degraded).toBe('no raw mode');
    expect(tty.attached()).toBe(0);
    lease.release();
  });

  it.each(['end', 'error', 'close'])('is degraded after %s also while a prompt has it', (event) => {
    const lease = acquire();
    const loan = lease.owner.prompts.lend('');
    tty.emit(event, new Error('read EIO'));
    expect([lease.owner.degraded, tty.attached()]).toEqual(['terminal lost', 0]);
    loan.release();
    expect(tty.attached()).toBe(0);
    lease.release();
  });

  it.each(['end', 'error'])('is degraded after %s, and survives it', (event) => {
    const lease = acquire();
    tty.broken = true;
    tty.emit(event, new Error('read EIO'));
    expect(lease.owner.degraded).toBe('terminal lost');
    expect(tty.attached()).toBe(0);
    lease.release();
  });
});

describe('the end of the process', () => {
  const registry = Symbol.for('desist.process-hooks.v1');
  const home = globalThis as Record<symbol, unknown>;

  /** Runs `body` with hooks that listen to a stand-in instead of this process. */
  function withProcess(body: (host: EventEmitter) => void): void {
    const host = Object.assign(new EventEmitter(), { pid: 1, platform: 'linux', kill: () => true, exit: () => true });
    const before = home[registry];
    home[registry] = createProcessHooks(host, (fn) => {
      fn();
    });
    try {
      body(host);
    } finally {
      home[registry] = before;
    }
  }

  it.each(['exit', 'SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])('T2 restores the mode on %s', (event) => {
    withProcess((host) => {
      const lease = acquire();
      expect(tty.isRaw).toBe(true);
      host.emit(event);
      expect(tty.isRaw).toBe(false);
      lease.release();
    });
  });

  it('T2 restores it after a prompt that left the terminal raw', () => {
    withProcess((host) => {
      const lease = acquire();
      lease.owner.prompts.lend('');
      tty.isRaw = true;
      host.emit('exit');
      expect(tty.isRaw).toBe(false);
      lease.release();
    });
  });

  it('forgets its hook with the last lease', () => {
    withProcess((host) => {
      const lease = acquire();
      const other = acquire();
      lease.release();
      expect(host.eventNames()).not.toEqual([]);
      other.release();
      expect(host.eventNames()).toEqual([]);
    });
  });
});

describe('chunks', () => {
  it('reads text as well as bytes', () => {
    const lease = acquire();
    const seen = listen(lease);
    tty.emit('data', 'é');
    expect(seen).toEqual(['é@0']);
    lease.release();
  });
});

interface JobParts {
  readonly kill?: JobHost['kill'];
  readonly frontHost?: FrontHost;
}

/** We, and a shell that can continue us. */
const belowShell: FrontHost['table'] = {
  find: (pid) => {
    if (pid !== 7 && pid !== 6) return undefined;
    return { pid, groupId: pid, parentPid: pid - 1, sessionId: 6, startTime: 0, state: 'running' };
  },
  snapshot: () => undefined,
};

describe('our job', () => {
  let front: number;
  /** Of all jobs of this process. */
  let listeners: Set<readonly [signal: string, fn: () => void]>;
  const continued = (): void => {
    for (const [signal, fn] of [...listeners]) if (signal === 'SIGCONT') fn();
  };

  function acquireJob({ kill = () => undefined, frontHost }: JobParts = {}): StdinLease {
    front = 7;
    listeners = new Set();
    const jobHost: JobHost = {
      pid: 7,
      platform: 'linux',
      kill,
      stat: () => `7 (node) S 1 7 7 1 ${String(front)} 0`,
      onSignal: (signal, fn) => {
        const entry = [signal, fn] as const;
        listeners.add(entry);
        return { release: () => listeners.delete(entry) };
      },
    };
    const stty = (): string => 'found';
    return acquireStdin(tty, { clock, escTimeoutMs: 50, afterPoll, jobHost, frontHost, stty }, false);
  }

  it('T1 gives the terminal back when it stops, and takes it again in the foreground', () => {
    const lease = acquireJob();
    expect(lease.owner.suspend()).toBe(true);
    expect([tty.isRaw, tty.isFlowing]).toEqual([false, false]);
    continued();
    expect([tty.isRaw, tty.isFlowing]).toEqual([true, true]);
    lease.release();
    expect([listeners.size, lease.owner.suspend()]).toEqual([0, false]);
  });

  it('T1 does not touch a terminal that is another job\u2019s, not even when the process ends', () => {
    const lease = acquireJob();
    lease.owner.suspend();
    const modes = tty.modes.length;
    front = 8;
    continued();
    clock.advanceSync(5000);
    lease.release();
    expect(tty.modes.length).toBe(modes);
  });

  it('T1 is taken up behind a program not before the shell has us in front', () => {
    const lease = acquireJob();
    const loan = lease.owner.programs.lend();
    front = 8;
    tty.modes.length = 0;
    loan.release();
    clock.advanceSync(5000);
    expect([tty.modes, tty.isFlowing]).toEqual([[], false]);
    front = 7;
    clock.advanceSync(200);
    expect([tty.isRaw, tty.isFlowing]).toEqual([true, true]);
    lease.release();
  });

  it('T1 stops as a job where a program has left nobody in front, so that the shell has the terminal', () => {
    const sent: unknown[] = [];
    const lease = acquireJob({
      kill: (pid: number, signal: string) => sent.push(pid, signal),
      frontHost: { table: belowShell, take: () => undefined },
    });
    Object.assign(tty, { fd: 0 });
    const loan = lease.owner.programs.lend();
    front = 9;
    loan.release();
    expect(sent).toEqual([0, 'SIGTSTP']);
    front = 7;
    continued();
    expect([tty.isRaw, tty.isFlowing]).toEqual([true, true]);
    lease.release();
  });

  it('is degraded where a program has left nobody in front, and no shell is there that could change it', () => {
    const sent: unknown[] = [];
    const lease = acquireJob({
      kill: (pid: number, signal: string) => sent.push(pid, signal),
      frontHost: { table: undefined, take: () => undefined },
    });
    Object.assign(tty, { fd: 0 });
    const loan = lease.owner.programs.lend();
    front = 9;
    loan.release();
    expect([sent, lease.owner.degraded]).toEqual([[], 'terminal lost']);
    lease.release();
  });

  it('T1 sets the mode anew when it was stopped by a signal that nobody hears', () => {
    const lease = acquireJob();
    tty.modes.length = 0;
    continued();
    expect(tty.modes).toEqual([false, true]);
    lease.release();
  });
});

describe('what the terminal is asked for', () => {
  const written: string[] = [];
  const output = { isTTY: true, write: (text: string) => written.push(text.replaceAll('\x1b', '^')) };
  const said = (): string => written.splice(0).join('');
  beforeEach(() => written.splice(0));

  function acquireWith(switches: readonly ('kitty' | 'focus')[], fence = false): StdinLease {
    return acquireStdin(tty, { clock, escTimeoutMs: 50, afterPoll }, false, { output, switches, fence });
  }

  it('T4 is switched on with the first share, and off while a prompt or a program has the terminal, and at the end', () => {
    const lease = acquireWith(['kitty']);
    expect([said(), tty.modes]).toEqual(['^[>5u', [true]]);
    const loan = lease.owner.prompts.lend('');
    expect(said()).toBe('^[<u');
    loan.release();
    expect(said()).toBe('^[>5u');
    lease.owner.programs.lend().release();
    expect(said()).toBe('^[<u^[>5u');
    lease.release();
    expect(said()).toBe('^[<u');
  });

  it('T4 is nothing where there is no terminal, and is not switched off on one that has gone', () => {
    const lease = acquireWith(['kitty']);
    said();
    tty.emit('end');
    lease.release();
    tty = new FakeTty();
    tty.isTTY = false;
    acquireWith(['kitty'], true).release();
    expect(said()).toBe('');
  });

  it('tells of the focus, as long as we are who hears of it', () => {
    const lease = acquireWith(['focus']);
    const seen = [lease.owner.focused];
    tty.type('\x1b[O');
    seen.push(lease.owner.focused);
    tty.type('\x1b[I');
    seen.push(lease.owner.focused);
    const loan = lease.owner.prompts.lend('');
    seen.push(lease.owner.focused);
    loan.release();
    expect(seen).toEqual([undefined, false, true, undefined]);
    lease.release();
  });

  it('a fence decides over an ESC, and is nobody\u2019s key', () => {
    const lease = acquireWith([], true);
    const seen = listen(lease);
    tty.type('\x1b');
    expect([said(), lease.owner.fence.isOpen]).toEqual(['^[5n', true]);
    clock.advanceSync(900);
    poll();
    tty.type('[A');
    tty.type('\x1b[0n');
    expect([seen, lease.owner.fence.isOpen]).toEqual([['up@900'], false]);
    lease.release();
  });

  it('a fence is waited for before the job stops', () => {
    const lease = acquireWith([], true);
    const told: string[] = [];
    tty.type('\x1b');
    lease.owner.fence.whenClosed(() => told.push('answered'));
    expect(told).toEqual([]);
    tty.type('\x1b[0n');
    expect(told).toEqual(['answered']);
    lease.release();
  });
});

describe('the crash guard', () => {
  it('is there once for all leases, from when it is asked for until the last one goes', () => {
    const released: string[] = [];
    let guards = 0;
    const guardMode = (fd: number, setMode: (watched: boolean) => void) => {
      guards += 1;
      setMode(false);
      expect(tty.isRaw).toBe(false);
      setMode(true);
      const release = () => released.push(`fd ${String(fd)}, raw ${String(tty.isRaw)}`);
      return { unavailable: undefined, release };
    };
    Object.assign(tty, { fd: 0 });
    const options = { clock, escTimeoutMs: 50, afterPoll, guardMode };
    const [first, second] = [acquireStdin(tty, options, false), acquireStdin(tty, options, false)];
    const problem = first.owner.guardCrash();
    expect([problem(), second.owner.guardCrash()(), guards, tty.isRaw]).toEqual([undefined, undefined, 1, true]);
    first.release();
    expect([released, problem()]).toEqual([[], undefined]);
    second.release();
    expect([released.length, problem()?.reason]).toEqual([1, 'no-terminal']);
  });

  it('is none without a file descriptor', () => {
    const lease = acquire();
    expect(lease.owner.guardCrash()()?.reason).toBe('no-descriptor');
    lease.release();
  });

  it('is none where there is no terminal, and none any more when it has gone', () => {
    const guardMode = () => ({ unavailable: undefined, release: () => undefined });
    Object.assign(tty, { fd: 0 });
    const lease = acquireStdin(tty, { clock, escTimeoutMs: 50, afterPoll, guardMode }, false);
    const problem = lease.owner.guardCrash();
    expect(problem()).toBeUndefined();
    tty.emit('close');
    expect(problem()?.reason).toBe('no-terminal');
    lease.release();
    tty = new FakeTty();
    tty.isTTY = false;
    const degraded = acquire();
    expect(degraded.owner.guardCrash()()?.reason).toBe('no-terminal');
    degraded.release();
  });
});

describe('a share beside a reader of the stream', () => {
  /** As Ink does: raw mode and reading are its own. */
  function openBeside(): StdinLease {
    tty.setRawMode(true);
    tty.resume();
    return acquireStdin(tty, { clock, escTimeoutMs: 50, afterPoll }, 'beside');
  }

  it('hears keys and leaves mode, flow and reference alone', () => {
    const lease = openBeside();
    const keys: string[] = [];
    lease.owner.keys.handle((event) => void (event.type === 'key' && keys.push(event.name)), 0);
    tty.type('a');
    expect([keys, tty.modes, tty.isReffed, tty.isFlowing]).toEqual([['a'], [true], true, true]);
    lease.release();
    expect([tty.attached(), tty.modes, tty.isReffed, tty.isFlowing]).toEqual([0, [true], true, true]);
  });

  it('is deaf while the keyboard is lent', () => {
    const lease = openBeside();
    const loan = lease.owner.programs.lend();
    expect(tty.listenerCount('data')).toBe(0);
    loan.release();
    expect([tty.listenerCount('data'), tty.isRaw]).toEqual([1, true]);
    lease.release();
  });

  it('T1 gives a program line mode where the reader does not, and what it was when the last one has ended', () => {
    const lease = openBeside();
    const [first, second] = [lease.owner.programs.lend(), lease.owner.programs.lend()];
    expect(tty.modes.splice(0)).toEqual([true, false]);
    first.putBack();
    first.release();
    expect(tty.modes).toEqual([]);
    second.putBack();
    second.release();
    expect(tty.modes).toEqual([true]);
    lease.release();
  });

  it('T1 leaves the line mode to a reader that has gone meanwhile', () => {
    const lease = openBeside();
    const loan = lease.owner.programs.lend();
    lease.release();
    loan.release();
    expect([tty.modes, tty.attached()]).toEqual([[true, false], 0]);
  });

  it('keeps the stream flowing when a watcher beside it goes', () => {
    const beside = openBeside();
    const watcher = acquireStdin(tty, { clock, escTimeoutMs: 50, afterPoll }, false);
    expect(watcher.owner).toBe(beside.owner);
    expect(tty.listenerCount('data')).toBe(1);
    watcher.release();
    expect([tty.listenerCount('data'), tty.isRaw, tty.isFlowing, tty.isReffed]).toEqual([1, true, true, true]);
    beside.release();
  });
});
