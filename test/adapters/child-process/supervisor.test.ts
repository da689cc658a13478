import { describe, expect, it, vi } from 'vitest';

import { rungsOf } from '../../../src/adapters/internal/process/stop-ladder.ts';
import type { ProcessResult } from '../../../src/adapters/child-process/process-result.ts';
import type { SupervisionPlan } from '../../../src/adapters/child-process/options.ts';
import { Supervisor, drainMs } from '../../../src/adapters/child-process/supervisor.ts';
import { ProcessDescendants } from '../../../src/adapters/internal/process/process-descendants.ts';
import { createReason } from '../../../src/core/foundation/reason.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { FakeTable, leader, type FakeRow } from '../internal/process/process-table-fake.ts';
import { FakeChild, turns } from './fake-child.ts';

const reason = createReason('user');

function supervise(options: Partial<SupervisionPlan> = {}, ...rows: FakeRow[]) {
  const clock = new VirtualClock();
  const child = new FakeChild();
  const listenersBefore = countListeners(child);
  const table = new FakeTable(...(rows.length === 0 ? [leader] : rows));
  const plan: SupervisionPlan = {
    clock,
    graceMs: 1000,
    rungs: rungsOf(['SIGTERM', 'SIGKILL'], 1000),
    background: 'keep',
    maxBuffer: 1000,
    encoding: 'utf8',
    onSurvivor: undefined,
    onCallbackError: () => undefined,
    ...options,
  };
  const supervisor = new Supervisor(child.asChild, new ProcessDescendants(table, 500, 'm'), plan);
  let result: ProcessResult | undefined;
  void supervisor.result.then((value) => (result = value));
  return {
    clock,
    child,
    table,
    supervisor,
    result: () => result,
    /** The leader ends by itself. */
    leave(code: number | null, signal: NodeJS.Signals | null = null) {
      table.remove(500);
      child.exit(code, signal);
    },
    leaks: () => countListeners(child) - listenersBefore,
  };
}

function countListeners(child: FakeChild): number {
  const emitters = [child, child.stdin, child.stdout, child.stderr];
  return emitters.reduce(
    (sum, emitter) => sum + emitter.eventNames().reduce((n, name) => n + emitter.listenerCount(name), 0),
    0,
  );
}

describe('Ctrl+C', () => {
  it('is handed on to the group while the leader runs, and is no stop', async () => {
    const run = supervise();
    run.supervisor.interrupt();
    expect(run.table.sent).toEqual([[-500, 'SIGINT']]);
    run.child.exit(null, 'SIGINT');
    run.supervisor.interrupt();
    expect(run.table.sent).toHaveLength(1);
    run.child.close();
    await turns();
    expect(run.result()).toMatchObject({ signal: 'SIGINT', stoppedBy: undefined });
  });
});

