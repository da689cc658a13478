import { execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify, transferableAbortController } from 'node:util';
import { Worker } from 'node:worker_threads';

import { afterEach, describe, expect, it } from 'vitest';

import { runBlocking, shareToken, superviseWorker } from '../../src/adapters/worker/index.ts';
import type { CancelReason } from '../../src/core/foundation/reason.ts';
import { CancellationToken } from '../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { killAll, processesNamed, uniqueSleep } from './support/child-process-watch.ts';
import { withoutCoreMs } from './support/without-core.ts';
import type { RaceBatch, RaceSide } from './support/worker-race.ts';
import { limitMs } from '../support/limit.ts';

const support = (name: string) => join(import.meta.dirname, 'support', name);

function startWorker(how: string, source = new CancellationTokenSource()) {
  const shared = shareToken(source);
  const worker = new Worker(support('worker-loop.ts'), {
    workerData: { how, handle: shared.handle },
    transferList: shared.transferList,
  });
  // From the start: the last message and the exit may come in one tick.
  const exited = once(worker, 'exit');
  return { source, shared, worker, exited };
}

interface Seen {
  readonly at: number;
  readonly withoutCoreMs: number;
  readonly reason: CancelReason;
}

describe('S28 worker', () => {
  it.each(['loop', 'child'])('S28 a CPU-bound %s sees the stop through shared memory within 5 ms', async (how) => {
    const took: number[] = [];
    for (let round = 0; round < 5; round++) {
      const { source, worker, shared, exited } = startWorker(how);
      const [thread] = (await once(worker, 'message')) as [string | undefined];
      await sleep(30);
      const waited = [withoutCoreMs(), withoutCoreMs(thread)] as const;
      const cancelledAt = Date.now();
      source.cancel({ kind: 'user', by: 'ada' });
      const ours = withoutCoreMs() - waited[0];
      const [seen] = (await once(worker, 'message')) as [Seen];
      took.push(seen.at - cancelledAt - ours - (seen.withoutCoreMs - waited[1]));
      expect(seen.reason).toMatchObject({ kind: 'user', by: 'ada' });
      expect(await exited).toEqual([0]);
      shared.release();
    }
    // The middle one: a virtual machine waits for cores of its own, and does not say so.
    expect(took.sort((a, b) => a - b)[2]).toBeLessThanOrEqual(5);
  });

  it('S28 a worker that never checks is terminated after its grace', async () => {
    const { source, worker, shared } = startWorker('deaf');
    const end = superviseWorker(source.token, worker, { graceMs: 200 });
    await once(worker, 'message');
    const [startedAt, waited] = [performance.now(), withoutCoreMs()];
    source.cancel('user');
    expect(await end).toMatchObject({ terminated: true, ended: true, stoppedBy: { kind: 'user' } });
    const ms = performance.now() - startedAt;
    expect(ms).toBeGreaterThanOrEqual(195);
    expect(ms - (withoutCoreMs() - waited)).toBeLessThan(limitMs(700));
    shared.release();
  });

  it('S28 one that heard of the stop is not', async () => {
    const { source, worker, shared } = startWorker('loop');
    const end = superviseWorker(source.token, worker);
    await once(worker, 'message');
    source.cancel('user');
    expect(await end).toMatchObject({ exitCode: 0, terminated: false, ended: true });
    shared.release();
  });

  it('one that waits is woken, its native signal included', async () => {
    const { source, worker, shared, exited } = startWorker('wait');
    await once(worker, 'message');
    source.cancel('user');
    const [seen] = (await once(worker, 'message')) as [Seen];
    expect(seen).toMatchObject({ reason: { kind: 'user' }, signal: true });
    await exited;
    shared.release();
  });

  it('a cancel inside the worker cancels the source here', async () => {
    const { source, worker, shared } = startWorker('cancels');
    expect(await source.token.whenCancelled()).toMatchObject({ kind: 'budget', message: 'deep enough' });
    expect(shared.token.reason).toMatchObject({ kind: 'budget' });
    await worker.terminate();
    shared.release();
  });
});

