import childProcess from 'node:child_process';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { hostFamily } from '../../../src/adapters/internal/process/tree-host.ts';
import type { StoppableFamily } from '../../../src/adapters/internal/process/process-table.ts';
import { runInProcess, type BlockingCall } from '../../../src/adapters/worker/blocking-process.ts';
import { tokenOf } from '../../../src/core/token/bridge/linked-tokens.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { FakeChild, turns } from '../child-process/fake-child.ts';
import { eventually } from '../../support/eventually.ts';

// A table of nobody's, whatever else runs on the machine: one with too many processes is read later.
vi.mock('../../../src/adapters/internal/process/tree-host.ts', async (original) => {
  const host = await original<typeof import('../../../src/adapters/internal/process/tree-host.ts')>();
  const { FakeTable } = await import('../internal/process/process-table-fake.ts');
  const family: typeof host.hostFamily = (pid, marker) => host.hostFamily(pid, marker, new FakeTable());
  return { ...host, hostFamily: vi.fn(family) };
});

const spawned = vi.spyOn(childProcess, 'spawn');
const answerKey = 'desist.answer';

/** A pid that no Linux hands out by itself: nothing real is ever signalled here. */
class FakeIpcChild extends FakeChild {
  connected = true;
  readonly sent: unknown[] = [];
  send(message: unknown): boolean {
    this.sent.push(message);
    return true;
  }
  disconnect(): void {
    this.connected = false;
  }
}

function setUp(child: FakeIpcChild = new FakeIpcChild(2 ** 30)) {
  spawned.mockReturnValueOnce(child.asChild);
  const source = new CancellationTokenSource();
  const call: BlockingCall = {
    token: tokenOf(source.token),
    url: 'file:///tool.js',
    args: [1],
    exportName: 'default',
    graceMs: 50,
  };
  return { child, source, call, end: () => runInProcess(call) };
}

afterEach(() => spawned.mockReset());

