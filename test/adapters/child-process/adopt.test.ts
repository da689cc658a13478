import { describe, expect, it, vi } from 'vitest';

import { adopt } from '../../../src/adapters/child-process/adopt.ts';
import { CancellationToken } from '../../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { FakeChild, turns } from './fake-child.ts';

vi.mock('../../../src/adapters/internal/process/tree-host.ts', async (original) => {
  const { hostOfNobody } = await import('./host-of-nobody.ts');
  return hostOfNobody(await original());
});

/** A pid that no Linux hands out by itself: nothing real is ever signalled here. */
const noSuchPid = 2 ** 30;

class FakeNodeChild extends FakeChild {
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
}

describe('adopt', () => {
  it('tells how it ended, without touching its output', async () => {
    const child = new FakeNodeChild(noSuchPid);
    const adopted = adopt(child.asChild);
    expect(adopted.pid).toBe(noSuchPid);
    child.exit(3);
    const result = await adopted;
    expect(result).toMatchObject({ exitCode: 3, signal: null, stoppedBy: undefined, survivors: [], background: [] });
    expect(Object.keys(result)).not.toContain('stdout');
    expect(await adopted.result).toBe(result);
    expect([child.stdin.destroyed, child.stdout.destroyed]).toEqual([false, false]);
  });

  it('stops on a cancel, and closes the pipes for its owner', async () => {
    const child = new FakeNodeChild(noSuchPid);
    const source = new CancellationTokenSource();
    const adopted = adopt(child.asChild, { token: source.token });
    source.cancel('user');
    expect(child.kills).toEqual(['SIGTERM']);
    child.exit(null, 'SIGTERM');
    expect(await adopted).toMatchObject({ signal: 'SIGTERM', stoppedBy: { kind: 'user' } });
    expect(child.stdout.destroyed).toBe(true);
  });

  it('runs already: a token that is cancelled stops it at once', async () => {
    const child = new FakeNodeChild(noSuchPid);
    const adopted = adopt(child.asChild, { token: CancellationToken.alreadyCancelled('user') });
    expect(child.kills).toEqual(['SIGTERM']);
    child.exit(null, 'SIGTERM');
    expect((await adopted).stoppedBy?.kind).toBe('user');
  });

  it('by its own stop, also out of reach of the token', async () => {
    const child = new FakeNodeChild(noSuchPid);
    const source = new CancellationTokenSource();
    const adopted = adopt(child.asChild, { token: source.token, detached: true });
    source.cancel();
    expect(child.kills).toEqual([]);
    const stopped = adopted.stop('shutdown');
    child.exit(null, 'SIGTERM');
    expect((await stopped).stoppedBy?.kind).toBe('shutdown');
  });

  it('that has ended is left alone, whoever has its pid now', async () => {
    const child = new FakeNodeChild(noSuchPid);
    child.exitCode = 0;
    const adopted = adopt(child.asChild, { token: CancellationToken.alreadyCancelled() });
    expect(await adopted).toMatchObject({ exitCode: 0, stoppedBy: undefined });
    expect(child.kills).toEqual([]);
  });

  it('that could not be started rejects with the error of the system, and punishes nobody', async () => {
    const child = new FakeNodeChild();
    child.pid = undefined;
    const adopted = adopt(child.asChild);
    child.emit('error', new Error('ENOENT'));
    await expect(adopted.result).rejects.toThrow('ENOENT');
  });

  it('of a library that starts it later', async () => {
    const child = new FakeNodeChild(noSuchPid);
    const source = new CancellationTokenSource();
    const adopted = adopt({ nodeChildProcess: Promise.resolve(child.asChild) }, { token: source.token });
    expect(adopted.pid).toBeUndefined();
    source.cancel('user');
    await turns();
    expect([adopted.pid, child.kills]).toEqual([noSuchPid, ['SIGTERM']]);
    child.exit(null, 'SIGTERM');
    expect((await adopted.stop()).stoppedBy?.kind).toBe('user');
  });

  it('of a library that cannot start it', async () => {
    const adopted = adopt({ nodeChildProcess: Promise.reject(new Error('ENOENT')) });
    await expect(adopted.stop()).rejects.toThrow('ENOENT');
  });

  it('known by its pid alone ends when nobody has that pid', async () => {
    const clock = new VirtualClock();
    const source = new CancellationTokenSource({ clock });
    let ended = false;
    void adopt({ pid: noSuchPid }, { token: source.token }).result.then(() => (ended = true));
    await clock.advance(0);
    await turns();
    expect(ended).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('refuses what makes no sense, at the call', () => {
    expect(() => adopt({ pid: noSuchPid }, { graceMs: -1 })).toThrow(RangeError);
    expect(() => adopt({ pid: undefined })).toThrow(TypeError);
    expect(() => adopt(null as never)).toThrow(TypeError);
    expect(() => adopt({ pid: noSuchPid }, { token: 1 as never })).toThrow(TypeError);
  });
});
