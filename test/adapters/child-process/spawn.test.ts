import childProcess, { spawn, type execFile } from 'node:child_process';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { CancellableSpawnOptions } from '../../../src/adapters/child-process/options.ts';
import { cancellableExec, cancellableSpawn } from '../../../src/adapters/child-process/spawn.ts';
import { noteTerminal } from '../../../src/adapters/internal/keyboard/watched-terminals.ts';
import type { Releasable } from '../../../src/core/foundation/disposable.ts';
import { createReason } from '../../../src/core/foundation/reason.ts';
import { CancellationToken } from '../../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { FakeChild, turns } from './fake-child.ts';

vi.mock('node:child_process', async (original) => ({ ...(await original()), spawn: vi.fn() }));

vi.mock('../../../src/adapters/internal/process/tree-host.ts', async (original) => {
  const { hostOfNobody } = await import('./host-of-nobody.ts');
  return hostOfNobody(await original());
});

const spawned = vi.mocked(spawn);

/** A pid that no Linux hands out by itself: nothing real is ever signalled here. */
const noSuchPid = 2 ** 30;

function nextChild(): FakeChild {
  const child = new FakeChild(noSuchPid);
  spawned.mockReturnValueOnce(child.asChild);
  return child;
}

function finish(child: FakeChild, code = 0): void {
  child.exit(code);
  child.close();
}

afterEach(() => spawned.mockReset());

