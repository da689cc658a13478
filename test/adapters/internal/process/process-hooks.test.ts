import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import {
  claimSignal,
  createProcessHooks,
  endProcess,
  onJobSignal,
  onProcessEnd,
  type EndOrder,
  type ProcessHooks,
} from '../../../../src/adapters/internal/process/process-hooks.ts';

class FakeProcess extends EventEmitter {
  readonly pid = 4711;
  platform = 'linux';
  readonly ends: string[] = [];
  kill(pid: number, signal: string): void {
    this.ends.push(`kill ${String(pid)} ${signal}`);
  }
  exit(code: number): void {
    this.ends.push(`exit ${String(code)}`);
  }
  attached(): string[] {
    return this.eventNames().map(String).sort();
  }
}

const everything = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'exit'];

let host: FakeProcess;
let hooks: ProcessHooks;
let ran: string[];

beforeEach(() => {
  host = new FakeProcess();
  hooks = createProcessHooks(host, (fn) => {
    fn();
  });
  ran = [];
});

function note(name: string, order: EndOrder) {
  return hooks.onProcessEnd(
    name,
    () => {
      ran.push(name);
    },
    order,
  );
}

describe('onProcessEnd', () => {
  it('H1 listens only while there is a hook', () => {
    expect(host.attached()).toEqual([]);
    const one = note('one', 'children');
    const two = note('two', 'children');
    expect(host.attached()).toEqual(everything);
    for (const event of everything) expect(host.listenerCount(event)).toBe(1);
    one.release();
    expect(host.attached()).toEqual(everything);
    two.release();
    two.release();
    expect(host.attached()).toEqual([]);
  });

  it('H2 runs on exit: terminal, drain, children, and within one the newest first', () => {
    note('child 1', 'children');
    note('drain', 'drain');
    note('child 2', 'children');
    note('screen', 'terminal');
    host.emit('exit');
    expect(ran).toEqual(['screen', 'drain', 'child 2', 'child 1']);
    expect(host.attached()).toEqual([]);
    host.emit('exit');
    expect(ran).toHaveLength(4);
  });

  it('H2 runs what hooks return when all have run, once, also if one of them ends the process itself', () => {
    const twice = (name: string) => () => {
      ran.push(name);
      return () => {
        ran.push(`after ${name}`);
      };
    };
    hooks.onProcessEnd('first', twice('first'), 'children');
    hooks.onProcessEnd(
      'second',
      () => {
        host.emit('exit'); // as process.exit does, which does not return
        throw new Error('left');
      },
      'children',
    );
    hooks.onProcessEnd('third', twice('third'), 'children');
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    host.emit('exit');
    host.emit('exit');
    expect(ran).toEqual(['third', 'first', 'after third', 'after first']);
    told.mockRestore();
  });

  it('H2 does not run a hook that was released, also by a hook before it', () => {
    const child = note('child', 'children');
    hooks.onProcessEnd(
      'screen',
      () => {
        child.release();
      },
      'terminal',
    );
    host.emit('exit');
    expect(ran).toEqual([]);
  });

  it('H3 goes on past a hook that throws, and names it', () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    note('child', 'children');
    hooks.onProcessEnd(
      'screen',
      () => {
        throw new Error('no tty');
      },
      'terminal',
    );
    host.emit('exit');
    expect(ran).toEqual(['child']);
    expect(report.mock.calls[0]?.[0]).toContain('"screen"');
    report.mockRestore();
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
    'H4 runs before %s is raised again, with nobody left to catch it',
    (signal) => {
      note('screen', 'terminal');
      hooks.onProcessEnd('who listens', () => ran.push(String(host.ends.length)), 'children');
      host.emit(signal);
      expect(ran).toEqual(['screen', '0']);
      expect(host.ends).toEqual([`kill 4711 ${signal}`]);
      expect(host.attached()).toEqual([]);
    },
  );

  it('H4 leaves a signal to a program that listens to it', () => {
    note('screen', 'terminal');
    host.on('SIGTERM', () => ran.push('program'));
    host.emit('SIGTERM');
    expect(ran).toEqual(['program']);
    expect(host.ends).toEqual([]);
    host.emit('exit');
    expect(ran).toEqual(['program', 'screen']);
  });

  it('H4 does not wait for signal-exit, which would wait for us', () => {
    const symbol = Symbol.for('signal-exit emitter');
    const home = globalThis as Record<symbol, unknown>;
    const before = home[symbol];
    home[symbol] = { count: 1 };
    try {
      note('screen', 'terminal');
      host.on('SIGTERM', () => ran.push('signal-exit'));
      host.emit('SIGTERM');
      expect(ran).toEqual(['screen', 'signal-exit']);
      expect(host.ends).toEqual(['kill 4711 SIGTERM']);
    } finally {
      if (before === undefined) Reflect.deleteProperty(home, symbol);
      else home[symbol] = before;
    }
  });

  it('ends with 128+n on Windows, where signals cannot be raised, and does not ask for SIGQUIT there', () => {
    host.platform = 'win32';
    hooks = createProcessHooks(host, (fn) => {
      fn();
    });
    note('screen', 'terminal');
    expect(host.attached()).not.toContain('SIGQUIT');
    host.emit('SIGINT');
    expect(host.ends).toEqual(['exit 130']);
  });
});

