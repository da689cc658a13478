import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';

import { delay } from '../../../src/index.ts';
import { createProcessHooks } from '../../../src/adapters/internal/process/process-hooks.ts';
import { drainProcess, type DrainOnSignalsOptions } from '../../../src/adapters/process-signals/drain-on-signals.ts';
import type { DrainEnd, DrainTarget } from '../../../src/adapters/process-signals/drain-target.ts';
import type { DrainsOfProcess } from '../../../src/adapters/process-signals/process-drains.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** The real registry of hooks, over a process that only notes how it ended. */
class Host extends EventEmitter {
  readonly pid = 4711;
  readonly platform = 'linux';
  readonly ends: string[] = [];
  readonly drains: DrainsOfProcess = { on: new Set(), ends: [] };
  readonly hooks = createProcessHooks(this, (fn) => {
    fn();
  });
  kill(_pid: number, signal: string): void {
    this.ends.push(signal);
  }
  exit = (code: number): void => {
    this.ends.push(`exit ${String(code)}`);
  };
  get process() {
    const { claimSignal, endProcess } = this.hooks;
    return { claimSignal, endProcess, exit: this.exit, drains: this.drains };
  }
}

let host: Host;
let clock: VirtualClock;
let sessions: SessionRegistry;

beforeEach(() => {
  host = new Host();
  clock = new VirtualClock();
  sessions = new SessionRegistry({ clock });
});

function watch(options: DrainOnSignalsOptions = {}, target: DrainTarget = sessions) {
  return drainProcess(host.process, target, { clock, timeoutMs: 1000, ...options });
}

/** A turn that ends when it is told to, or never. */
function turn(id: string, work: () => Promise<unknown>, graceMs?: number) {
  return sessions.open(id, graceMs === undefined ? {} : { graceMs }).controller.runTurn(work);
}

