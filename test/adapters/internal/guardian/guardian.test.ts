import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';

import { afterEach, expect, it, vi } from 'vitest';

import { guardCommand, guardTerminal } from '../../../../src/adapters/internal/guardian/guardian.ts';

class FakeProcess extends EventEmitter {
  readonly stdin = new PassThrough();
  unref = vi.fn();
  written(): string {
    return String(this.stdin.read() ?? '');
  }
}

const spawned = vi.spyOn(childProcess, 'spawn');
afterEach(() => {
  spawned.mockReset();
  vi.useRealTimers();
});

it('starts one process for all commands, tells it who comes and goes, and lets it end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const helper = new FakeProcess();
  spawned.mockReturnValueOnce(helper as never);
  const one = guardCommand('a');
  const other = guardCommand('b');
  one.knowBy({ pid: 5, startTime: 7, file: undefined });
  expect(spawned).toHaveBeenCalledOnce();
  expect(helper.unref).toHaveBeenCalled();
  one.release();
  one.release();
  one.knowBy({ pid: 6 });
  expect(helper.written()).toBe('+{"marker":"a"}\n+{"marker":"b"}\n+{"marker":"a","pid":5,"startTime":7}\n-a\n');
  await vi.advanceTimersByTimeAsync(1000);
  expect(helper.stdin.writableEnded).toBe(false);
  other.release();
  await vi.advanceTimersByTimeAsync(1000);
  expect(helper.stdin.writableEnded).toBe(true);
});

it('starts another one when the first is gone, and never throws', () => {
  const helpers = [new FakeProcess(), new FakeProcess()];
  for (const helper of helpers) spawned.mockReturnValueOnce(helper as never);
  const first = guardCommand('a');
  helpers[0]?.emit('exit', 1);
  const second = guardCommand('b');
  expect(spawned).toHaveBeenCalledTimes(2);
  expect(() => helpers[1]?.stdin.emit('error', new Error('EPIPE'))).not.toThrow();
  first.release();
  second.release();
  helpers[1]?.emit('exit', 0);
});

it('says that nothing is guarded where no process can be started, now or later, and tries again with the next', async () => {
  const failure = new Error('spawn EMFILE');
  spawned.mockImplementationOnce(() => {
    throw failure;
  });
  const first = guardCommand('a');
  expect(first.unavailable).toEqual({
    reason: 'no-process',
    message: 'nothing is guarded: the helper process could not be started: Error: spawn EMFILE',
  });
  const pipeless = Object.assign(new EventEmitter(), { unref: () => undefined }); // as Node has it without descriptors
  spawned.mockReturnValueOnce(pipeless as never);
  const second = guardCommand('b');
  expect(second.unavailable?.reason).toBe('no-process');
  pipeless.emit('error', failure);
  expect(second.unavailable?.message).toContain('EMFILE');
  const helper = new FakeProcess();
  spawned.mockReturnValueOnce(helper as never);
  const third = guardCommand('c');
  expect([third.unavailable, helper.written()]).toEqual([undefined, '+{"marker":"c"}\n']);
  const fourth = guardCommand('d');
  third.release();
  helper.emit('exit', null, 'SIGKILL');
  expect([third.unavailable, fourth.unavailable?.message]).toEqual([
    undefined, // it had done its part
    'nothing is guarded: the helper process has ended',
  ]);
  for (const one of [first, second, fourth]) one.release();
  await Promise.resolve();
});

it('tells the same process of a terminal', () => {
  const helper = new FakeProcess();
  spawned.mockReturnValueOnce(helper as never);
  const one = guardTerminal({ path: '/dev/pts/7', found: 'cooked', watched: 'raw', off: '' });
  one.release();
  expect(helper.written()).toBe('t{"path":"/dev/pts/7","found":"cooked","watched":"raw","off":""}\nT\n');
  helper.emit('exit', 0);
});