describe('a run that ends by itself', () => {
  it('settles when the pipes are closed, with everything that came', async () => {
    const run = supervise();
    run.child.stdout.write('out');
    run.child.stderr.write('err');
    await turns();
    await run.clock.advance(40);
    run.leave(3);
    await turns();
    expect(run.result()).toBeUndefined();
    run.child.close();
    await turns();
    expect(run.result()).toEqual({
      exitCode: 3,
      signal: null,
      stdout: 'out',
      stderr: 'err',
      droppedBytes: { stdout: 0, stderr: 0 },
      outputEnded: true,
      stoppedBy: undefined,
      survivors: [],
      background: [],
      ms: 40,
    });
    expect(run.table.sent).toEqual([]);
    expect(run.clock.pending).toBe(0);
  });

  it('S24 leader exits first: settles drainMs later, names who holds the pipe, and leaves it alone', async () => {
    const run = supervise({}, leader, { pid: 501, command: 'server' });
    run.leave(0);
    await run.clock.advance(drainMs - 1);
    await turns();
    expect(run.result()).toBeUndefined();
    run.child.stdout.write('late, but in time');
    await run.clock.advance(1);
    await turns();
    expect(run.result()).toMatchObject({
      exitCode: 0,
      stdout: 'late, but in time',
      outputEnded: false,
      survivors: [],
      background: [{ pid: 501, command: 'server' }],
    });
    expect(run.table.sent).toEqual([]);
    expect(run.child.stdout.destroyed).toBe(false);
    expect(run.child.stdin.destroyed).toBe(true);
  });

  it('names a background process that does not hold the pipe either', async () => {
    const run = supervise({}, leader, { pid: 501, command: 'server' });
    run.leave(0);
    run.child.close();
    await turns();
    expect(run.result()?.background).toEqual([{ pid: 501, command: 'server' }]);
  });

  it('settles when it is stopped while its end is looked at, and the stop is done first', async () => {
    const run = supervise({}, leader, { pid: 501, command: 'server' });
    const look = run.table.look.bind(run.table);
    const first = deferred();
    run.table.look = () => {
      run.table.look = look;
      return first.promise.then(look);
    };
    run.leave(0);
    run.child.close();
    await turns();
    run.supervisor.stop(reason);
    await run.clock.advance(1600);
    await turns();
    expect(run.table.rows.has(501)).toBe(false);
    first.resolve();
    await turns();
    expect(run.result()).toMatchObject({ exitCode: 0, survivors: [], background: [] });
    expect(run.clock.pending).toBe(0);
  });

  it("background: 'stop' stops who stayed, before the result, and is no cancel", async () => {
    const run = supervise({ background: 'stop' }, leader, { pid: 501, deafTo: ['SIGTERM'] });
    run.leave(0);
    run.child.close();
    await turns();
    expect(run.table.sent).toEqual([[-500, 'SIGTERM']]);
    expect(run.result()).toBeUndefined();
    await run.clock.advance(1100);
    await turns();
    expect(run.table.sent).toEqual([
      [-500, 'SIGTERM'],
      [-500, 'SIGKILL'],
    ]);
    expect(run.result()).toMatchObject({ exitCode: 0, stoppedBy: undefined, survivors: [], background: [] });
  });

  it('looks for daemons before it says that nobody is left, and reads nothing at once for that', async () => {
    const daemon = { pid: 700, parentPid: 1, groupId: 700, sessionId: 700, environment: 'DESIST_RUN=m', command: 'd' };
    const run = supervise({}, leader, daemon);
    run.leave(0);
    run.table.reads.length = 0;
    run.child.close();
    await turns();
    expect(run.result()?.background).toEqual([{ pid: 700, command: 'd' }]);
    expect(run.table.reads).not.toContain('snapshot');
  });

  it('S42 says unknown where it could not look', async () => {
    const run = supervise();
    run.table.isUnreadable = true;
    run.leave(0);
    run.child.close();
    await turns();
    expect(run.result()).toMatchObject({ exitCode: 0, survivors: [], background: 'unknown' });
  });

  it('S42 keeps what the command wrote when nobody reads its stream', async () => {
    const run = supervise({ maxBuffer: Infinity });
    run.child.stdout.pause();
    run.child.stderr.pause();
    for (const stream of [run.child.stdout, run.child.stderr]) stream.write('x'.repeat(200_000));
    run.child.stdout.end('the end');
    run.child.stderr.end();
    run.leave(3);
    await turns();
    await turns();
    expect(run.result()).toMatchObject({ exitCode: 3, outputEnded: true });
    expect(run.result()?.stdout).toHaveLength(200_007);
    expect(run.child.stdout.destroyed).toBe(false); // its reader may still come
  });
});

describe('limits of a run', () => {
  it('timeoutMs stops it, with kind deadline', async () => {
    const run = supervise({ timeoutMs: 300 });
    await run.clock.advance(299);
    expect(run.table.sent).toEqual([]);
    await run.clock.advance(1);
    run.leave(null, 'SIGTERM');
    run.child.close();
    await turns();
    expect(run.result()?.stoppedBy).toMatchObject({ kind: 'deadline', message: 'The command took longer than 300 ms' });
    expect(run.clock.pending).toBe(0);
  });

  it('idleMs counts from the last output', async () => {
    const run = supervise({ idleMs: 300 });
    await run.clock.advance(200);
    run.child.stderr.write('.');
    await turns();
    await run.clock.advance(299);
    expect(run.table.sent).toEqual([]);
    await run.clock.advance(1);
    run.leave(null, 'SIGTERM');
    run.child.close();
    await turns();
    expect(run.result()?.stoppedBy).toMatchObject({ kind: 'idle', message: 'The command wrote nothing for 300 ms' });
    expect(run.clock.pending).toBe(0);
  });

  it('are gone with a run that ends in time', async () => {
    const run = supervise({ idleMs: 300, timeoutMs: 300 });
    run.leave(0);
    run.child.close();
    await turns();
    expect(run.result()?.stoppedBy).toBeUndefined();
    expect(run.clock.pending).toBe(0);
  });
});

