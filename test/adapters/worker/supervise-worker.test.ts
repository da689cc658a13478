import { EventEmitter } from 'node:events';

import { describe, expect, it, vi } from 'vitest';

import { superviseWorker, type WorkerEnd } from '../../../src/adapters/worker/supervise-worker.ts';
import { CancellationToken } from '../../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

class FakeWorker extends EventEmitter {
  terminations = 0;
  isStuck = false;
  terminate(): void {
    this.terminations += 1;
    if (!this.isStuck) this.emit('exit', 1);
  }
}

function setUp(graceMs?: number) {
  const clock = new VirtualClock();
  const source = new CancellationTokenSource({ clock });
  const worker = new FakeWorker();
  const state: { end?: WorkerEnd } = {};
  void superviseWorker(source.token, worker, { graceMs }).then((end) => (state.end = end));
  return { clock, source, worker, state };
}

describe('superviseWorker', () => {
  it('tells of an end of its own, and has nothing to do with a later stop', async () => {
    const { clock, source, worker, state } = setUp();
    worker.emit('exit', 3);
    await clock.advance(0);
    expect(state.end).toEqual({ exitCode: 3, terminated: false, ended: true, stoppedBy: undefined, survivors: [] });
    source.kill('user');
    expect([worker.eventNames(), clock.pending, worker.terminations]).toEqual([[], 0, 0]);
  });

  it('settles at once for a thread that has ended before', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const worker = Object.assign(new FakeWorker(), { threadId: -1 });
    const end = await superviseWorker(source.token, worker);
    expect(end).toMatchObject({ exitCode: undefined, terminated: false, ended: true, stoppedBy: undefined });
    source.cancel('user');
    expect([worker.eventNames(), clock.pending, worker.terminations]).toEqual([[], 0, 0]);
  });

  it.each([
    ['cannot be looked for', () => ({ killThreadCommandsAtEnd: () => ({ release: () => undefined }), stopThreadCommands: () => Promise.reject(new Error('no table')) })], // prettier-ignore
    ['cannot be loaded', () => { throw new Error('not bundled'); }], // prettier-ignore
  ])('settles with unknown survivors where the commands of the thread %s', async (_, made) => {
    vi.doMock('../../../src/adapters/worker/thread-commands.ts', made);
    try {
      const worker = Object.assign(new FakeWorker(), { threadId: 7 });
      const end = superviseWorker(undefined, worker);
      await new Promise((resolve) => setImmediate(resolve)); // what rejects before the end is nobody's either
      worker.emit('exit', 1);
      expect(await end).toMatchObject({ exitCode: 1, ended: true, survivors: 'unknown' });
    } finally {
      vi.doUnmock('../../../src/adapters/worker/thread-commands.ts');
    }
  });

  it('S28 lets it end within the grace, and terminates it afterwards', async () => {
    for (const endsAtMs of [900, undefined]) {
      const { clock, source, worker, state } = setUp();
      source.cancel('user');
      await clock.advance(900);
      expect(worker.terminations).toBe(0);
      if (endsAtMs !== undefined) worker.emit('exit', 0);
      await clock.advance(100);
      expect(worker.terminations).toBe(endsAtMs === undefined ? 1 : 0);
      expect(state.end).toMatchObject({ terminated: endsAtMs === undefined, ended: true, stoppedBy: { kind: 'user' } });
      expect([worker.eventNames(), clock.pending]).toEqual([[], 0]);
    }
  });

  it('an endless grace ends with a kill alone', async () => {
    const { clock, source, worker } = setUp(Infinity);
    source.cancel('user');
    expect(clock.pending).toBe(0);
    source.kill('shutdown');
    await clock.advance(0);
    expect(worker.terminations).toBe(1);
  });

  it('a kill ends the grace, before or in it', async () => {
    for (const cancelsFirst of [true, false]) {
      const { clock, source, worker, state } = setUp(60_000);
      if (cancelsFirst) source.cancel('user');
      source.kill('shutdown');
      await clock.advance(0);
      expect(worker.terminations).toBe(1);
      expect(state.end?.terminated).toBe(true);
      expect(clock.pending).toBe(0);
    }
  });

  it('names a thread that force does not end, instead of waiting for ever', async () => {
    const { clock, source, worker, state } = setUp(0);
    worker.isStuck = true;
    source.cancel('user');
    await clock.advance(499);
    expect(state).toEqual({});
    await clock.advance(1);
    expect(state.end).toMatchObject({ exitCode: undefined, terminated: true, ended: false });
    expect(worker.eventNames()).toEqual([]);
  });

  it('a worker of the web tells no exit: it is over when it was terminated', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    let terminations = 0;
    const end = superviseWorker(source.token, { terminate: () => (terminations += 1) }, { graceMs: 10 });
    source.cancel('user');
    await clock.advance(10);
    expect(await end).toMatchObject({ terminated: true, ended: true });
    expect(terminations).toBe(1);
  });

  it('reports a terminate that throws', async () => {
    const clock = new VirtualClock();
    const errors: unknown[] = [];
    const source = new CancellationTokenSource({ clock, onCallbackError: (error) => errors.push(error) });
    const worker = { terminate: () => Promise.reject(new Error('gone')) };
    const end = superviseWorker(source.token, worker, { graceMs: 0 });
    source.cancel();
    await clock.advance(0);
    await end;
    expect(errors).toEqual([new Error('gone')]);
  });

  it('a token that is cancelled already starts the grace now', async () => {
    const worker = new FakeWorker();
    const end = await superviseWorker(CancellationToken.alreadyCancelled('user'), worker, { graceMs: 0 });
    expect(end).toMatchObject({ terminated: true, stoppedBy: { kind: 'user' } });
  });

  it('refuses what makes no sense', async () => {
    await expect(superviseWorker(null, {} as never)).rejects.toThrow(TypeError);
    await expect(superviseWorker(null, new FakeWorker(), { graceMs: -1 })).rejects.toThrow(RangeError);
  });
});
