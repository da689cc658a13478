/** A server's end, by real signals to a real process. S33. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';

import { redisBackend } from '../../src/adapters/redis/index.ts';
import { openStopBus } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { hasRedis, startRedis } from '../support/engines/redis.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Server {
  readonly child: ChildProcess;
  /** Resolves when it has printed this line. */
  said(line: string): Promise<void>;
  /** Its code, its signal, and all that it printed. */
  readonly ended: Promise<{ code: number | null; signal: string | null; text: string }>;
}

/** A program with `sessions` and `drainOnSignals` in hand; `ready` is printed when it has run. */
function serve(code: string): Server {
  const program = `
    import { delay } from './src/index.ts';
    import { drainOnSignals } from './src/adapters/process-signals/index.ts';
    import { cancellableSpawn } from './src/adapters/child-process/index.ts';
    import { SessionRegistry } from './src/sessions/index.ts';
    const sessions = new SessionRegistry();
    const say = (line: string) => process.stdout.write(line + '\\n');
    ${code}
    say('ready');`;
  const args = ['--input-type=module-typescript', '--disable-warning=ExperimentalWarning', '--eval', program];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
    text,
  }));
  const said = (line: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (text.split('\n').includes(line)) resolve();
      };
      child.stdout.on('data', look);
      void ended.then(() => {
        reject(new Error(`ended without ${line}: ${text}`));
      });
      look();
    });
  return { child, said, ended };
}