describe('claimSignal', () => {
  it('H1 listens to its signal alone', () => {
    const claim = hooks.claimSignal('SIGINT', () => true, 'terminal');
    expect(host.attached()).toEqual(['SIGINT']);
    claim.release();
    claim.release();
    expect(host.attached()).toEqual([]);
  });

  it('asks all drains, each of which has work of its own to end, but nobody whom one of them has released', () => {
    const asked: string[] = [];
    hooks.claimSignal('SIGINT', () => asked.push('children') > 0, 'children');
    hooks.claimSignal('SIGINT', () => asked.push('third') < 0, 'drain');
    hooks.claimSignal('SIGINT', () => asked.push('second') > 0, 'drain');
    const released = hooks.claimSignal('SIGINT', () => asked.push('released') > 0, 'drain');
    hooks.claimSignal('SIGINT', () => asked.push('first') > 0, 'drain');
    hooks.claimSignal(
      'SIGINT',
      () => {
        released.release();
        return false;
      },
      'drain',
    );
    host.emit('SIGINT');
    expect(asked).toEqual(['first', 'second', 'third']);
    expect(host.ends).toEqual([]);
  });

  it('keeps the process alive when a claim says true, and asks nobody after it', () => {
    const asked: string[] = [];
    note('screen', 'terminal');
    hooks.claimSignal('SIGINT', () => asked.push('drain') > 0, 'drain');
    hooks.claimSignal('SIGINT', () => asked.push('old terminal') > 0, 'terminal');
    hooks.claimSignal('SIGINT', () => asked.push('new terminal') < 0, 'terminal');
    host.emit('SIGINT');
    expect(asked).toEqual(['new terminal', 'old terminal']);
    expect(ran).toEqual([]);
    expect(host.ends).toEqual([]);
    expect(host.listenerCount('SIGINT')).toBe(1);
  });

  it('lets the signal end the process when nobody takes it', () => {
    note('screen', 'terminal');
    hooks.claimSignal('SIGINT', () => false, 'terminal');
    host.emit('SIGINT');
    expect(ran).toEqual(['screen']);
    expect(host.ends).toEqual(['kill 4711 SIGINT']);
    expect(host.attached()).toEqual([]);
  });

  it.each<[string, (listener: () => void) => void]>([
    ['once', (listener) => host.once('SIGTERM', listener)],
    [
      'until it is called',
      (listener) => {
        const own = () => {
          host.off('SIGTERM', own);
          listener();
        };
        host.on('SIGTERM', own);
      },
    ],
  ])('H4 leaves the end to a program that listens %s, whether it came before us or after us', (_, listen) => {
    for (const order of ['before', 'after']) {
      ran.length = host.ends.length = 0;
      if (order === 'before') listen(() => ran.push('program'));
      note('screen', 'terminal');
      if (order === 'after') listen(() => ran.push('program'));
      host.emit('SIGTERM');
      expect([ran, host.ends]).toEqual([['program'], []]);
      host.emit('SIGTERM');
      expect([ran, host.ends]).toEqual([['program', 'screen'], ['kill 4711 SIGTERM']]);
    }
  });

  it('H3 takes a throw for a no', () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    hooks.claimSignal(
      'SIGTERM',
      () => {
        throw new Error('confused');
      },
      'drain',
    );
    host.emit('SIGTERM');
    expect(host.ends).toEqual(['kill 4711 SIGTERM']);
    expect(report).toHaveBeenCalledOnce();
    report.mockRestore();
  });

  it('endProcess ends as the signal would have', () => {
    note('child', 'children');
    hooks.claimSignal('SIGTERM', () => true, 'drain');
    host.emit('SIGTERM');
    expect(host.ends).toEqual([]);
    hooks.endProcess('SIGTERM');
    expect(ran).toEqual(['child']);
    expect(host.ends).toEqual(['kill 4711 SIGTERM']);
    expect(host.attached()).toEqual([]);
  });
});