describe('a run that is stopped', () => {
  it('signals before stop returns, and resolves with the reason and the partial output', async () => {
    const run = supervise();
    run.child.stdout.write('half');
    await turns();
    run.supervisor.stop(reason);
    expect(run.table.sent).toEqual([[-500, 'SIGTERM']]);
    run.child.exit(null, 'SIGTERM');
    run.child.close();
    await turns();
    expect(run.result()).toMatchObject({
      exitCode: null,
      signal: 'SIGTERM',
      stdout: 'half',
      stoppedBy: reason,
      survivors: [],
    });
    expect(run.result()?.stoppedBy).toBe(reason);
  });

  it('S24 KILL is sent although child.killed is true', async () => {
    const run = supervise({}, { ...leader, deafTo: ['SIGTERM'] });
    Object.assign(run.child, { killed: true });
    run.supervisor.stop(reason);
    await run.clock.advance(1000);
    expect(run.table.sent).toEqual([
      [-500, 'SIGTERM'],
      [-500, 'SIGKILL'],
    ]);
    run.child.exit(null, 'SIGKILL');
    run.child.close();
    await turns();
    expect(run.result()?.signal).toBe('SIGKILL');
  });

  it('P1: is not over while the exit has not come, though the table says that nobody is left', async () => {
    const run = supervise();
    run.supervisor.stop(reason);
    await run.clock.advance(200);
    await turns();
    expect(run.result()).toBeUndefined();
    run.child.exit(null, 'SIGTERM');
    run.child.close();
    await turns();
    expect(run.result()).toBeDefined();
  });

  it('P1: also where the table was too large to read at once, and was looked at right after the signal', async () => {
    const run = supervise();
    for (const stream of [run.child.stdout, run.child.stderr]) stream.resume().end();
    run.table.isLarge = true;
    run.supervisor.stop(reason);
    await turns();
    await run.clock.advance(200);
    await turns();
    expect(run.result()).toBeUndefined();
    expect(run.table.sent).toEqual([[-500, 'SIGTERM']]);
    run.child.exit(null, 'SIGTERM');
    run.child.close();
    await turns();
    expect(run.result()).toMatchObject({ signal: 'SIGTERM', survivors: [] });
    expect(run.clock.pending).toBe(0);
  });

  it('P2: destroys the pipes when somebody out of reach holds them', async () => {
    const run = supervise();
    run.supervisor.stop(reason);
    run.child.exit(null, 'SIGTERM');
    await turns();
    await run.clock.advance(drainMs);
    await turns();
    expect(run.result()).toMatchObject({ outputEnded: false, survivors: [] });
    expect([run.child.stdout.destroyed, run.child.stderr.destroyed]).toEqual([true, true]);
  });

  it('names who resists, tells onSurvivor before the result, and lets our own process end', async () => {
    const told: unknown[] = [];
    const onSurvivor = (process: unknown) => told.push([process, run.result()]);
    const run = supervise({ onSurvivor }, { ...leader, foreign: true }, { pid: 501, foreign: true, command: 'root' });
    run.supervisor.stop(reason);
    await run.clock.advance(1000 + 500 + drainMs);
    await turns();
    const survivors = [
      { pid: 500, command: 'sh -c work' },
      { pid: 501, command: 'root' },
    ];
    expect(run.result()).toMatchObject({ exitCode: null, signal: null, survivors, background: [] });
    expect(told).toEqual(survivors.map((one) => [one, undefined]));
    expect(run.child.isReferenced).toBe(false);
  });

  it('an onSurvivor that throws is reported and stops nobody', async () => {
    const onCallbackError = vi.fn();
    const failure = new Error('in onSurvivor');
    const onSurvivor = vi.fn(() => {
      throw failure;
    });
    const rows = [
      { ...leader, foreign: true },
      { pid: 501, foreign: true },
    ];
    const run = supervise({ onSurvivor, onCallbackError }, ...rows);
    run.supervisor.stop(reason);
    await run.clock.advance(1000 + 500 + drainMs);
    await turns();
    expect(onSurvivor).toHaveBeenCalledTimes(2);
    expect(onCallbackError.mock.calls).toEqual([[failure], [failure]]);
    expect(run.result()?.survivors).toHaveLength(2);
  });

  it('everything goes also when the leader has ended and only the pipes are waited for', async () => {
    const run = supervise({}, leader, { pid: 501 });
    run.leave(0);
    await run.clock.advance(50);
    run.supervisor.stop(reason);
    expect(run.table.sent).toEqual([[-500, 'SIGTERM']]);
    run.child.close();
    await run.clock.advance(10);
    await turns();
    expect(run.result()).toMatchObject({ exitCode: 0, stoppedBy: reason, background: [], survivors: [] });
  });

  it('P2: also when it was stopped in the middle of the wait for the pipes', async () => {
    const run = supervise({}, leader, { pid: 501 });
    run.leave(0);
    await run.clock.advance(50);
    run.supervisor.stop(reason);
    run.table.remove(501); // and whoever holds the pipes is out of reach
    await run.clock.advance(10);
    await turns();
    expect(run.result()).toBeUndefined();
    await run.clock.advance(drainMs);
    await turns();
    expect(run.result()).toMatchObject({ exitCode: 0, stoppedBy: reason, outputEnded: false, survivors: [] });
  });

  it('force sends SIGKILL at once', () => {
    const run = supervise({}, { ...leader, deafTo: ['SIGTERM'] });
    run.supervisor.stop(reason);
    run.supervisor.force();
    expect(run.table.sent).toEqual([
      [-500, 'SIGTERM'],
      [-500, 'SIGKILL'],
    ]);
  });

  it('the first reason stays, and a second stop sends nothing', () => {
    const run = supervise({}, { ...leader, deafTo: ['SIGTERM'] });
    run.supervisor.stop(reason);
    run.supervisor.stop(createReason('shutdown'));
    expect(run.table.sent).toHaveLength(1);
  });

  it('S42 falls back to the group when nothing can be read, and never says that nobody is left', async () => {
    const run = supervise({}, leader, { pid: 501 });
    run.table.isUnreadable = true;
    run.supervisor.stop(reason);
    expect(run.table.sent).toEqual([
      [-500, 'SIGTERM'],
      [-500, 'SIGCONT'],
    ]);
    run.child.exit(null, 'SIGTERM');
    run.child.close();
    await run.clock.advance(1000 + 500);
    await turns();
    expect(run.result()).toMatchObject({ signal: 'SIGTERM', survivors: 'unknown', stoppedBy: reason });
  });

  it('S42 looks again until the grace ends', async () => {
    const run = supervise({}, leader, { pid: 501, deafTo: ['SIGTERM'] });
    run.table.isUnreadable = true;
    run.supervisor.stop(reason);
    run.table.rows.delete(500);
    run.child.exit(null, 'SIGTERM');
    run.child.close();
    await run.clock.advance(500);
    expect(run.result()).toBeUndefined();
    run.table.isUnreadable = false;
    await run.clock.advance(600);
    await turns();
    expect(run.result()).toMatchObject({ signal: 'SIGTERM', survivors: [] });
    expect(run.table.rows.has(501)).toBe(false);
  });

  it('signals the child itself when the process table shows nobody', async () => {
    const run = supervise();
    run.table.rows.clear();
    run.supervisor.stop(reason);
    await run.clock.advance(1000 + 500 + drainMs);
    await turns();
    expect(run.child.kills).toEqual(['SIGTERM', 'SIGKILL']);
    expect(run.result()?.survivors).toEqual([{ pid: 500, command: 'fake' }]);
  });
});