describe('drainOnSignals', () => {
  it('S33 a server whose runs end in time exits with 0, and starts nothing new meanwhile', async () => {
    const seen: string[] = [];
    watch({ onSignal: (signal) => seen.push(signal), onDrained: ({ report }) => seen.push(...report!.finished) });
    const work = deferred();
    const running = turn('a', () => work.promise);
    host.emit('SIGTERM');
    expect(seen).toEqual(['SIGTERM']);
    expect(() => sessions.open('b')).toThrow('drains');
    await clock.advance(999);
    expect(host.ends).toEqual([]);
    work.resolve();
    await running;
    await clock.advance(0);
    expect([seen, host.ends]).toEqual([['SIGTERM', 'a'], ['exit 0']]);
    expect([clock.pending, host.eventNames()]).toEqual([0, []]);
  });

  it('S33 fifty runs reach their deadline, are stopped with kind shutdown, and the process ends as the signal would', async () => {
    let end: DrainEnd | undefined;
    watch({ onDrained: (given) => (end = given) });
    const turns = Array.from({ length: 50 }, (_, i) =>
      sessions.open(`run-${String(i)}`).controller.runTurn(({ token }) => delay(token, 60_000)),
    );
    host.emit('SIGTERM');
    await clock.advance(1000);
    const reports = await Promise.all(turns);
    await clock.advance(0);
    expect(new Set(reports.map(({ status }) => status))).toEqual(new Set(['cancelled']));
    const kinds = end?.report?.stopped.map(({ report }) => report.reason?.kind) ?? [];
    expect([kinds.length, new Set(kinds)]).toEqual([50, new Set(['shutdown'])]);
    expect([end?.wasKilled, host.ends]).toEqual([false, ['SIGTERM']]);
    expect(clock.pending).toBe(0);
  });

  it('waits for background work of a session, and stops it when its time is over', async () => {
    watch();
    const { controller } = sessions.open('a');
    controller.background('job', ({ token }) => delay(token, 60_000));
    host.emit('SIGHUP');
    await clock.advance(999);
    expect(host.ends).toEqual([]);
    await clock.advance(1);
    expect(host.ends).toEqual(['SIGHUP']);
  });

  it('a second signal ends the waiting and every grace, and the end says so', async () => {
    const ends: DrainEnd[] = [];
    watch({ onDrained: (end) => void ends.push(end) });
    void turn('deaf', () => new Promise(() => undefined), 3_600_000);
    host.emit('SIGINT');
    await clock.advance(300);
    expect(host.ends).toEqual([]);
    host.emit('SIGINT');
    await clock.advance(1);
    expect(host.ends).toEqual(['SIGINT']);
    expect(ends).toMatchObject([{ wasKilled: true, report: { stopped: [{ sessionId: 'deaf' }] } }]);
    expect(ends[0]?.report?.stopped[0]?.report.abandoned.length).toBe(1);
  });

  it('a second signal within a grace kills what is being stopped', async () => {
    watch({ timeoutMs: 0 });
    void turn('deaf', () => new Promise(() => undefined), 3_600_000);
    host.emit('SIGTERM');
    await clock.advance(300);
    expect(host.ends).toEqual([]);
    host.emit('SIGTERM');
    await clock.advance(1);
    expect(host.ends).toEqual(['SIGTERM']);
  });

  it('a third signal ends the process as it stands, and a target that never drains cannot keep it', async () => {
    watch({}, { drain: () => new Promise(() => undefined) });
    host.emit('SIGTERM');
    await clock.advance(300);
    host.emit('SIGTERM');
    await clock.advance(300);
    expect(host.ends).toEqual([]);
    host.emit('SIGTERM');
    expect(host.ends).toEqual(['SIGTERM']);
  });

  it('a signal that is sent twice in one moment counts once', async () => {
    watch();
    const work = deferred();
    const running = turn('a', () => work.promise, 3_600_000);
    host.emit('SIGINT');
    host.emit('SIGINT');
    await clock.advance(199);
    host.emit('SIGINT');
    await clock.advance(1);
    expect(host.ends).toEqual([]);
    work.resolve();
    await running;
  });

  it('what onDrained returns is waited for, until a second signal', async () => {
    const closed = deferred();
    watch({ onDrained: () => closed.promise });
    host.emit('SIGTERM');
    await clock.advance(500);
    expect(host.ends).toEqual([]);
    closed.resolve();
    await clock.advance(0);
    expect(host.ends).toEqual(['exit 0']);

    host = new Host();
    sessions = new SessionRegistry({ clock });
    watch({ onDrained: () => new Promise(() => undefined) });
    host.emit('SIGTERM');
    await clock.advance(500);
    host.emit('SIGTERM');
    await clock.advance(0);
    expect(host.ends).toEqual(['SIGTERM']);
  });

  it('the program may choose its code', async () => {
    watch({ exitCode: ({ report }) => 64 + report!.stopped.length, timeoutMs: 0 });
    void sessions.open('a').controller.runTurn(({ token }) => delay(token, 60_000));
    host.emit('SIGTERM');
    await clock.advance(0);
    await clock.advance(0);
    expect(host.ends).toEqual(['exit 65']);
  });

  it('a code that is none ends the process as the signal would', async () => {
    watch({ exitCode: () => 1.5 });
    host.emit('SIGTERM');
    await clock.advance(0);
    expect(host.ends).toEqual(['SIGTERM']);
  });

  it('what throws is told, and does not keep the process', async () => {
    const errors: unknown[] = [];
    const failing = (what: string) => () => {
      throw new Error(what);
    };
    watch(
      {
        onSignal: failing('signal'),
        onDrained: failing('drained'),
        exitCode: failing('code'),
        onError: (error) => errors.push(String(error)),
      },
      { drain: () => Promise.reject(new Error('drain')) },
    );
    host.emit('SIGTERM');
    await clock.advance(0);
    expect(errors).toEqual(['Error: signal', 'Error: drain', 'Error: drained', 'Error: code']);
    expect(host.ends).toEqual(['SIGTERM']);
  });

  it('lets hooks of others run before the end, and leaves a signal that the terminal takes', async () => {
    const ran: string[] = [];
    host.hooks.onProcessEnd('children', () => ran.push('children'), 'children');
    watch({ timeoutMs: 0 });
    const terminal = host.hooks.claimSignal('SIGINT', () => true, 'terminal');
    host.emit('SIGINT');
    await clock.advance(10);
    expect(host.ends).toEqual([]);
    terminal.release();
    void sessions.open('a').controller.runTurn(({ token }) => delay(token, 60_000));
    host.emit('SIGINT');
    await clock.advance(0);
    await clock.advance(0);
    expect([ran, host.ends]).toEqual([['children'], ['SIGINT']]);
  });

  it('gives the signals back, and a drain that is on no longer ends the process', async () => {
    const handle = watch();
    expect(host.eventNames().sort()).toEqual(['SIGHUP', 'SIGINT', 'SIGTERM']);
    host.emit('SIGTERM');
    expect(handle.isDraining).toBe(true);
    handle[Symbol.dispose]();
    await clock.advance(0);
    expect([host.ends, host.eventNames(), clock.pending]).toEqual([[], [], 0]);
  });

  describe('two registries of one process', () => {
    let jobs: SessionRegistry;
    beforeEach(() => (jobs = new SessionRegistry({ clock })));

    /** A run that takes so long, and hears no stop before. */
    const run = (registry: SessionRegistry, ms: number) =>
      registry
        .open(`takes ${String(ms)}`)
        .controller.runTurn(() => new Promise<void>((resolve) => clock.setTimer(resolve, ms, { ref: true })));

    it('are both drained by one signal, and the process ends when the last of them is', async () => {
      const seen: string[] = [];
      for (const [name, registry] of Object.entries({ chats: sessions, jobs })) {
        const onDrained = ({ report }: DrainEnd) => seen.push(`${name} ${report!.finished.join()}`);
        watch({ onSignal: () => seen.push(`${name} signal`), onDrained }, registry);
      }
      void run(sessions, 800);
      void run(jobs, 200);
      host.emit('SIGTERM');
      expect(seen).toEqual(['jobs signal', 'chats signal']);
      for (const registry of [sessions, jobs]) expect(() => registry.open('late')).toThrow('drains');
      await clock.advance(500);
      expect([seen.slice(2), host.ends]).toEqual([['jobs takes 200'], []]);
      await clock.advance(300);
      expect([seen.slice(3), host.ends]).toEqual([['chats takes 800'], ['exit 0']]);
      expect([clock.pending, host.eventNames(), host.drains]).toEqual([0, [], { on: new Set(), ends: [] }]);
    });

    it.each(['first', 'last'])('end it as a cut does, if what is drained %s was cut', async (which) => {
      const [cut, whole] = which === 'first' ? [100, 500] : [500, 100];
      watch({ timeoutMs: cut });
      watch({}, jobs);
      void sessions.open('a').controller.runTurn(({ token }) => delay(token, 60_000));
      void run(jobs, whole);
      host.emit('SIGTERM');
      await clock.advance(499);
      expect(host.ends).toEqual([]);
      await clock.advance(1);
      expect(host.ends).toEqual(['SIGTERM']);
    });

    it('a second signal kills both, and a third ends the process once', async () => {
      for (const target of [sessions, jobs]) watch({}, target);
      watch({}, { drain: () => new Promise(() => undefined) });
      const deaf = [sessions, jobs].map((registry) =>
        registry.open('deaf', { graceMs: 3_600_000 }).controller.runTurn(() => new Promise(() => undefined)),
      );
      host.emit('SIGINT');
      await clock.advance(300);
      host.emit('SIGINT');
      await clock.advance(300);
      for (const report of await Promise.all(deaf)) expect(report.stop?.abandoned).toHaveLength(1);
      expect(host.ends).toEqual([]);
      host.emit('SIGINT');
      expect(host.ends).toEqual(['SIGINT']);
    });

    it('one that is given back does not hold up the end that the other is due', async () => {
      const given = watch({}, { drain: () => new Promise(() => undefined) });
      watch();
      host.emit('SIGTERM');
      await clock.advance(10);
      expect(host.ends).toEqual([]);
      given.release();
      given.release();
      expect([host.ends, clock.pending]).toEqual([['exit 0'], 0]);
    });
  });

  it.each<[string, unknown, DrainOnSignalsOptions, ErrorConstructor]>([
    ['a target without drain', {}, {}, TypeError],
    ['no target', null, {}, TypeError],
    ['a time that is none', undefined, { timeoutMs: -1 }, RangeError],
    ['a signal that nobody can catch', undefined, { signals: ['SIGKILL' as never] }, TypeError],
    ['no signals', undefined, { signals: [] }, TypeError],
    ['an option that there is not', undefined, { timeout: 5 } as never, TypeError],
    ['a callback that is none', undefined, { onDrained: 'x' as never }, TypeError],
  ])('refuses %s', (what, target, options, error) => {
    const given = what.includes('target') ? target : sessions;
    expect(() => watch(options, given as DrainTarget)).toThrow(error);
    expect(host.eventNames()).toEqual([]);
  });
});