describe('drainOnSignals', () => {
  it('S33 fifty runs, SIGTERM: each reaches its limit, all are reported with kind shutdown, the code says so', async () => {
    const server = serve(`
      for (let i = 0; i < 50; i++) sessions.open('run-' + i).controller.runTurn(({ token }) => delay(token, 60_000));
      drainOnSignals(sessions, {
        timeoutMs: 300,
        onSignal: () => {
          try { sessions.open('late'); } catch (error) { say('refused: ' + String(error)); }
        },
        onDrained: ({ report }) => {
          const kinds = new Set(report!.stopped.map(({ report }) => report.reason?.kind));
          say(report!.stopped.length + ' ' + [...kinds].join());
        },
      });`);
    await server.said('ready');
    const startedAt = performance.now();
    server.child.kill('SIGTERM');
    const { signal, text } = await server.ended;
    expect(performance.now() - startedAt).toBeGreaterThan(290);
    expect(text).toContain('refused: ');
    expect([signal, text.trim().split('\n').at(-1)]).toEqual(['SIGTERM', '50 shutdown']);
  });

  it('S33 runs that end by themselves: exit code 0, though a timer of the program is left', async () => {
    const server = serve(`
      setInterval(() => {}, 1000);
      sessions.open('a').controller.runTurn(() => new Promise((resolve) => setTimeout(resolve, 200)));
      drainOnSignals(sessions);`);
    await server.said('ready');
    server.child.kill('SIGINT');
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
  });

  it.each(["sessions.close('a')", "controller.cancel('user')"])(
    'S33 work that was left behind after %s: the drain names it, and the code says so',
    async (end) => {
      const server = serve(`
      const { controller } = sessions.open('a', { graceMs: 200 });
      controller.runTurn(() => new Promise((resolve) => setTimeout(resolve, 60_000)));
      drainOnSignals(sessions, {
        onDrained: ({ report }) => say(report!.finished.length + ' left ' + report!.stopped[0]?.report.abandoned.join()),
      });
      void ${end};
      process.kill(process.pid, 'SIGTERM');`);
      const { signal, text } = await server.ended;
      expect([signal, text.trim().split('\n').at(-1)]).toEqual(['SIGTERM', '0 left a']);
    },
  );

  it('S33 two registries: the one whose runs take longer is drained as well', async () => {
    const server = serve(`
      const jobs = new SessionRegistry();
      const run = (registry: SessionRegistry, ms: number) =>
        registry.open('takes ' + ms).controller.runTurn(() => delay(null, ms));
      run(sessions, 600);
      run(jobs, 100);
      for (const registry of [sessions, jobs])
        drainOnSignals(registry, { onDrained: ({ report }) => say('finished ' + report!.finished.join()) });`);
    await server.said('ready');
    server.child.kill('SIGTERM');
    const { code, text } = await server.ended;
    expect([code, text.trim().split('\n').slice(-2)]).toEqual([0, ['finished takes 100', 'finished takes 600']]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'a program that takes %s once, before a command of it runs, may save',
    async (signal) => {
      const server = serve(`
      process.once('${signal}', () => {
        say('saving');
        setTimeout(() => { say('saved'); process.exit(0); }, 100);
      });
      void cancellableSpawn('sleep', ['60']);`);
      await server.said('ready');
      server.child.kill(signal);
      const { code, text } = await server.ended;
      expect([code, text.trim().split('\n').slice(-2)]).toEqual([0, ['saving', 'saved']]);
    },
  );

  it('a drain is finished though nothing else holds the process open', async () => {
    const server = serve(`
      sessions.open('a').controller.runTurn(() => new Promise((resolve) => setTimeout(resolve, 300).unref()));
      setTimeout(() => {}, 100_000).unref();
      const holding = setInterval(() => {}, 1000);
      drainOnSignals(sessions, {
        onSignal: () => clearInterval(holding),
        onDrained: ({ report }) => say('finished ' + report!.finished.join()),
      });`);
    await server.said('ready');
    server.child.kill('SIGHUP');
    const { code, text } = await server.ended;
    expect([code, text.trim().split('\n').at(-1)]).toEqual([0, 'finished a']);
  });

  it('a second signal kills what is deaf, and a command of the server is gone with it', async () => {
    const server = serve(`
      sessions.open('deaf', { graceMs: 60_000 }).controller.runTurn(() => new Promise(() => {}));
      sessions.open('shell', { graceMs: 60_000 }).controller.runTurn(async ({ token }) => {
        const command = cancellableSpawn('sh', ['-c', 'trap "" TERM; echo deaf; while :; do sleep 1; done'], { token, graceMs: 60_000 });
        say('pid ' + command.pid);
        await command;
      });
      drainOnSignals(sessions, { timeoutMs: 0, onDrained: ({ wasKilled }) => say('killed ' + wasKilled) });`);
    await server.said('ready');
    server.child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 400));
    server.child.kill('SIGTERM');
    const { signal, text } = await server.ended;
    expect([signal, text]).toEqual(['SIGTERM', expect.stringContaining('killed true') as string]);
    const pid = Number(/pid (\d+)/.exec(text)?.[1]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it.skipIf(!hasRedis())(
    'S33 the stops of a drained server are told to another process, which may open the session again',
    async () => {
      const engine = await startRedis();
      onTestFinished(() => engine.stop());
      const client = new Redis({ port: engine.port });
      onTestFinished(() => void client.disconnect());
      const bus = await openStopBus(redisBackend({ client }));
      onTestFinished(() => bus.close());
      const here = new SessionRegistry({ bus });
      const server = serve(`
        const { Redis } = await import('ioredis');
        const { redisBackend } = await import('./src/adapters/redis/index.ts');
        const { openStopBus } = await import('./src/remote/index.ts');
        const client = new Redis({ port: ${String(engine.port)} });
        const bus = await openStopBus(redisBackend({ client }));
        const hosted = new SessionRegistry({ bus });
        for (const id of ['polite', 'asked', 'cut']) {
          const session = hosted.open(id);
          await session.ready();
          session.controller.runTurn(({ token }) => delay(token, id === 'polite' ? 100 : 60_000));
        }
        process.once('SIGTERM', () => say('draining'));
        drainOnSignals(hosted, {
          timeoutMs: 1_000,
          onDrained: async ({ report }) => {
            await bus.close();
            client.disconnect();
            say(report!.stopped.map(({ sessionId, report }) => sessionId + ' ' + report.reason?.kind).join());
          },
        });`);
      await server.said('ready');
      expect((await bus.look('cut')).state).toBe('open');
      server.child.kill('SIGTERM');
      await server.said('draining');
      const asked = here.cancel('asked', 'me too', { wait: 'settled', timeoutMs: 10_000 });
      const { signal, text } = await server.ended;
      expect([signal, text.trim().split('\n').at(-1)]).toEqual(['SIGTERM', 'asked unknown,cut shutdown']);
      expect(await asked).toMatchObject({ status: 'settled' });
      // Nobody waits for the lease of a process that has ended in good order.
      for (const id of ['polite', 'asked', 'cut']) expect((await bus.look(id)).state).toBe('closed');
      const session = here.open('cut');
      expect(await session.ready()).toBe(true);
      expect((await session.controller.runTurn(() => 'again')).status).toBe('completed');
      await here.drain({ timeoutMs: 0 });
    },
    30_000,
  );
});