describe('P4: a run that ended is not reported as stopped', () => {
  it('after its exit', async () => {
    const run = supervise();
    run.leave(0);
    run.supervisor.stop(reason);
    run.child.close();
    await turns();
    expect(run.result()).toMatchObject({ exitCode: 0, stoppedBy: undefined });
    expect(run.table.sent).toEqual([]);
  });

  it('when it is dead already and its exit is still to come', async () => {
    const run = supervise({}, { ...leader, state: 'dead' });
    run.supervisor.stop(reason);
    run.supervisor.force();
    expect(run.table.sent).toEqual([]);
    run.leave(0);
    run.child.close();
    await turns();
    expect(run.result()).toMatchObject({ exitCode: 0, stoppedBy: undefined });
  });

  it.each<[string, FakeRow]>([
    ['to have ended', { ...leader, state: 'dead' }],
    ['to be ending', { ...leader, isEnding: true }],
  ])('when it turns out %s while the table was read', async (_, row) => {
    const run = supervise();
    run.table.snapshot = () => {
      run.table.add(row);
      return FakeTable.prototype.snapshot.call(run.table);
    };
    run.supervisor.stop(reason);
    run.leave(0);
    run.child.close();
    await turns();
    expect(run.result()).toMatchObject({ exitCode: 0, stoppedBy: undefined });
  });

  it('when it ended while hundreds of other stops had their turn', async () => {
    // A few have their turn however long they take.
    const slow = [1, 2, 3, 4].map(() => supervise({}, leader));
    for (const { table } of slow) {
      table.snapshot = () => {
        const until = performance.now() + 5;
        while (performance.now() < until);
        return FakeTable.prototype.snapshot.call(table);
      };
    }
    const run = supervise({}, leader, { pid: 501 });
    for (const { supervisor } of slow) supervisor.stop(reason);
    run.supervisor.stop(reason);
    expect(run.table.sent).toEqual([]); // its turn has not come
    run.leave(0);
    run.child.close();
    await turns();
    await run.clock.advance(100);
    await turns();
    expect(run.table.sent).toEqual([[-500, 'SIGTERM']]);
    expect(run.result()).toMatchObject({ exitCode: 0, stoppedBy: undefined, survivors: [] });
  });

  it('but it was stopped if it ends of itself right after the signal', async () => {
    const run = supervise({}, { ...leader, deafTo: ['SIGTERM'] });
    run.supervisor.stop(reason);
    run.table.add({ ...leader, isEnding: true });
    run.leave(0);
    run.child.close();
    await turns();
    expect(run.result()).toMatchObject({ exitCode: 0, stoppedBy: reason });
  });

  it('but who it left is stopped when the stop came before they were looked for', async () => {
    const orphan = { pid: 700, parentPid: 1, groupId: 700, sessionId: 700, environment: 'DESIST_RUN=m' };
    const run = supervise({}, leader);
    run.leave(0);
    run.table.add(orphan);
    run.supervisor.stop(reason);
    run.child.close();
    await turns();
    await run.clock.advance(100);
    await turns();
    expect(run.table.sent).toEqual([[700, 'SIGTERM']]);
    expect(run.result()).toMatchObject({ exitCode: 0, stoppedBy: reason, survivors: [], background: [] });
  });

  it('after its result', async () => {
    const run = supervise();
    run.leave(0);
    run.child.close();
    await turns();
    run.supervisor.stop(reason);
    run.supervisor.force();
    expect(run.table.sent).toEqual([]);
    expect(run.result()?.stoppedBy).toBeUndefined();
  });
});