describe('first reason wins', () => {
  it('in 10,000 seeded races of two threads, and both are told so once', async () => {
    const [batches, size] = [20, 500];
    const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
    console.log(`worker races: seed ${String(seed)}`);
    let state = seed | 1;
    const random = (below: number) => {
      state = Math.imul(state, 48_271) ^ (state >>> 15);
      return (state >>> 0) % below;
    };
    const worker = new Worker(support('worker-race.ts'));
    let wins = 0;
    for (let batch = 0; batch < batches; batch++) {
      const gate = new SharedArrayBuffer(8);
      const words = new Int32Array(gate);
      const own = Array.from({ length: size }, () => {
        const source = new CancellationTokenSource();
        const shared = shareToken(source);
        const heard: string[] = [];
        shared.token.onCancelled(({ message }) => heard.push(message));
        return { source, shared, heard };
      });
      // Enough to be overtaken by a thread that has yet to wake up.
      const mine = own.map(() => random(4000));
      const data: RaceBatch = {
        handles: own.map(({ shared }) => shared.handle),
        delays: own.map(() => random(40)),
        gate,
      };
      worker.postMessage(
        data,
        own.flatMap(({ shared }) => shared.transferList),
      );
      await once(worker, 'message');
      const answer = once(worker, 'message') as Promise<[RaceSide[]]>;
      const sides = own.map(({ source, shared, heard }, round): RaceSide => {
        const init = { kind: 'user', message: `owner ${String(round)}` } as const;
        Atomics.store(words, 0, round + 1);
        Atomics.notify(words, 0);
        for (let i = 0; i < mine[round]!; i++) Atomics.load(words, 0);
        // Through what it came from, too: who won then shows in the reason.
        if (round % 2 === 0) shared.cancel(init);
        else source.cancel(init);
        if (Atomics.wait(words, 1, round, 10_000) === 'timed-out')
          throw new Error(`nobody raced in round ${String(round)}`);
        const reason = shared.token.reason?.message;
        return { won: reason === init.message, reason, heard };
      });
      const [theirs] = await answer;
      sides.forEach((side, round) => {
        const other = theirs[round]!;
        const winner = `${side.won ? 'owner' : 'receiver'} ${String(round)}`;
        if (side.won) wins += 1;
        const seen = [side.reason, other.reason, ...side.heard, ...other.heard, String(other.won)];
        expect(seen, `seed ${String(seed)}, batch ${String(batch)}, race ${String(round)}`).toEqual([
          ...[winner, winner, winner, winner],
          String(!side.won),
        ]);
        expect(own[round]?.source.isCancelled).toBe(true);
      });
      for (const { shared } of own) shared.release();
    }
    await worker.terminate();
    // Both sides won at times, or these were no races.
    expect(wins).toBeGreaterThan(0);
    expect(wins).toBeLessThan(batches * size);
  });
});

describe('a child process over IPC', () => {
  it('hears of a cancel here, and its own reaches us', async () => {
    const source = new CancellationTokenSource();
    const child = fork(support('worker-child.ts'), ['hears']);
    const shared = shareToken(source, { process: child });
    await once(child, 'message');
    source.cancel({ kind: 'user', by: 'ada' });
    const isAnswer = (message: unknown) => typeof message === 'object' && message !== null && 'by' in message;
    const answers: unknown[] = [];
    child.on('message', (message) => isAnswer(message) && answers.push(message));
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(answers).toEqual([{ kind: 'user', by: 'ada' }]);
    shared.release();

    const second = new CancellationTokenSource();
    const canceller = fork(support('worker-child.ts'), ['cancels']);
    shareToken(second, { process: canceller });
    expect(await second.token.whenCancelled()).toMatchObject({ kind: 'budget', message: 'deep enough' });
    canceller.disconnect();
    await once(canceller, 'exit');
  });
});

const blocking = pathToFileURL(support('blocking-module.ts'));
const tags: string[] = [];
function tag(): string {
  const name = uniqueSleep();
  tags.push(name);
  return name;
}
afterEach(() => {
  for (const name of tags.splice(0)) killAll(name);
});

