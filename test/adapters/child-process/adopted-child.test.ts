import type { EventEmitter } from 'node:events';

import { describe, expect, it } from 'vitest';

import { AdoptedChild, unwrap, type PtyProcess } from '../../../src/adapters/child-process/adopted-child.ts';
import { systemClock } from '../../../src/core/foundation/clock.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { FakeChild, turns } from './fake-child.ts';

/** A fake that also says how it ended, as Node's own does. */
class FakeNodeChild extends FakeChild {
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
}

const never = () => {
  throw new Error('nobody has to look');
};

function ends(child: AdoptedChild): unknown[] {
  const seen: unknown[] = [];
  child.on('exit', (code, signal) => seen.push([code, signal]));
  child.on('close', () => seen.push('close'));
  return seen;
}

const listeners = (emitter: EventEmitter) =>
  emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);

describe('unwrap', () => {
  const inner = new FakeNodeChild().asChild;
  const promise = Promise.resolve(inner);
  it.each([
    ['a child of Node or execa 9', inner, { now: inner }],
    ['zx', { child: inner }, { now: inner }],
    ['tinyexec', { process: inner }, { now: inner }],
    ['execa 10', { nodeChildProcess: inner }, { now: inner }],
    ['nano-spawn', { nodeChildProcess: promise }, { later: promise }],
  ])('%s', (_name, target, expected) => {
    const found = unwrap(target);
    expect(Object.keys(found)).toEqual(Object.keys(expected));
    expect(Object.values(found)[0]).toBe(Object.values(expected)[0]);
  });

  it('anything else stands for itself', () => {
    const transport = { pid: 5 };
    expect(unwrap(transport)).toEqual({ now: transport });
    expect(() => unwrap(7 as never)).toThrow(
      new TypeError('child must be a child process or something with its pid, got 7'),
    );
  });
});

describe('a child of Node', () => {
  it('tells its end, and nothing of ours stays on it', () => {
    const real = new FakeNodeChild();
    const before = listeners(real);
    const child = new AdoptedChild(real);
    expect([child.pid, child.spawnfile, child.stdout, child.hasEnded]).toEqual([500, 'fake', null, false]);
    const seen = ends(child);
    child.watch(real, never, systemClock);
    real.exit(null, 'SIGTERM');
    expect(seen).toEqual([[null, 'SIGTERM'], 'close']);
    child.release();
    expect(listeners(real)).toBe(before);
  });

  it('that has ended tells so once', async () => {
    const real = new FakeNodeChild();
    real.exitCode = 4;
    const child = new AdoptedChild(real);
    expect(child.hasEnded).toBe(true);
    const seen = ends(child);
    child.watch(real, never, systemClock);
    await turns();
    expect(seen).toEqual([[4, null], 'close']);
    child.release();
  });

  it('that was not started, and has told so, is refused: nobody would tell it again', () => {
    const real = new FakeNodeChild();
    real.pid = undefined;
    expect(new AdoptedChild(real).hasEnded).toBe(false); // it will tell
    real.exitCode = -2;
    const refused = new TypeError('child has no pid: it was not started or has ended, got undefined');
    expect(() => new AdoptedChild(real)).toThrow(refused);
  });

  it('hands on what its kill and unref do, an error, and the end of its pipes', () => {
    const real = new FakeNodeChild();
    const child = new AdoptedChild(real);
    const errors: unknown[] = [];
    child.on('error', (error) => errors.push(error));
    child.watch(real, never, systemClock);
    real.emit('error', new Error('ENOENT'));
    expect(child.kill('SIGTERM')).toBe(true);
    child.unref();
    child.closePipes();
    expect([real.kills, real.isReferenced, errors]).toEqual([['SIGTERM'], false, [new Error('ENOENT')]]);
    expect([real.stdin.destroyed, real.stdout.destroyed, real.stderr.destroyed]).toEqual([true, true, true]);
    child.release();
  });
});

describe('a pseudo-terminal', () => {
  it.each([
    [{ exitCode: 3, signal: 0 }, [3, null]],
    [{ exitCode: 3 }, [3, null]],
    [{ exitCode: 0, signal: 15 }, [null, 'SIGTERM']],
  ])('tells %o as %j', (end, expected) => {
    let tell: (end: { exitCode: number; signal?: number }) => void = never;
    let disposed = 0;
    const pty: PtyProcess = {
      pid: 500,
      onExit: (listener) => {
        tell = listener;
        return { dispose: () => (disposed += 1) };
      },
    };
    const child = new AdoptedChild(pty);
    const seen = ends(child);
    child.watch(pty, never, systemClock);
    tell(end);
    expect(seen).toEqual([expected, 'close']);
    child.release();
    expect(disposed).toBe(1);
    expect([child.kill('SIGTERM'), child.unref()]).toEqual([false, undefined]);
  });
});

describe('a mere pid', () => {
  it('is looked at until nobody is there', async () => {
    const clock = new VirtualClock();
    const child = new AdoptedChild({ pid: 500 });
    const seen = ends(child);
    let isAlive = true;
    child.watch({ pid: 500 }, () => isAlive, clock);
    await clock.advance(120);
    expect(seen).toEqual([]);
    isAlive = false;
    await clock.advance(50);
    expect(seen).toEqual([[null, null], 'close']);
    expect(clock.pending).toBe(0);
  });

  it('is looked at no more once it is released', async () => {
    const clock = new VirtualClock();
    const child = new AdoptedChild({ pid: 500 });
    child.watch({ pid: 500 }, () => true, clock);
    await clock.advance(50);
    child.release();
    expect(clock.pending).toBe(0);
  });

  it.each([
    [{ pid: null }, TypeError, 'child has no pid: it was not started or has ended, got null'],
    [{}, TypeError, 'child has no pid'],
    [{ pid: 1 }, RangeError, "child's pid must be that of another process that may be stopped, got 1"],
    [{ pid: -500 }, RangeError, 'got -500'],
    [{ pid: process.pid }, RangeError, String(process.pid)],
    [{ pid: process.ppid }, RangeError, String(process.ppid)],
  ])('refuses %o', (target, type, message) => {
    const call = () => new AdoptedChild(target);
    expect(call).toThrow(type);
    expect(call).toThrow(message);
  });
});