describe('P3: nothing is left', () => {
  it.each(['by itself', 'stopped'])('of a run that ended %s', async (how) => {
    const run = supervise();
    const held = { release: vi.fn() };
    run.supervisor.hold(held);
    if (how === 'stopped') run.supervisor.stop(reason);
    for (const stream of [run.child.stdout, run.child.stderr]) stream.destroy();
    run.leave(0);
    run.child.close();
    await turns();
    expect(run.result()).toBeDefined();
    expect(held.release).toHaveBeenCalledOnce();
    expect(run.leaks()).toBe(0);
    expect(run.clock.pending).toBe(0);
    run.supervisor.hold(held);
    expect(held.release).toHaveBeenCalledTimes(2);
  });

  it('of a start that failed: it rejects with the very error', async () => {
    const clock = new VirtualClock();
    const child = new FakeChild();
    child.pid = undefined;
    const before = countListeners(child);
    const plan = { clock, graceMs: 0, rungs: [], background: 'keep', maxBuffer: 1, encoding: 'utf8' } as const;
    const supervisor = new Supervisor(child.asChild, undefined, {
      ...plan,
      onSurvivor: undefined,
      onCallbackError: () => undefined,
    });
    const failure = Object.assign(new Error('spawn nope ENOENT'), { code: 'ENOENT' });
    child.emit('error', failure);
    child.emit('close', -2, null);
    await expect(supervisor.result).rejects.toBe(failure);
    await turns();
    expect(countListeners(child) - before).toBe(0);
    expect([child.stdin.destroyed, child.stdout.destroyed, child.stderr.destroyed]).toEqual([true, true, true]);
    supervisor.stop(reason);
    expect(child.kills).toEqual([]);
  });

  it('a later error event, such as of a kill that was refused, does not end the run', async () => {
    const run = supervise();
    run.child.emit('error', new Error('kill EPERM'));
    await turns();
    expect(run.result()).toBeUndefined();
    run.leave(0);
    run.child.close();
    await turns();
    expect(run.result()?.exitCode).toBe(0);
  });

  it('killNow is for the end of our own process: everybody, at once, without waiting', () => {
    const run = supervise({}, leader, { pid: 502, groupId: 502, sessionId: 502 });
    run.supervisor.killNow();
    expect(run.table.sent).toEqual([
      [-500, 'SIGKILL'],
      [502, 'SIGKILL'],
    ]);
  });
});
