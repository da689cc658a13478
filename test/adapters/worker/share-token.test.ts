import { EventEmitter, getEventListeners } from 'node:events';

import { describe, expect, it } from 'vitest';

import { receiveToken } from '../../../src/adapters/worker/receive-token.ts';
import { shareToken } from '../../../src/adapters/worker/share-token.ts';
import { CancellationToken } from '../../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

describe('shareToken', () => {
  it('released before it was handed over closes both ends of its port', async () => {
    const { handle, release } = shareToken(new CancellationTokenSource());
    const closed = new Promise((resolve) => handle.port.addEventListener('close' as 'message', resolve));
    release();
    await closed;
  });

  it('a cancel of the token reaches the other end, at once where memory is shared', () => {
    const source = new CancellationTokenSource();
    const shared = shareToken(source.token);
    const received = receiveToken(shared.handle);
    source.cancel({ kind: 'user', by: 'ada' });
    expect(received.token.reason).toMatchObject({ kind: 'user', by: 'ada' });
    expect(shared.token.reason).toBe(source.token.reason);
    received.release();
    shared.release();
  });

  it('a cancel of the other end cancels what is shared, and a source it came from, but never a token', async () => {
    const source = new CancellationTokenSource();
    for (const target of [source.token, source]) {
      const shared = shareToken(target);
      const received = receiveToken(shared.handle);
      expect(received.cancel({ kind: 'budget', message: 'too deep' })).toBe(true);
      await expect.poll(() => shared.token.reason?.message).toBe('too deep');
      expect(source.token.isCancelled).toBe(false);
      if (target === source) await expect.poll(() => source.token.reason?.kind).toBe('budget');
      received.release();
      shared.release();
    }
  });

  it('what is cancelled already arrives so', () => {
    const shared = shareToken(CancellationToken.alreadyCancelled('user'));
    const received = receiveToken(shared.handle);
    expect(received.token.reason?.kind).toBe('user');
    received.release();
    shared.release();
  });

  it('by itself it cancels only the two ends', () => {
    const source = new CancellationTokenSource();
    const shared = shareToken(source.token);
    expect([shared.cancel('user'), shared.cancel('user')]).toEqual([true, false]);
    expect([shared.token.isCancelled, source.token.isCancelled]).toEqual([true, false]);
    shared.release();
  });

  it('gives pools a signal that ends the thread: after the grace, or at a kill', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    const shared = shareToken(source.token, { graceMs: 200 });
    expect(shared.graceSignal).toBe(shared.graceSignal);
    source.cancel('user');
    await clock.advance(199);
    expect(shared.graceSignal.aborted).toBe(false);
    await clock.advance(1);
    expect(shared.graceSignal.aborted).toBe(true);
    shared.release();

    const second = new CancellationTokenSource({ clock });
    using killed = shareToken(second, { graceMs: Infinity });
    second.kill();
    expect(killed.graceSignal.aborted).toBe(true);
  });

  it('is released when the other end is, and leaves nothing on the token', async () => {
    const controller = new AbortController();
    const source = new CancellationTokenSource({ parent: controller.signal });
    const shared = shareToken(source);
    const received = receiveToken(shared.handle);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    received.release();
    await expect.poll(() => getEventListeners(controller.signal, 'abort')).toEqual([]);
    source.cancel('user');
    expect([shared.token.isCancelled, shared.cancel('user')]).toEqual([false, false]);
  });

  it('is cloned as plain data with one port', () => {
    const shared = shareToken(null);
    expect(Object.keys(shared.handle).sort()).toEqual(['desist', 'memory', 'port']);
    expect(shared.transferList).toEqual([shared.handle.port]);
    const copy = structuredClone(shared.handle, { transfer: shared.transferList });
    expect(copy.memory).toBeInstanceOf(SharedArrayBuffer);
    const received = receiveToken(copy);
    expect(received.token.isCancelled).toBe(false);
    received.release();
    shared.release();
  });

  it('refuses what makes no sense', () => {
    expect(() => shareToken(7 as never)).toThrow(TypeError);
    expect(() => shareToken(null, { graceMs: -1 })).toThrow(RangeError);
    expect(() => receiveToken({ desist: 1 } as never)).toThrow(TypeError);
    expect(() => receiveToken({} as never)).toThrow(TypeError);
    expect(() => shareToken(null, { process: {} as never })).toThrow(TypeError);
  });
});

/** The two ends of an IPC channel. */
class FakeProcess extends EventEmitter {
  connected = true;
  other: FakeProcess | undefined;
  send(message: unknown): boolean {
    queueMicrotask(() => this.other?.emit('message', structuredClone(message)));
    return true;
  }
}

function channel() {
  const [parent, child] = [new FakeProcess(), new FakeProcess()];
  parent.other = child;
  child.other = parent;
  return { parent, child };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('shareToken with a process', () => {
  it('works both ways, and leaves no listener', async () => {
    for (const cancelsHere of [true, false]) {
      const { parent, child } = channel();
      const source = new CancellationTokenSource();
      const shared = shareToken(source, { process: parent });
      const received = receiveToken(child);
      if (cancelsHere) source.cancel('user');
      else received.cancel('user');
      await turn();
      expect([received.token.reason?.kind, source.token.reason?.kind]).toEqual(['user', 'user']);
      received.release();
      shared.release();
      expect([parent.eventNames(), child.eventNames()]).toEqual([[], []]);
    }
  });

  it('a child that listens late asks', async () => {
    const { parent, child } = channel();
    const shared = shareToken(CancellationToken.alreadyCancelled('user'), { process: parent });
    await turn();
    const received = receiveToken(child);
    await turn();
    expect(received.token.reason?.kind).toBe('user');
    received.release();
    shared.release();
  });

  it('a parent that goes away cancels the child; a child that goes away cancels nothing', async () => {
    const { parent, child } = channel();
    const source = new CancellationTokenSource();
    shareToken(source, { process: parent });
    const received = receiveToken(child);
    parent.emit('disconnect');
    child.emit('disconnect');
    await turn();
    expect([source.token.isCancelled, received.token.reason?.kind]).toEqual([false, 'disconnect']);
    expect([parent.eventNames(), child.eventNames()]).toEqual([[], []]);
  });
});