describe('the registry of this process', () => {
  const key = Symbol.for('desist.process-hooks.v1');
  const home = globalThis as Record<symbol, unknown>;
  let before: unknown;

  beforeEach(() => {
    before = home[key];
    home[key] = hooks; // what another copy of the package put there
  });
  afterEach(() => {
    if (before === undefined) Reflect.deleteProperty(home, key);
    else home[key] = before;
  });

  it('is shared with other copies of the package', () => {
    const released = onProcessEnd('released', () => ran.push('released'), 'terminal');
    onProcessEnd('screen', () => ran.push('screen'), 'terminal');
    claimSignal('SIGHUP', () => ran.push('claim') > 0, 'drain');
    released.release();
    host.emit('SIGHUP');
    expect(ran).toEqual(['claim']);
    endProcess('SIGHUP');
    expect(ran).toEqual(['claim', 'screen']);
    expect(host.ends).toEqual(['kill 4711 SIGHUP']);
  });

  it('refuses what it cannot keep', () => {
    expect(() => onProcessEnd('x', 'y' as never, 'drain')).toThrow(TypeError);
    expect(() => onProcessEnd('x', vi.fn(), 'last' as never)).toThrow(TypeError);
    expect(() => onProcessEnd(1 as never, vi.fn(), 'drain')).toThrow(TypeError);
    expect(() => claimSignal('SIGKILL' as never, vi.fn(), 'drain')).toThrow(TypeError);
    expect(() => claimSignal('SIGINT', undefined as never, 'drain')).toThrow(TypeError);
    expect(host.attached()).toEqual([]);
  });
});

describe('onJobSignal', () => {
  it('H1 listens until it is released, and never on Windows, where no such signal is', () => {
    const heard: string[] = [];
    const one = hooks.onJobSignal('SIGCONT', () => heard.push('continued'));
    host.emit('SIGCONT');
    one.release();
    host.emit('SIGCONT');
    expect([heard, host.attached()]).toEqual([['continued'], []]);
    host.platform = 'win32';
    hooks.onJobSignal('SIGTSTP', () => undefined).release();
    expect(host.attached()).toEqual([]);
  });

  it('H1 listens once, however many want to hear, and H3 one that throws keeps it from no other', () => {
    const heard: number[] = [];
    const report = vi.spyOn(console, 'error').mockReturnValue();
    const held = Array.from({ length: 20 }, (_, index) =>
      hooks.onJobSignal('SIGCONT', () => {
        heard.push(index);
        if (index === 0) throw new Error('on purpose');
        if (index === 5) held[7]?.release(); // whoever leaves meanwhile is not told
      }),
    );
    expect(host.listenerCount('SIGCONT')).toBe(1);
    host.emit('SIGCONT');
    expect([heard.length, heard.includes(7), report.mock.calls.length]).toEqual([19, false, 1]);
    held[1]?.release();
    host.emit('SIGCONT');
    expect(heard).toHaveLength(19 + 18);
    report.mockRestore();
    for (const one of held) one.release();
    for (const one of held) one.release();
    expect(host.attached()).toEqual([]);
    hooks.onJobSignal('SIGCONT', () => undefined).release();
    expect(host.attached()).toEqual([]);
  });

  it('H1 listens to this process', () => {
    const one = onJobSignal('SIGCONT', () => undefined);
    expect(process.listenerCount('SIGCONT')).toBe(1);
    one.release();
    expect(process.listenerCount('SIGCONT')).toBe(0);
  });
});

describe('a signal that has come when the last hook goes', () => {
  let due: (() => void)[];
  beforeEach(() => {
    due = [];
    hooks = createProcessHooks(host, (fn) => due.push(fn));
  });

  it('a signal that was not told yet ends the process all the same', () => {
    note('mode', 'terminal').release();
    expect(host.attached()).toEqual(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']);
    host.emit('SIGHUP');
    expect([ran, host.ends, host.attached()]).toEqual([[], ['kill 4711 SIGHUP'], []]);
  });

  it('listeners go once, and stay for whoever comes meanwhile', () => {
    const first = note('first', 'terminal');
    first.release();
    const second = note('second', 'terminal');
    for (const fn of due.splice(0)) fn();
    expect(host.attached()).toEqual(everything);
    second.release();
    hooks.claimSignal('SIGINT', () => true, 'terminal').release();
    expect(due).toHaveLength(1);
    for (const fn of due.splice(0)) fn();
    expect(host.attached()).toEqual([]);
  });
});