describe('what is started', () => {
  it('a command with its arguments, at the head of its own group, without an input', async () => {
    const child = nextChild();
    const run = cancellableSpawn('git', ['commit'], { cwd: '/tmp', env: { HOME: '/' } });
    expect(spawned.mock.calls[0]?.slice(0, 2)).toEqual(['git', ['commit']]);
    expect(spawned.mock.calls[0]?.[2]).toMatchObject({
      cwd: '/tmp',
      detached: true,
      env: { HOME: '/', GIT_EDITOR: 'true', GIT_TERMINAL_PROMPT: '0', PAGER: 'cat' },
    });
    const { stdio } = spawned.mock.calls[0]?.[2] as { stdio: unknown[] };
    expect(stdio.slice(0, 4)).toEqual(['ignore', 'pipe', 'pipe', 'pipe']); // what follows the third is the run's own
    finish(child);
    await run;
  });

  it('each run with a marker of its own', async () => {
    const markers = [1, 2].map(() => {
      const child = nextChild();
      cancellableSpawn('true');
      finish(child);
      return spawned.mock.lastCall?.[2].env?.['DESIST_RUN']?.split(',').at(-1);
    });
    expect(markers[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(markers[0]).not.toBe(markers[1]);
  });

  it('takes options in the place of arguments', async () => {
    const child = nextChild();
    cancellableSpawn('git', { cwd: '/tmp' });
    expect(spawned.mock.calls[0]?.[1]).toEqual([]);
    expect(spawned.mock.calls[0]?.[2]).toMatchObject({ cwd: '/tmp' });
    finish(child);
  });

  it('a command line in a shell', async () => {
    finishing(() => cancellableExec('a | b'));
    finishing(() => cancellableExec('a | b', { shell: '/bin/bash' }));
    expect(spawned.mock.calls.map(([line, args, options]) => [line, args, options.shell])).toEqual([
      ['a | b', [], true],
      ['a | b', [], '/bin/bash'],
    ]);
  });

  function finishing(start: () => unknown): void {
    const child = nextChild();
    start();
    finish(child);
  }
});

describe('the handle', () => {
  it('shows the child while it runs and is awaited for the result', async () => {
    const child = nextChild();
    const run = cancellableSpawn('true');
    expect([run.child, run.pid]).toEqual([child, noSuchPid]);
    expect([run.stdin, run.stdout, run.stderr]).toEqual([child.stdin, child.stdout, child.stderr]);
    finish(child, 7);
    expect((await run).exitCode).toBe(7);
    expect(await run.result).toBe(await run);
  });
});

describe('a token that is cancelled already', () => {
  it.each(['token', 'signal'])('starts nothing and rejects with the error of that cancel (%s)', async (kind) => {
    const token = CancellationToken.alreadyCancelled(createReason({ kind: 'user', message: 'no more' }));
    const run = cancellableSpawn('true', { token: kind === 'token' ? token : token.signal });
    expect(spawned).not.toHaveBeenCalled();
    expect([run.child, run.pid, run.stdin, run.stdout, run.stderr]).toEqual([undefined, undefined, null, null, null]);
    const error: unknown = await run.result.catch((e: unknown) => e);
    expect(error).toBe(token.signal.reason);
    expect(error).toMatchObject({ name: 'AbortError', reason: { kind: 'user', message: 'no more' } });
  });

  it('crashes nobody who does not ask for the result', async () => {
    cancellableSpawn('true', { token: AbortSignal.abort() });
    await turns();
    expect(spawned).not.toHaveBeenCalled();
  });

  it('comes after a mistake in the options', () => {
    const token = CancellationToken.alreadyCancelled();
    expect(() => cancellableSpawn('true', { token, graceMs: -1 })).toThrow(RangeError);
  });
});

describe('a start that fails', () => {
  it('is data, also where Node throws', async () => {
    const failure = Object.assign(new Error('spawn E2BIG'), { code: 'E2BIG', syscall: 'spawn' });
    spawned.mockImplementationOnce(() => {
      throw failure;
    });
    await expect(cancellableSpawn('true').result).rejects.toBe(failure);
  });

  it('rejects with the error of the system and leaves nothing on the token', async () => {
    const child = nextChild();
    child.pid = undefined;
    const source = new CancellationTokenSource();
    const run = cancellableSpawn('nope', { token: source.token });
    const failure = Object.assign(new Error('spawn nope ENOENT'), { code: 'ENOENT' });
    child.emit('error', failure);
    await expect(run.result).rejects.toBe(failure);
    expect(run.pid).toBeUndefined();
    source.cancel();
    expect(child.kills).toEqual([]);
  });

  it.each([
    ['', 'command must be a string with something in it, got ""'],
    [7, 'command must be a string with something in it, got 7'],
  ])('is a mistake of the caller for command %j', (command, message) => {
    expect(() => cancellableSpawn(command as string)).toThrow(new TypeError(message));
  });

  it('is a mistake of the caller for arguments that Node refuses', () => {
    spawned.mockImplementationOnce(() => {
      throw new TypeError('The "args[0]" argument must be a string');
    });
    expect(() => cancellableSpawn('true', [7 as never])).toThrow(TypeError);
  });

  it.each<[string, unknown[], string]>([
    ['a text for a list', ['echo', 'text'], 'args must be an array, got "text"'],
    ['a number for a list', ['echo', 5], 'args must be an array, got 5'],
    ['a set for a list', ['echo', new Set(['a'])], 'args must be an array'],
    ['a text for a list, before options', ['echo', 'text', {}], 'args must be an array, got "text"'],
    ['options for a list, before options', ['echo', {}, {}], 'args must be an array'],
    ['no options', ['echo', [], null], 'options must be an object, got null'],
    ['an environment that is none', ['echo', { env: 5 }], 'env must be an object, got 5'],
  ])('starts nothing with %s', (_, given, message) => {
    const call = () => cancellableSpawn(...(given as [string]));
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });

  it('takes no arguments for what Node takes for none', async () => {
    const token = CancellationToken.alreadyCancelled('user');
    for (const none of [null, undefined]) {
      await expect(cancellableSpawn('echo', none as never, { token }).result).rejects.toThrow('User cancelled');
    }
  });

  it('refuses what is no token', () => {
    expect(() => cancellableSpawn('true', { token: {} as never })).toThrow(TypeError);
  });
});

describe('out of reach of the turn', () => {
  it('neither a cancel nor a kill of the token reaches it, but its own stop does', async () => {
    const child = nextChild();
    const source = new CancellationTokenSource();
    const run = cancellableSpawn('vite', { token: source.token, detached: true });
    source.kill('user');
    expect(child.kills).toEqual([]);
    const stopped = run.stop('shutdown');
    expect(child.kills).toEqual(['SIGTERM']);
    finish(child);
    expect(await stopped).toMatchObject({ stoppedBy: { kind: 'shutdown' } });
  });

  it('is not started by a turn that is over', async () => {
    const run = cancellableSpawn('vite', { token: AbortSignal.abort(), detached: true });
    expect(spawned).not.toHaveBeenCalled();
    await expect(run.stop()).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('on Windows', () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform')!;
  type Heard = (error: Error | null, stdout: string, stderr: string) => void;
  const none = undefined as unknown as ReturnType<typeof execFile>;
  beforeEach(() => void Object.defineProperty(process, 'platform', { ...platform, value: 'win32' }));
  afterEach(() => {
    Object.defineProperty(process, 'platform', platform);
    killed.mockReset();
  });
  const killed = vi.spyOn(childProcess, 'execFile');
  const atOnce = vi.spyOn(childProcess, 'spawnSync');

  it('it is started without a group and without a window, and stopped by taskkill, which nobody waits for', async () => {
    const child = nextChild();
    killed.mockReturnValue(none);
    const source = new CancellationTokenSource();
    const run = cancellableSpawn('tool.exe', { token: source.token });
    expect(spawned.mock.calls[0]?.[2]).toMatchObject({ detached: false, windowsHide: true });
    source.cancel('user');
    expect(killed.mock.calls.map(([file, args]) => [file, args])).toEqual([
      ['C:\\Windows\\System32\\taskkill.exe', ['/PID', String(noSuchPid), '/T', '/F']],
    ]);
    expect([child.kills, atOnce.mock.calls]).toEqual([[], []]);
    (killed.mock.calls[0]?.at(-1) as Heard)(null, '', '');
    finish(child, 1);
    expect(await run).toMatchObject({ exitCode: 1, stoppedBy: { kind: 'user' }, survivors: [] });
  });

  it('without a taskkill at least the process itself is ended', async () => {
    const child = nextChild();
    const ended = vi.spyOn(process, 'kill').mockReturnValue(true);
    killed.mockReturnValue(none);
    const run = cancellableSpawn('tool.exe');
    void run.stop();
    (killed.mock.calls[0]?.at(-1) as Heard)(Object.assign(new Error('no'), { code: 'ENOENT' }), '', '');
    await turns();
    expect(ended.mock.calls).toContainEqual([noSuchPid, 'SIGKILL']);
    ended.mockRestore();
    finish(child, 1);
    await run;
    await turns(); // its listeners are gone
  });
});

describe('the token', () => {
  it('stops the run on a cancel; nothing stays on the process', async () => {
    const before = ['exit', 'SIGTERM', 'SIGINT'].map((name) => process.listenerCount(name));
    const child = nextChild();
    const source = new CancellationTokenSource();
    const run = cancellableSpawn('true', { token: source.token });
    expect(process.listenerCount('exit')).toBe((before[0] ?? 0) + 1);
    source.cancel('user');
    // The pid is nobody's, so the signal goes through Node.
    expect(child.kills).toEqual(['SIGTERM']);
    child.exit(null, 'SIGTERM');
    child.close();
    expect(await run).toMatchObject({ signal: 'SIGTERM', stoppedBy: { kind: 'user' } });
    await turns();
    expect(['exit', 'SIGTERM', 'SIGINT'].map((name) => process.listenerCount(name))).toEqual(before);
  });

  it('a kill goes straight to SIGKILL', async () => {
    const child = nextChild();
    const source = new CancellationTokenSource();
    const run = cancellableSpawn('true', { token: source.token });
    source.kill('shutdown');
    expect(child.kills).toEqual(['SIGTERM', 'SIGKILL']);
    child.exit(null, 'SIGKILL');
    child.close();
    expect((await run).stoppedBy?.kind).toBe('shutdown');
  });

  it('a kill during the grace ends the grace', async () => {
    const child = nextChild();
    const source = new CancellationTokenSource();
    const run = cancellableSpawn('true', { token: source.token });
    source.cancel('user');
    source.kill('shutdown');
    expect(child.kills).toEqual(['SIGTERM', 'SIGKILL']);
    child.exit(null, 'SIGKILL');
    child.close();
    expect((await run).stoppedBy?.kind).toBe('user');
  });
});

describe('a watched terminal that the command inherits', () => {
  const lent: string[] = [];
  let beforeLoan: (() => void) | undefined;
  let caughtUp: Promise<void>;
  let noted: Releasable;
  beforeEach(() => {
    lent.length = 0;
    beforeLoan = undefined;
    caughtUp = Promise.resolve();
    noted = noteTerminal({
      descriptor: 0,
      degraded: undefined,
      handOver: () => {
        beforeLoan?.();
        lent.push(`lent, ${String(spawned.mock.calls.length)} started`);
        return { release: () => void lent.push('back'), caughtUp: () => caughtUp };
      },
    });
  });
  afterEach(() => {
    noted.release();
  });

  const startedWith = (): unknown => spawned.mock.lastCall?.[2].detached;

  it('is lent before the start and in our own session, until the run is settled', async () => {
    const child = nextChild();
    const run = cancellableSpawn('vim', { stdio: 'inherit' });
    expect([lent, startedWith()]).toEqual([['lent, 0 started'], false]);
    child.exit(0);
    await turns();
    expect(lent).toEqual(['lent, 0 started']); // its output may still be coming
    child.close();
    await run;
    expect(lent).toEqual(['lent, 0 started', 'back']);
  });

  it('is ours before the result is there: an ESC after it is no key of the program', async () => {
    const child = nextChild();
    let resolve = (): void => undefined;
    caughtUp = new Promise((resolved) => {
      resolve = resolved;
    });
    const seen: string[] = [];
    const run = cancellableSpawn('vim', { stdio: 'inherit' });
    void run.result.then(() => seen.push('result'));
    child.exit(0);
    child.close();
    await turns();
    expect([lent, seen]).toEqual([['lent, 0 started', 'back'], []]);
    resolve();
    await run;
    expect(seen).toEqual(['result']);
  });

  it('comes back from one that is stopped, and from one that ignores it', async () => {
    const child = nextChild();
    const clock = new VirtualClock();
    const { token } = new CancellationTokenSource({ clock });
    const run = cancellableSpawn('vim', { stdio: ['inherit', 'pipe', 'pipe'], token });
    const end = run.stop('user');
    await clock.advance(5000);
    await end;
    expect([child.kills.at(-1), lent.at(-1)]).toEqual(['SIGKILL', 'back']); // it has never exited
  });

  it('comes back where the start fails, now or later', async () => {
    const failure = Object.assign(new Error('spawn E2BIG'), { code: 'E2BIG', syscall: 'spawn' });
    spawned.mockImplementationOnce(() => {
      throw failure;
    });
    await expect(cancellableSpawn('vim', { stdio: 'inherit' }).result).rejects.toBe(failure);
    expect(lent.splice(0)).toEqual(['lent, 0 started', 'back']);
    spawned.mockImplementationOnce(() => {
      throw new TypeError('bad option');
    });
    expect(() => cancellableSpawn('vim', { stdio: 'inherit' })).toThrow('bad option');
    expect(lent.splice(0)).toEqual(['lent, 1 started', 'back']);
    const child = nextChild();
    child.pid = undefined;
    const run = cancellableSpawn('vim', { stdio: 'inherit' });
    child.emit('error', failure);
    await expect(run.result).rejects.toBe(failure);
    expect(lent).toEqual(['lent, 2 started', 'back']);
  });

  it('comes back at once where the keys that were waited for have cancelled, and is never lent where they had before', async () => {
    const source = new CancellationTokenSource();
    beforeLoan = () => source.cancel('user');
    const options = { stdio: 'inherit', token: source.token } as const;
    await expect(cancellableSpawn('vim', options).result).rejects.toThrow('User cancelled');
    expect(lent.splice(0)).toEqual(['lent, 0 started', 'back']);
    await expect(cancellableSpawn('vim', options).result).rejects.toThrow('User cancelled');
    expect([lent, spawned.mock.calls]).toEqual([[], []]);
  });

  it.each<[string, CancellableSpawnOptions]>([
    ['another input', { stdio: ['ignore', 'inherit', 'inherit'] }],
    ['no input at all', {}],
    ['a server', { stdio: 'inherit', detached: true }],
  ])('is not lent for %s', async (_name, options) => {
    const child = nextChild();
    const run = cancellableSpawn('vim', options);
    expect([lent, startedWith()]).toEqual([[], true]);
    finish(child);
    await run;
  });

  it('is as ever where nobody watches', async () => {
    noted.release();
    const child = nextChild();
    const run = cancellableSpawn('vim', { stdio: 'inherit' });
    expect([lent, startedWith()]).toEqual([[], true]);
    finish(child);
    await run;
  });
});

describe('the guardian', () => {
  it('is off unless it is asked for, also for a run that was never started', async () => {
    const child = nextChild();
    const run = cancellableSpawn('true');
    expect([run.guardian.state, run.guardian.unavailable]).toEqual(['off', undefined]);
    finish(child);
    await run;
    const source = new CancellationTokenSource();
    source.cancel();
    expect(cancellableSpawn('true', { token: source.token, guardian: true }).guardian.state).toBe('off');
  });

  it('says why it is not there: on another system, or without a helper process', async () => {
    const platform = Object.getOwnPropertyDescriptor(process, 'platform')!;
    Object.defineProperty(process, 'platform', { ...platform, value: 'freebsd' });
    try {
      const child = nextChild();
      const run = cancellableSpawn('true', { guardian: true });
      expect([run.guardian.state, run.guardian.unavailable?.reason]).toEqual(['unavailable', 'not-linux']);
      finish(child);
      await run;
    } finally {
      Object.defineProperty(process, 'platform', platform);
    }
  });

  it.runIf(process.platform === 'linux')('says that its helper process could not be started', async () => {
    const helper = vi.spyOn(childProcess, 'spawn').mockImplementationOnce(() => {
      throw new Error('spawn EMFILE');
    });
    const child = nextChild();
    const run = cancellableSpawn('true', { guardian: true });
    helper.mockRestore();
    expect([run.guardian.state, run.guardian.unavailable?.message]).toEqual([
      'unavailable',
      'nothing is guarded: the helper process could not be started: Error: spawn EMFILE',
    ]);
    finish(child);
    await run;
  });
});
