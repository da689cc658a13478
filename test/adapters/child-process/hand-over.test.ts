import { describe, expect, it } from 'vitest';

import { handOver, takeBack } from '../../../src/adapters/child-process/hand-over.ts';
import type { Releasable } from '../../../src/core/foundation/disposable.ts';
import type { CancelReason } from '../../../src/core/foundation/reason.ts';
import { CancellationToken } from '../../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { turns } from './fake-child.ts';

function fakeSupervisor() {
  const calls: string[] = [];
  const held: Releasable[] = [];
  return {
    calls,
    hold: (...more: Releasable[]) => void held.push(...more),
    stop: (reason: CancelReason) => void calls.push(`stop ${reason.kind}`),
    force: () => void calls.push('force'),
    interrupt: () => void calls.push('interrupt'),
    killNow: () => {
      calls.push('killNow');
      return () => void calls.push('killNewcomers');
    },
    release: () => {
      for (const one of held) one.release();
    },
  };
}

const listeners = () => ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name));

describe('handOver', () => {
  it('stops on a cancel, forces on a kill, and gives everything back', async () => {
    const before = listeners();
    const supervisor = fakeSupervisor();
    const source = new CancellationTokenSource();
    handOver(supervisor, 7, source.token);
    source.cancel('user');
    expect(supervisor.calls).toEqual(['stop user']);
    source.kill();
    expect(supervisor.calls).toEqual(['stop user', 'stop user', 'force']);
    supervisor.release();
    await turns();
    expect(listeners()).toEqual(before);
  });

  it.each([
    ['one that nothing else can stop', CancellationToken.none, ['interrupt']],
    [
      'none that has a token: whoever takes the signal cancels it, or means another',
      new CancellationTokenSource().token,
      [],
    ],
  ])('hands Ctrl+C, where the program decides about it, on to %s', (_which, token, calls) => {
    const supervisor = fakeSupervisor();
    const heard: string[] = [];
    const handler = () => heard.push('program');
    process.on('SIGINT', handler);
    handOver(supervisor, 7, token);
    process.emit('SIGINT');
    expect([supervisor.calls, heard]).toEqual([calls, ['program']]);
    process.off('SIGINT', handler);
    supervisor.release();
  });

  it('a detached one hears of neither, only of the end of our own process', async () => {
    const supervisor = fakeSupervisor();
    const handler = () => undefined;
    process.on('SIGINT', handler);
    await turns();
    const before = listeners();
    handOver(supervisor, 7, undefined);
    process.emit('SIGINT');
    expect(supervisor.calls).toEqual([]);
    supervisor.release();
    await turns();
    expect(listeners()).toEqual(before);
    process.off('SIGINT', handler);
  });
});

describe('takeBack', () => {
  it.each([
    ['ends by itself', { exitCode: 0, signalCode: null }, false, []],
    ['fails by itself', { exitCode: 128, signalCode: null }, false, []],
    ['could not be started', { exitCode: null, signalCode: null }, false, []],
    ['dies of a signal', { exitCode: null, signalCode: 'SIGKILL' as const }, false, ['killed']],
    ['says that a command in it died of a signal', { exitCode: 137, signalCode: null }, false, ['killed']],
    ['was stopped, and ends by itself', { exitCode: 0, signalCode: null }, true, ['killed']],
  ])('takes the terminal back from a command that %s', async (_, child, isStopped, said) => {
    const before = listeners();
    const told: string[] = [];
    const caughtUp = (): Promise<void> => Promise.resolve();
    const loan = { killed: () => void told.push('killed'), release: () => void told.push('release'), caughtUp };
    takeBack(loan, child, { isStopped }).release();
    expect(told).toEqual([...said, 'release']);
    takeBack({ release: () => undefined, caughtUp }, child, { isStopped }).release(); // that of another copy may say less
    await turns();
    expect(listeners()).toEqual(before);
  });
});
