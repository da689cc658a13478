/** A framework under a turn: what a person says while it works is heard once, and never lost. S21 to S23. */
import { describe, expect, it } from 'vitest';
import { delay } from '../../src/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { sentTexts, type FrameworkStage } from './stage.ts';
import type { Work } from './support/frameworks/framework.ts';
import { frameworks } from './support/frameworks/index.ts';
import { callsOf, contextIn, loopStage, rowsOf } from './support/frameworks/loop-stage.ts';

/** How often a request of the loop told the model of pnpm. */
const told = ({ server }: Pick<FrameworkStage, 'server'>, request: number): number =>
  sentTexts(server, request).filter((text) => text.includes('pnpm')).length;

describe.each(frameworks)('$name', (framework) => {
  describe('S21 a message', () => {
    it.each([false, true])(
      'S21 is in the next model call, once, and again in every later one; streamed %s',
      async (stream) => {
        const stage = await loopStage(framework, [callsOf('slow'), callsOf('slow'), 'All done.']);
        const { agent, server, events, run } = stage;
        let calls = 0;
        const slow = () => {
          if (++calls === 1) agent.interject('use pnpm');
          return 'ok';
        };
        const report = await run({ tools: { slow }, stream });
        expect(report.unwrap()).toBe('All done.');
        expect(report.undelivered).toEqual([]);
        expect([1, 2, 3].map((request) => told(stage, request))).toEqual([0, 1, 1]);
        // Where it was said: after the first call's result, before the second call.
        const texts = sentTexts(server, 3).filter((text) => !text.startsWith('system'));
        const at = framework.mergesSteps === true ? 4 : framework.joinsResults === true ? 2 : 3;
        expect(texts.findIndex((text) => text.includes('pnpm'))).toBe(at);
        expect(events.filter(({ type }) => type === 'interjection-delivered')).toHaveLength(1);
      },
    );

    it('S21 after-current-tool: what runs completes, what has not started is skipped, and the loop goes on', async () => {
      const stage = await loopStage(framework, [callsOf('current', 'next'), 'All done.', 'too many']);
      const { agent, server, run } = stage;
      const ran: string[] = [];
      const report = await run({
        tools: {
          current: () => {
            agent.interject('use pnpm', { delivery: 'after-current-tool' });
            return delay(undefined, 50).then(() => 'ok');
          },
          next: () => {
            ran.push('next');
            return 'ok';
          },
        },
      });
      expect(report.unwrap()).toBe('All done.');
      expect(rowsOf(report)).toEqual(['current: completed', 'next: skipped']);
      expect([ran, told(stage, 2), server.requests.length]).toEqual([[], 1, 2]);
    });

    it('S21 now: the model’s words are cut and kept, a running tool goes on, and it is answered in the same run', async () => {
      const stage = await loopStage(framework, [{ text: 'one two three four', chunkMs: 100 }, 'Right, pnpm.']);
      const { agent, server, run } = stage;
      const running = run({ stream: true });
      await server.waitFor(({ requests }) => (requests[0]?.deltasWritten ?? 0) >= 2);
      await delay(undefined, 30);
      agent.interject('use pnpm', { delivery: 'now' });
      const report = await running;
      expect(report.unwrap()).toMatch(/Right, pnpm\.$/);
      expect(report.partials).toMatchObject([{ value: { text: 'one two' }, reason: { kind: 'interjection' } }]);
      expect(sentTexts(server, 2).slice(-2)).toEqual(['assistant: one two', 'user: [PRIORITY USER MESSAGE]: use pnpm']);
      await server.waitFor(({ requests }) => requests[0]?.closedEarly);
    });

    it('S21 now, while a tool runs, lets it finish', async () => {
      const stage = await loopStage(framework, [callsOf('slow'), 'All done.', 'too many']);
      const { agent, run } = stage;
      const slow: Work = async ({ signal }) => {
        agent.interject('use pnpm', { delivery: 'now' });
        await delay(undefined, 50);
        signal?.throwIfAborted();
        return 'ok';
      };
      const report = await run({ tools: { slow } });
      expect(report.unwrap()).toBe('All done.');
      expect(rowsOf(report)).toEqual(['slow: completed']);
      expect(told(stage, 2)).toBe(1);
    });

    it('S21 typed during the final answer, is told if the loop asks for it, and else in the report', async () => {
      const { agent, server, run } = await loopStage(framework, [{ text: 'one two three', chunkMs: 50 }, 'too many']);
      const running = run({ stream: true });
      await server.waitFor(({ requests }) => requests[0]?.deltasWritten);
      agent.interject('use pnpm');
      const report = await running;
      // A loop that asks for messages behind its last answer goes on with it.
      const goesOn = framework.asksBehindAnswer === true;
      expect(report.unwrap()).toBe(goesOn ? 'too many' : 'one two three');
      expect(report.undelivered.map(({ message }) => message)).toEqual(goesOn ? [] : ['use pnpm']);
      expect(server.requests).toHaveLength(goesOn ? 2 : 1);
    });

    it('S21 while a sub-agent works, is heard by the innermost loop, once', async () => {
      const stage = await loopStage(framework, [callsOf('delegate'), callsOf('dig'), 'Dug.', 'All done.', 'too many']);
      const { agent, baseURL, run } = stage;
      const dig = () => {
        agent.interject('use pnpm');
        return 'ok';
      };
      const delegate: Work = async (given) => {
        const sub = contextIn(given).subagent('explorer');
        return (await sub.runTurn((turn) => framework.run(turn, { baseURL, tools: { dig } }))).unwrap();
      };
      expect((await run({ tools: { delegate } })).unwrap()).toBe('All done.');
      expect([1, 2, 3, 4].map((request) => told(stage, request))).toEqual([0, 0, 1, 0]);
    });
  });

  describe('S22 a message and a cancel', () => {
    it.each(['message first', 'cancel first'])('S22 %s: the cancel wins, and the message comes back', async (order) => {
      const { agent, server, run } = await loopStage(framework, [callsOf('slow'), 'too many']);
      const steps = [() => agent.interject('use pnpm', { delivery: 'now' }), () => agent.cancel('user')];
      const report = await run({
        tools: {
          slow: () => {
            for (const step of order === 'message first' ? steps : [...steps].reverse()) step();
            return 'ok';
          },
        },
      });
      expect(report.status).toBe('cancelled');
      expect(report.undelivered.map(({ message }) => message)).toEqual(['use pnpm']);
      expect(server.requests).toHaveLength(1);
    });

    it('S22 a pending approval settles as cancelled, and refuses a late answer', async () => {
      const { agent, server, run } = await loopStage(framework, [callsOf('approve'), 'too many']);
      const asked = deferred<(value: unknown) => boolean>();
      const answered = deferred<string>();
      const running = run({
        tools: {
          approve: async (given) => {
            const answer = contextIn(given).ask((respond) => {
              asked.resolve(respond);
            });
            answer.then(
              () => answered.resolve('answered'),
              () => answered.resolve('cancelled'),
            );
            return await answer;
          },
        },
      });
      const respond = await asked.promise;
      agent.cancel('user');
      // Nobody has answered by then.
      expect([await answered.promise, respond('yes')]).toEqual(['cancelled', false]);
      expect(rowsOf(await running)).toEqual(['approve: not-started']);
      expect(server.requests).toHaveLength(1);
    });

    it('S22 a call that the person declines is declined, and the loop goes on', async () => {
      const { run, server } = await loopStage(framework, [callsOf('deploy'), 'All done.', 'too many']);
      const report = await run({ tools: { deploy: (given) => contextIn(given).decline('not on a Friday') } });
      expect(report.unwrap()).toBe('All done.');
      expect(rowsOf(report)).toEqual(['deploy: declined']);
      expect(server.requests).toHaveLength(2);
    });
  });

  it('S23 a passive wait says "still running" for a message, and what it waits for goes on', async () => {
    const stage = await loopStage(framework, [callsOf('wait'), 'All done.', 'too many']);
    const { agent, server, run } = stage;
    const job = deferred<string>();
    const waiting = deferred();
    const running = run({
      onInterject: 'yield',
      tools: {
        wait: async (given) => {
          waiting.resolve();
          const waited = await contextIn(given).wait(job.promise);
          return waited.status === 'completed' ? waited.value : 'still running';
        },
      },
    });
    await waiting.promise;
    agent.interject('use pnpm');
    const report = await running;
    expect(report.unwrap()).toBe('All done.');
    expect(rowsOf(report)).toEqual(['wait: completed']);
    expect(sentTexts(server, 2).filter((text) => text.includes('still running'))).toHaveLength(1);
    expect(told(stage, 2)).toBe(1);
    job.resolve('done');
    expect(await job.promise).toBe('done');
  });
});