/** Cancels once `isBlocked`, and says how long the call took to end. */
async function stopBlocked(call: (token: CancellationToken) => Promise<unknown>, isBlocked: () => Promise<boolean>) {
  const source = new CancellationTokenSource();
  const running = call(source.token).catch((error: unknown) => error);
  await expect.poll(isBlocked, { timeout: limitMs(10_000) }).toBe(true);
  const [startedAt, waited] = [performance.now(), withoutCoreMs()];
  source.cancel('user');
  const error = await running;
  const ms = performance.now() - startedAt;
  return { error, ms, withCoreMs: ms - (withoutCoreMs() - waited) };
}

/** How often a time is taken; the best counts: what is being stopped needs a core, too. */
const rounds = 5;

function canBind(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

it('a native signal crosses as a transferable one, and is heard of between two tasks only', async () => {
  const controller = transferableAbortController();
  const { signal } = controller;
  expect(structuredClone(new AbortController().signal)).toEqual({});
  const code = `
    const { workerData: signal, parentPort } = require('node:worker_threads');
    parentPort.postMessage('up');
    const until = Date.now() + 300;
    while (Date.now() < until && !signal.aborted);
    parentPort.postMessage(signal.aborted);
    signal.addEventListener('abort', () => parentPort.postMessage('heard'));
    setTimeout(() => undefined, 10_000);`;
  const worker = new Worker(code, { eval: true, workerData: signal, transferList: [signal as never] });
  await once(worker, 'message');
  controller.abort();
  expect(await once(worker, 'message')).toEqual([false]);
  expect(await once(worker, 'message')).toEqual(['heard']);
  await worker.terminate();
});

it.each(['token.isCancelled', 'token.signal.aborted', 'child.signal.aborted'])(
  'in a loop that never yields a cancel is seen by isCancelled alone: %s',
  async (question) => {
    const door = new URL('../../src/adapters/worker/index.ts', import.meta.url).href;
    const code = `
      const { workerData, parentPort } = require('node:worker_threads');
      import(${JSON.stringify(door)}).then(({ receiveToken }) => {
        const { token } = receiveToken(workerData);
        const child = token.child();
        void [token.signal, child.signal];
        parentPort.postMessage('up');
        const end = Date.now() + 500;
        let seen = false;
        while (!seen && Date.now() < end) seen = ${question};
        parentPort.postMessage(seen);
      });`;
    const source = new CancellationTokenSource();
    const { handle, transferList, release } = shareToken(source);
    const worker = new Worker(code, { eval: true, workerData: handle, transferList: transferList as never[] });
    await once(worker, 'message');
    source.cancel('user');
    expect(await once(worker, 'message')).toEqual([question === 'token.isCancelled']);
    await worker.terminate();
    release();
  },
);

it('the commands of a thread that is terminated, or ends, are stopped', async () => {
  const door = new URL('../../src/adapters/child-process/index.ts', import.meta.url).href;
  for (const [end, isTerminated] of [
    ['for (;;);', true],
    ['process.exit(0)', false],
  ] as const) {
    const t = tag();
    const code = `
      import(${JSON.stringify(door)}).then(({ cancellableExec }) => {
        cancellableExec('setsid sleep ${t} & sleep ${t}').then(() => undefined);
        setTimeout(() => { ${end} }, 300);
      });`;
    const source = new CancellationTokenSource();
    const ended = superviseWorker(source.token, new Worker(code, { eval: true }), { graceMs: 100 });
    if (isTerminated) {
      await expect
        .poll(() => processesNamed(`sleep ${t}`).length, { timeout: limitMs(10_000) })
        .toBeGreaterThanOrEqual(3);
      await sleep(400);
      source.cancel('user');
    }
    expect(await ended).toMatchObject({ ended: true, terminated: isTerminated, survivors: [] });
    await expect.poll(() => processesNamed(t)).toEqual([]);
  }
});

describe('the commands of a thread that nobody has told to stop', () => {
  const door = new URL('../../src/adapters/child-process/index.ts', import.meta.url).href;
  const running = (t: string, then = '') => `
    import(${JSON.stringify(door)}).then(({ cancellableExec }) => {
      cancellableExec('setsid sleep ${t} & sleep ${t}').then(() => undefined);
      require('node:worker_threads').parentPort.once('message', () => { ${then} });
    });`;
  const started = (t: string) =>
    expect.poll(() => processesNamed(`sleep ${t}`).length, { timeout: limitMs(10_000) }).toBeGreaterThanOrEqual(3);

  it.each(['terminated by its owner', 'out of memory'])('are stopped when it is %s', async (how) => {
    const t = tag();
    const code = running(t, 'let all; for (;;) all = { all, more: [1, 2, 3] };');
    const worker = new Worker(code, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 64 } });
    worker.on('error', () => undefined);
    const ended = superviseWorker(null, worker);
    await started(t);
    if (how === 'out of memory') worker.postMessage('go');
    else await worker.terminate();
    expect(await ended).toMatchObject({ ended: true, terminated: false, stoppedBy: undefined, survivors: [] });
    expect(processesNamed(t)).toEqual([]);
  });

  it.each([
    ['process.exit(0)', [0, null]] as const,
    ["process.kill(process.pid, 'SIGTERM')", [null, 'SIGTERM']] as const,
  ])('are killed when the program ends first, by %s', async (how, end) => {
    const t = tag();
    const ours = new URL('../../src/adapters/worker/index.ts', import.meta.url).href;
    const program = `
        import { Worker } from 'node:worker_threads';
        const { superviseWorker } = await import(${JSON.stringify(ours)});
        void superviseWorker(null, new Worker(${JSON.stringify(running(t))}, { eval: true, execArgv: [] }));
        process.stdin.once('data', () => ${how});`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    await started(t);
    child.stdin.write('end');
    expect(await once(child, 'exit')).toEqual(end);
    await expect.poll(() => processesNamed(t)).toEqual([]);
  });
});