describe('the process of a blocking call', () => {
  it('heads a group of its own, carries a marker, and is told what to do', async () => {
    const { child, call, end } = setUp();
    const before = process.listenerCount('exit');
    const running = end();
    expect(spawned.mock.calls[0]?.[2]).toMatchObject({ detached: true, serialization: 'advanced' });
    expect(spawned.mock.calls[0]?.[2].env?.['DESIST_RUN']).toMatch(/[0-9a-f]{16}$/);
    expect(child.sent).toEqual([{ url: call.url, exportName: 'default', args: [1] }]);
    child.emit('message', 'something the module says itself');
    child.emit('message', { [answerKey]: { value: 5 } });
    child.exit(0);
    expect(await running).toBe(5);
    expect([child.connected, child.listenerCount('message'), child.listenerCount('exit')]).toEqual([false, 0, 0]);
    expect(process.listenerCount('exit')).toBe(before);
  });

  it.each([
    ['', /^[0-9a-f]{16}$/],
    ['outer', /^outer,[0-9a-f]{16}$/],
  ])('carries the marker of the run around it, too: %o', async (outer, marked) => {
    vi.stubEnv('DESIST_RUN', outer);
    const { child, end } = setUp();
    const running = end();
    expect(spawned.mock.calls[0]?.[2].env?.['DESIST_RUN']).toMatch(marked);
    child.emit('message', { [answerKey]: { value: 1 } });
    child.exit(0);
    await running;
    vi.unstubAllEnvs();
  });

  it('is not waited for longer than its last words, once it has answered', async () => {
    const { child, end } = setUp();
    const running = end();
    child.emit('message', { [answerKey]: { value: undefined } });
    await eventually(() => expect(child.kills).toEqual(['SIGKILL']));
    child.exit(null, 'SIGKILL');
    expect(await running).toBeUndefined();
  });

  it('gives what the function threw', async () => {
    const { child, end } = setUp();
    const running = end();
    child.emit('message', { [answerKey]: { error: new RangeError('too big') } });
    child.exit(0);
    await expect(running).rejects.toEqual(new RangeError('too big'));
  });

  it('that ends without an answer has failed', async () => {
    const { child, end } = setUp();
    const running = end();
    child.exit(9);
    await expect(running).rejects.toThrow('ended without an answer: exit code 9');
  });

  it('that cannot be started has failed', async () => {
    const child = new FakeIpcChild(undefined);
    child.pid = undefined;
    const { end } = setUp(child);
    const running = end();
    child.emit('error', new Error('EAGAIN'));
    await expect(running).rejects.toThrow('EAGAIN');
  });

  it('cannot be given what cannot be copied', async () => {
    const { child, end } = setUp();
    child.send = () => {
      throw new TypeError('could not be cloned');
    };
    const running = end();
    child.exit(null, 'SIGKILL');
    await expect(running).rejects.toThrow(new TypeError('args must be what can be copied: could not be cloned'));
  });

  it('is told to end by a cancel, and forced by a kill', async () => {
    const { child, source, end } = setUp();
    const running = end();
    source.cancel('user');
    expect(child.kills).toEqual(['SIGTERM']);
    source.kill();
    expect(child.kills).toEqual(['SIGTERM', 'SIGKILL']);
    child.exit(null, 'SIGKILL');
    await expect(running).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
  });

  it('that has answered is not cancelled any more', async () => {
    const { child, source, end } = setUp();
    const running = end();
    child.emit('message', { [answerKey]: { value: 'kept' } });
    source.cancel('user');
    child.exit(0);
    await turns();
    expect(await running).toBe('kept');
  });

  it('waits for the last message, which may come after the exit', async () => {
    const { child, end } = setUp();
    const running = end();
    child.exit(0);
    await turns();
    child.emit('message', { [answerKey]: { value: 'late' } });
    child.connected = false;
    child.emit('disconnect');
    expect(await running).toBe('late');
  });

  it('fails when the channel is closed without an answer', async () => {
    const { child, end } = setUp();
    const running = end().catch((error: unknown) => error);
    child.exit(3);
    await turns();
    child.connected = false;
    child.emit('disconnect');
    expect(await running).toMatchObject({ message: 'The process of the call ended without an answer: exit code 3' });
  });

  it('does not wait for ever for a channel that somebody else holds', async () => {
    const { child, source, call } = setUp();
    const clock = new VirtualClock();
    const limited = new CancellationTokenSource({ parent: source.token, clock });
    const running = runInProcess({ ...call, token: tokenOf(limited.token) }).catch((error: unknown) => error);
    child.exit(3);
    await turns();
    await clock.advance(1000);
    await turns();
    await clock.advance(10);
    expect(await running).toMatchObject({ message: 'The process of the call ended without an answer: exit code 3' });
    expect(clock.pending).toBe(0);
  });

  it('names who could not be ended, and lets go of them', async () => {
    const { child, source, call } = setUp();
    const clock = new VirtualClock();
    const limited = new CancellationTokenSource({ parent: source.token, clock });
    const stuck = [{ pid: 2 ** 30, startTime: 0 }];
    const family = {
      look: () => Promise.resolve({ alive: stuck, isSure: true }),
      hasKnownAlive: () => true,
      signal: () => 'all',
      leaderReaped: () => undefined,
      describe: () => [{ pid: 2 ** 30, command: 'dd' }],
    };
    vi.mocked(hostFamily).mockReturnValueOnce(family as unknown as StoppableFamily);
    const running = runInProcess({ ...call, token: tokenOf(limited.token) }).catch((error: unknown) => error);
    source.cancel('user');
    await clock.advance(call.graceMs + 1000);
    expect(await running).toMatchObject({
      name: 'AbortError',
      reason: { kind: 'user' },
      abandoned: { name: `dd (${String(2 ** 30)})` },
    });
    expect([child.connected, child.listenerCount('exit'), clock.pending]).toEqual([false, 0, 0]);
  });
});
