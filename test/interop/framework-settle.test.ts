/** A framework under a turn: settled means settled, waits end, and the ledger tells the truth. S08 to S13. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { classify, delay, pollUntil, retry } from '../../src/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { deafWork, msUntil, settlesWithin } from './stage.ts';
import type { Work } from './support/frameworks/framework.ts';
import { frameworks } from './support/frameworks/index.ts';
import { aborted, callsOf, contextIn, loopStage, rowsOf } from './support/frameworks/loop-stage.ts';
import { eventually } from '../support/eventually.ts';
import { limitMs } from '../support/limit.ts';

const listening = `require('node:net').createServer().listen(0, '127.0.0.1', function () {
  process.stdout.write(String(this.address().port));
})`;

describe.each(frameworks)('$name', (framework) => {
  describe('S08 settled means settled', () => {
    it('S08 a port that a tool’s process held can be bound when the report is there', async () => {
      const { agent, run } = await loopStage(framework, [callsOf('serve'), 'too many'], { graceMs: 5_000 });
      const holding = deferred<number>();
      const running = run({
        tools: {
          serve: async (given) => {
            const child = spawn(process.execPath, ['-e', listening]);
            const exited = once(child, 'exit');
            const [port] = (await once(child.stdout, 'data')) as [Buffer];
            holding.resolve(Number(String(port)));
            await aborted(given);
            await delay(undefined, 300); // what it tidies up, during which the port is still held
            child.kill();
            await exited;
            throw given.signal?.reason;
          },
        },
      });
      const port = await holding.promise;
      const report = await agent.cancel('user').settled;
      expect(report.abandoned).toEqual([]);
      expect(report.operations).toMatchObject([{ kind: 'tool', name: 'serve', outcome: 'cancelled' }]);
      const next = createServer().listen(port, '127.0.0.1');
      await once(next, 'listening');
      next.close();
      expect(rowsOf(await running)).toEqual(['serve: stopped']);
    });

    it('S08 a clean-up beyond the limit is named, and not waited for', async () => {
      const { agent, run } = await loopStage(framework, [callsOf('tidy'), 'too many'], { graceMs: 400 });
      const started = deferred();
      const end = deferred();
      const running = run({
        tools: {
          tidy: async (given) => {
            started.resolve();
            await aborted(given);
            await end.promise;
          },
        },
      });
      await started.promise;
      const { settled } = agent.cancel('user');
      const took = await msUntil(settled);
      // And while it tidies up: it ends only when the test lets it. A timer counts from where its turn of the loop began.
      expect(took).toBeGreaterThan(300);
      expect((await settled).abandoned).toEqual(['tidy']);
      expect(rowsOf(await running)).toEqual(['tidy: unknown']);
      end.resolve();
    });
  });

  describe('S09 back-off and poll', () => {
    const waits: Readonly<Record<string, Work>> = {
      'a retry’s delay of 60 s': ({ signal }) =>
        retry(signal, () => Promise.reject(new Error('busy')), { attempts: 3, backoff: () => 60_000 }),
      'a pollUntil': ({ signal }) => pollUntil(signal, () => false, { intervalMs: 60_000 }),
    };
    it.each(Object.entries(waits))('S09 %s in a tool ends at once, and is never tried again', async (_name, wait) => {
      const { agent, server, run } = await loopStage(framework, [callsOf('wait'), 'too many']);
      const started = deferred();
      const running = run({
        tools: {
          wait: (given) => {
            started.resolve();
            return wait(given);
          },
        },
      });
      await started.promise;
      await delay(undefined, 30);
      agent.cancel('user');
      expect(await msUntil(running)).toBeLessThan(limitMs(5_000));
      const report = await running;
      expect(report.status).toBe('cancelled');
      expect(rowsOf(report)).toEqual(['wait: stopped']);
      expect(report.status === 'cancelled' && classify(report.reason).retryable).not.toBe(true);
      expect(server.requests).toHaveLength(1);
    });

    it('S09 the framework’s own, after Retry-After, ends at once and asks no more', async () => {
      const busy = { status: 503, message: 'busy', headers: { 'retry-after': '2' } };
      const { agent, server, run } = await loopStage(framework, [busy, 'too many'], { graceMs: 0 });
      const running = run({ maxRetries: 3, graceMs: 0 });
      await server.waitFor(({ requests }) => requests[0]?.finishedAt);
      expect(await settlesWithin(running, 200)).toBe(false);
      agent.cancel('user');
      expect(await msUntil(running)).toBeLessThan(limitMs(1_000));
      expect((await running).status).toBe('cancelled');
      await delay(undefined, 2_500);
      expect(server.requests).toHaveLength(1);
    });
  });

  describe('S10 idle', () => {
    it('S10 a model that falls silent is an idle limit, retryable, with its words', async () => {
      const { server, run } = await loopStage(framework, [{ text: 'one two three', silentAfter: 2 }]);
      const report = await run({ stream: true, idleMs: limitMs(500) });
      expect(report).toMatchObject({ status: 'failed', error: { name: 'TimeoutError', reason: { kind: 'idle' } } });
      expect(report.status === 'failed' && classify(report.error).retryable).toBe(true);
      expect(report.partials).toMatchObject([{ value: { text: 'one two' }, reason: { kind: 'idle' } }]);
      if (framework.isDeafInSilence !== true) await server.waitFor(({ requests }) => requests[0]?.closedEarly);
    });

    it('S10 a stream that goes on, a tool that runs and an approval that waits are no silence', async () => {
      const text = 'let me see what there is to do, and then do it, one after the other, until it is done';
      const script = [{ ...(callsOf('work', 'approve') as object), text, chunkMs: 20 }, 'All done.'];
      // The limit is measured by a clock that the test moves: no machine is too slow for it.
      const clock = new VirtualClock();
      const { run } = await loopStage(framework, script, { clock });
      let parts = 0;
      let steps = 0;
      const report = await run({
        stream: true,
        idleMs: 1_000,
        // One step for all parts that come at once: to whoever reads them late the model has not been silent for longer.
        onPart: () => {
          const last = ++parts;
          setImmediate(() => {
            if (parts === last && steps++ < 15) void clock.advance(200);
          });
        },
        tools: {
          work: async () => {
            await clock.advance(5_000);
            return 'worked';
          },
          approve: async (given) => {
            return await contextIn(given).ask<string>((respond) => {
              void clock.advance(5_000).then(() => respond('yes'));
            });
          },
        },
      });
      // Together more than the limit.
      expect(steps).toBeGreaterThan(5);
      expect(report.unwrap()).toMatch(/All done\.$/);
      expect(rowsOf(report)).toEqual(['work: completed', 'approve: completed']);
    });
  });

  describe('S11 an honest outcome', () => {
    it('S11 a deaf tool that writes after the stop is unknown, and its end is told when it writes', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'desist-'));
      onTestFinished(() => {
        rmSync(folder, { recursive: true });
      });
      const file = join(folder, 'written');
      const { agent, run, events } = await loopStage(framework, [callsOf('write'), 'too many'], { graceMs: 0 });
      const work = deafWork();
      const wasWritten: boolean[] = [];
      agent.onEvent(({ type }) => {
        if (type === 'late-settled') wasWritten.push(existsSync(file));
      });
      const running = run({
        tools: {
          write: async () => {
            await work.run();
            writeFileSync(file, 'late');
            return 'written';
          },
        },
      });
      await work.started;
      agent.cancel('user');
      expect(rowsOf(await running)).toEqual(['write: unknown']);
      await delay(undefined, 300);
      expect(existsSync(file)).toBe(false);
      expect(wasWritten).toEqual([]);
      work.end.resolve('');
      await eventually(() => {
        expect(events.filter(({ type }) => type === 'late-settled')).toMatchObject([
          { name: 'write', status: 'completed' },
        ]);
      });
      expect(wasWritten).toEqual([true]);
    });

    it('S11 a tool that is stopped inside commit() is completed', async () => {
      const { agent, server, run } = await loopStage(framework, [callsOf('write'), 'too many'], { graceMs: 0 });
      const report = await run({
        tools: {
          write: (given) =>
            contextIn(given).commit(async () => {
              agent.cancel('user');
              await delay(undefined, 50);
              return 'written';
            }),
        },
      });
      expect(report.status).toBe('cancelled');
      expect(rowsOf(report)).toEqual(['write: completed']);
      expect(server.requests).toHaveLength(1);
    });
  });

  it('S12 done, waiting for approval, running, not started: what is true of each, in call order', async () => {
    const script = [callsOf('done', 'approve', 'running', 'later'), 'too many'];
    const { agent, server, run } = await loopStage(framework, script, { graceMs: 100 });
    const work = deafWork();
    let answers: (value: unknown) => boolean = () => true;
    const ran: string[] = [];
    const report = await run({
      tools: {
        done: () => 'done',
        approve: async (given) => {
          return await contextIn(given).ask((respond) => {
            answers = respond;
          });
        },
        running: () => {
          agent.cancel('user');
          return work.run();
        },
        later: () => {
          ran.push('later');
          return 'later';
        },
      },
    });
    expect(rowsOf(report).slice(0, 3)).toEqual(['done: completed', 'approve: not-started', 'running: unknown']);
    // A framework that asks for no more calls after a stop leaves no row for them: they were never made.
    expect(rowsOf(report).slice(3)).toEqual(report.calls.length === 3 ? [] : ['later: not-started']);
    expect([ran, answers('yes')]).toEqual([[], false]);
    expect(server.requests).toHaveLength(1);
    work.end.resolve('');
  });

  it('S13 a tool that resolves in the tick of the cancel has one outcome, and keeps its result', async () => {
    const { agent, server, run, events } = await loopStage(framework, [callsOf('race'), 'too many'], { graceMs: 0 });
    const work = deafWork();
    const running = run({ tools: { race: work.run } });
    await work.started;
    work.end.resolve('just in time');
    agent.cancel('user');
    const report = await running;
    expect(report.status).toBe('cancelled');
    expect(rowsOf(report)).toEqual(['race: completed']);
    expect(JSON.stringify(report.calls)).toContain('just in time');
    expect(events.filter(({ type }) => type === 'tool-outcome')).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
  });
});