describe('runBlocking', () => {
  it('gives values and errors', async () => {
    const none = CancellationToken.none;
    expect(await runBlocking(none, blocking, [2, 3])).toBe(5);
    await expect(runBlocking(none, blocking, [], { exportName: 'fail' })).rejects.toEqual(new RangeError('too big'));
    await expect(runBlocking(none, blocking, [], { exportName: 'nothing' })).rejects.toThrow(
      'exports no function nothing',
    );
    await expect(runBlocking(none, blocking, [], { exportName: 'uncopiable' })).rejects.toThrow('cannot be copied');
    await expect(runBlocking(none, blocking, [() => 1])).rejects.toThrow(
      new TypeError('args must be what can be copied: () => 1 could not be cloned.'),
    );
    await expect(runBlocking(none, 'file:///no/such/module.js')).rejects.toThrow('Cannot find module');
  });

  it.each([
    ['throw new DOMException("signal timed out", "TimeoutError")', 'TimeoutError', 'signal timed out'],
    ['throw Object.assign(new Error("no"), { name: "QuotaError" })', 'QuotaError', 'no'],
    ['class Own extends RangeError { get name() { return "Own" } }; throw new Own("x")', 'Own', 'x'],
    ['throw new RangeError("y")', 'RangeError', 'y'],
  ])('gives the name and the message of what is thrown by %s', async (code, name, message) => {
    const module = `data:text/javascript,${encodeURIComponent(`export default () => { ${code} }`)}`;
    const error: unknown = await runBlocking(null, module).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name, message, stack: expect.stringContaining(message) as string });
  });

  it('a thread that the module starts from a text runs as it would without us', async () => {
    expect(await runBlocking(null, blocking, [], { exportName: 'waitForThread' })).toMatch(/^(ok|not-equal) 7$/);
  });

  it('a call that waits for a child: over within 50 ms, the child gone', async () => {
    const took: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const t = tag();
      const { error, withCoreMs } = await stopBlocked(
        (token) => runBlocking(token, blocking, [t], { exportName: 'waitForChild' }),
        () => Promise.resolve(processesNamed(`sleep ${t}`).length > 0),
      );
      expect(error).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
      expect(error).toHaveProperty('abandoned', undefined);
      expect(processesNamed(t)).toEqual([]);
      took.push(withCoreMs);
    }
    expect(Math.min(...took)).toBeLessThan(limitMs(50));
  });

  it('a call whose child was stopped is stopped, whatever its error says, and gives the value it returns all the same', async () => {
    const outlive = (...more: unknown[]) => {
      const t = tag();
      return stopBlocked(
        (token) => runBlocking(token, blocking, [t, ...more], { exportName: 'outliveChild' }),
        () => Promise.resolve(processesNamed(`sleep ${t}`).length > 0),
      );
    };
    expect((await outlive()).error).toMatchObject({
      name: 'AbortError',
      reason: { kind: 'user' },
      abandoned: undefined,
    });
    expect((await outlive(true)).error).toBe('done all the same');
  });

  it('a call that holds a port: over within 50 ms, the port free', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const took: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const { withCoreMs } = await stopBlocked(
        (token) => runBlocking(token, blocking, [port], { exportName: 'holdPort' }),
        async () => !(await canBind(port)),
      );
      expect(await canBind(port)).toBe(true);
      took.push(withCoreMs);
    }
    expect(Math.min(...took)).toBeLessThan(limitMs(50));
  });

  it('a child that will not go is gone after the grace, and nobody queues behind it', async () => {
    const t = tag();
    let next: Promise<unknown> | undefined;
    const { error, ms } = await stopBlocked(
      (token) => {
        const call = runBlocking(token, blocking, [t], { exportName: 'waitForDeafChild', graceMs: 2000 });
        token.onCancelled(() => {
          const startedAt = performance.now();
          next = runBlocking(null, blocking, [1, 2]).then(() => performance.now() - startedAt);
        });
        return call;
      },
      () => Promise.resolve(processesNamed(`sleep ${t}`).length > 1),
    );
    expect(error).toMatchObject({ reason: { kind: 'user' } });
    expect(processesNamed(t)).toEqual([]);
    expect(ms).toBeGreaterThanOrEqual(1990);
    expect(await next).toBeLessThan(limitMs(1500));
  });

  it('a value that lives in one process only is not given', async () => {
    const url = (code: string) => `data:text/javascript,export default () => ${encodeURIComponent(code)}`;
    const shared = runBlocking(null, url('new SharedArrayBuffer(4)'));
    await expect(shared).rejects.toThrow('The answer cannot be copied');
    expect(await runBlocking(null, url("new Blob(['text'])"))).toEqual({});
    const own = "{ throw Object.assign(new RangeError('mine'), { code: 'E_MINE' }) }";
    const error = await runBlocking(null, url(own)).catch((thrown: unknown) => thrown);
    expect(error).toEqual(new RangeError('mine'));
    expect(error).not.toHaveProperty('code');
  });

  it('a daemon that a call has started without an environment is out of reach: the limit that the guide states', async () => {
    const t = tag();
    const code = `async () => {
      const { spawn } = await import('node:child_process');
      spawn('setsid', ['sleep', '${t}'], { env: { PATH: '/bin:/usr/bin' }, stdio: 'ignore', detached: true }).unref();
      await new Promise((resolve) => setTimeout(resolve, 200));
      return 'left';
    }`;
    const module = `data:text/javascript,export default ${encodeURIComponent(code)}`;
    expect(await runBlocking(null, module)).toBe('left');
    expect(processesNamed(t)).toHaveLength(1);
  });

  it('S42 without file descriptors a call fails with the code of the system, and the next one answers', async () => {
    const door = new URL('../../src/adapters/worker/index.ts', import.meta.url).href;
    const program = `
      import { closeSync, openSync } from 'node:fs';
      import { runBlocking } from ${JSON.stringify(door)};
      const call = () => runBlocking(null, 'data:text/javascript,export default () => 7').catch(({ code }) => code);
      const answers = [await call()];
      const files = [];
      try { for (;;) files.push(openSync('/dev/null', 'r')); } catch {}
      answers.push(await call(), await call());
      for (const file of files) closeSync(file);
      answers.push(await call());
      console.log(JSON.stringify(answers));`;
    const limited = ['-c', 'ulimit -n 120; exec "$0" "$@"', process.execPath, '--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)('/bin/sh', limited);
    expect(JSON.parse(stdout)).toEqual([7, 'EMFILE', 'EMFILE', 7]);
  });

  it('what a call leaves running is ended with it', async () => {
    const t = tag();
    expect(await runBlocking(null, blocking, [t], { exportName: 'leaveBackground' })).toBe('left');
    expect(processesNamed(t)).toEqual([]);
  });
});
