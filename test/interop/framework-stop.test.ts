/**
 * A framework under a turn, stopped: S01 to S07 on every loop that somebody else wrote. The drivers are in
 * `support/frameworks`; what only one framework has – hand-overs, batches, parts of a chat – is in its own file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { delay, type CancellationToken, type InterruptController, type SubagentOptions } from '../../src/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import type { ModelScript } from '../../src/testing/model-server/index.ts';
import { deafWork, frameworkStage, settlesWithin } from './stage.ts';
import type { Work } from './support/frameworks/framework.ts';
import { frameworks } from './support/frameworks/index.ts';
import { aborted, callsOf, contextIn, loopStage, rowsOf } from './support/frameworks/loop-stage.ts';
import { eventually } from '../support/eventually.ts';
import { itBare } from '../support/bare.ts';

const twoSteps: ModelScript = [callsOf('slow'), 'All done.', 'too many'];
const slowWords = { text: 'one two three four', chunkMs: 100 };

describe.each(frameworks)('$name', (framework) => {
  it.each([false, true])('runs to its end, streamed %s', async (stream) => {
    const { server, run } = await loopStage(framework, twoSteps);
    const report = await run({ tools: { slow: () => 'ok' }, stream });
    expect(report.unwrap()).toBe('All done.');
    expect(rowsOf(report)).toEqual(['slow: completed']);
    expect(server.requests.length).toBe(2);
  });

  describe('S01 a deaf tool', () => {
    itBare('S01 bare, is waited for, or runs on and nobody knows', async () => {
      const { agent, baseURL } = await frameworkStage(twoSteps);
      const work = deafWork();
      const running = agent.runTurn(({ signal }) => framework.runBare(signal, { baseURL, tools: { slow: work.run } }));
      await work.started;
      const { settled } = agent.cancel();
      if (await settlesWithin(settled, 300)) expect((await settled).abandoned).toEqual([]);
      work.end.resolve('at last');
      await running;
    });

    it.each([false, true])('S01 does not hold up a stop, and is named; streamed %s', async (stream) => {
      const { agent, server, run } = await loopStage(framework, twoSteps, { graceMs: 0 });
      const work = deafWork();
      const running = run({ tools: { slow: work.run }, stream });
      await work.started;
      const receipt = agent.cancel('user');
      // While the tool is at work: it ends only when the test lets it.
      const report = await running;
      expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
      expect(rowsOf(report)).toEqual(['slow: unknown']);
      expect((await receipt.settled).abandoned).toContain('slow');
      work.end.resolve('at last');
      await delay(undefined, 50);
      expect(server.requests).toHaveLength(1);
    });
  });

  it('S02 nothing starts after Stop: not the next call of a batch, not the model, not a message', async () => {
    const script = [callsOf('one', 'two', 'three'), 'too many'];
    const { agent, server, run } = await loopStage(framework, script);
    const execute = vi.fn(() => {
      agent.interject('and another thing');
      agent.cancel('user');
      return 'done';
    });
    const report = await run({ tools: { one: execute, two: execute, three: execute } });
    expect(report.status).toBe('cancelled');
    expect(execute).toHaveBeenCalledTimes(1);
    expect(rowsOf(report).filter((row) => !row.endsWith('not-started'))).toEqual(['one: completed']);
    expect(report.undelivered.map(({ message }) => message)).toEqual(['and another thing']);
    expect(server.requests).toHaveLength(1);
  });

  it('S03 a deaf tool that succeeds after the stop leads to no second model request', async () => {
    const { agent, server, run, events } = await loopStage(framework, twoSteps, { graceMs: 0 });
    const work = deafWork();
    const running = run({ tools: { slow: work.run } });
    await work.started;
    agent.cancel('user');
    // While the tool is at work.
    expect((await running).status).toBe('cancelled');
    expect(events.filter(({ type }) => type === 'late-settled')).toEqual([]);
    work.end.resolve('it worked');
    await eventually(() => {
      expect(events.filter(({ type }) => type === 'late-settled')).toMatchObject([
        { name: 'slow', status: 'completed' },
      ]);
    });
    await delay(undefined, 150);
    expect(server.requests).toHaveLength(1);
  });

  describe('a tool that runs another loop of the framework as a sub-agent', () => {
    /** The root calls `delegate`; the loop that this runs calls `dig`, which is given the sub-agent. */
    async function delegation(
      dig: (sub: InterruptController, ...given: Parameters<Work>) => unknown,
      own?: SubagentOptions,
    ) {
      const script = [callsOf('delegate'), callsOf('dig'), 'Went on.', 'too many'];
      const stage = await loopStage(framework, script, { graceMs: 0 });
      const { agent, baseURL } = stage;
      const tokens: CancellationToken[] = [];
      const seen = { isKnown: false, status: '' };
      const delegate: Work = async (given) => {
        const context = contextIn(given);
        tokens.push(context.token);
        const sub = context.subagent('explorer', own);
        const below = await sub.runTurn((turn) => {
          tokens.push(turn.token);
          const leaf: Work = (deeper) => {
            tokens.push(contextIn(deeper).token);
            return dig(sub, deeper);
          };
          return framework.run(turn, { baseURL, tools: { dig: leaf } });
        });
        seen.status = below.status;
        seen.isKnown = agent.interrupted;
        return `The explorer was ${below.status}.`;
      };
      return { ...stage, tokens, seen, start: () => stage.run({ tools: { delegate } }) };
    }

    it('S04 a stop of the root in the innermost tool ends every level in one tick, for one reason', async () => {
      const reached = deferred();
      const { agent, server, tokens, start, events } = await delegation(async () => {
        reached.resolve();
        return await new Promise(() => undefined);
      });
      const running = start();
      await reached.promise;
      globalThis.gc?.();
      agent.cancel('user');
      const reasons = new Set(tokens.map(({ reason }) => reason));
      expect([tokens.length, reasons.size, [...reasons][0]?.kind]).toEqual([3, 1, 'user']);
      const report = await running;
      expect(report.status === 'cancelled' && reasons.has(report.reason)).toBe(true);
      // The ledger of the root says what became of the call it made, and never that it was a success.
      expect(report.calls).toHaveLength(1);
      expect(report.calls[0]?.status).toMatch(/^(stopped|unknown)$/);
      expect(report.stop?.operations.map(({ kind, agent: who }) => `${who}: ${kind}`)).toContain('explorer: tool');
      expect(events.filter(({ type }) => type === 'interrupt-propagated')).toHaveLength(1);
      await delay(undefined, 50);
      expect(server.requests).toHaveLength(2);
    });

    it('S05 a sub-agent that a person stops alone stops its parent, which knows before the call returns', async () => {
      const { server, start, seen } = await delegation((sub) => {
        sub.cancel({ kind: 'user', message: 'not that way' });
        return 'dug';
      });
      const report = await start();
      expect(seen).toEqual({ isKnown: true, status: 'cancelled' });
      expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'not that way' } });
      expect(report.calls).toMatchObject([{ name: 'delegate', status: 'stopped', by: 'explorer' }]);
      expect(server.requests).toHaveLength(2);
    });

    it('S05 contained, the parent goes on with a stopped call, by the sub-agent', async () => {
      const own = { onChildInterrupted: 'contain' } as const;
      const { server, start, seen } = await delegation((sub) => {
        sub.cancel('not that way');
        return 'dug';
      }, own);
      const report = await start();
      expect(seen).toEqual({ isKnown: false, status: 'cancelled' });
      expect(report.unwrap()).toBe('Went on.');
      expect(report.calls).toMatchObject([{ name: 'delegate', status: 'stopped', by: 'explorer' }]);
      expect(server.requests).toHaveLength(3);
    });
  });

  describe('S06 a stop of the right size', () => {
    it('S06 the turn’s touches no detached agent and no background process; all ends all', async () => {
      const { agent, run } = await loopStage(framework, [slowWords]);
      const beside = await frameworkStage(() => ({ text: 'one two three', silentAfter: 1 }));
      const background = ['one', 'two'].map((name) => {
        const child = agent.child(name, { detached: true });
        const { baseURL } = beside;
        return { child, turn: child.runTurn((turn) => framework.run(turn, { baseURL, stream: true })) };
      });
      const daemon = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)']);
      agent.lifetime.onCancelled(() => daemon.kill());
      const daemonEnded = once(daemon, 'exit');
      const foreground = run({ stream: true });
      await beside.server.waitFor(
        ({ requests }) => requests.length === 2 && requests.every((each) => each.deltasWritten > 0),
      );
      agent.cancel('user');
      expect((await foreground).status).toBe('cancelled');
      await delay(undefined, 50);
      expect(background.map(({ child }) => child.state)).toEqual(['running', 'running']);
      expect([daemon.killed, beside.server.requests.map(({ closedEarly }) => closedEarly)]).toEqual([
        false,
        [false, false],
      ]);
      const everything = agent.cancelAll('everything');
      const deaf = framework.isDeafInSilence === true ? ['model', 'model'] : [];
      expect((await everything.settled).abandoned).toEqual(deaf);
      for (const { turn } of background) {
        expect(await turn).toMatchObject({ status: 'cancelled', reason: { message: 'everything' } });
      }
      await daemonEnded;
      if (framework.isDeafInSilence !== true) {
        await beside.server.waitFor(({ requests }) => requests.every((each) => each.closedEarly));
      }
    });

    it('S06 one call’s aborts no sibling, and the loop goes on', async () => {
      const script = [callsOf('quick', 'stopped', 'lasting'), 'All done.', 'too many'];
      const { agent, server, run } = await loopStage(framework, script);
      const quickDone = deferred();
      let callId = '';
      const lasting = deferred<string>();
      const report = await run({
        tools: {
          quick: () => {
            quickDone.resolve();
            return 'quick';
          },
          stopped: async (given) => {
            ({ id: callId } = contextIn(given).call as { readonly id: string });
            setTimeout(() => {
              agent.cancelCall(callId, 'not this one');
              setTimeout(lasting.resolve, 50, 'lasted');
            }, 50);
            await aborted(given);
            throw given.signal?.reason;
          },
          lasting: async ({ signal }) => {
            const value = await lasting.promise;
            signal?.throwIfAborted();
            return value;
          },
        },
      });
      await quickDone.promise;
      expect(report.unwrap()).toBe('All done.');
      expect(rowsOf(report)).toEqual(['quick: completed', 'stopped: stopped', 'lasting: completed']);
      expect(server.requests).toHaveLength(2);
    });
  });

  it('S15 a stopped stream is cancelled, not complete; its words are kept, its socket closed, no part comes after', async () => {
    const { agent, server, run } = await loopStage(framework, [slowWords, 'too many']);
    let parts = 0;
    const running = run({
      stream: true,
      onPart: () => {
        parts++;
      },
    });
    await server.waitFor(({ requests }) => (requests[0]?.deltasWritten ?? 0) >= 2);
    await delay(undefined, 30);
    agent.cancel('user');
    const atStop = parts;
    const report = await running;
    expect(report).toMatchObject({ status: 'cancelled', partials: [{ modelCall: 1, value: { text: 'one two' } }] });
    expect(report).not.toHaveProperty('completed');
    expect([atStop > 0, parts]).toEqual([true, atStop]);
    await server.waitFor(({ requests }) => requests[0]?.closedEarly);
    expect(server.requests).toHaveLength(1);
  });

  describe('S07 turn identity', () => {
    it('S07 a stop of one turn, late or repeated, never touches the next', async () => {
      const { agent, baseURL, server, run, events } = await loopStage(framework, [slowWords, 'Hello.']);
      const ticket = agent.accept();
      const first = agent.runTurn((turn) => framework.run(turn, { baseURL, stream: true }), { ticket });
      await server.waitFor(({ requests }) => requests[0]?.deltasWritten);
      const receipts = [agent.cancel('user'), agent.cancel('user'), agent.cancel('user')];
      expect((await first).status).toBe('cancelled');
      expect(new Set(await Promise.all(receipts.map(({ settled }) => settled))).size).toBe(1);
      const second = run({ stream: true });
      ticket.cancel('user');
      expect((await second).unwrap()).toBe('Hello.');
      expect(events.flatMap((event) => (event.type === 'turn-ended' ? [event.status] : []))).toEqual([
        'cancelled',
        'completed',
      ]);
    });

    it('S07 a turn that is stopped before it starts asks no model', async () => {
      const { agent, server, baseURL } = await frameworkStage(['too many']);
      const ticket = agent.accept();
      agent.cancel('user');
      const report = await agent.runTurn((turn) => framework.run(turn, { baseURL }), { ticket });
      expect(report.status).toBe('cancelled');
      expect(server.requests).toHaveLength(0);
    });
  });
});
