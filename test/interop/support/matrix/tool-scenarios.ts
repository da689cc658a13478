/** What happens to tools of a loop that is stopped, S01 to S13. */
import { expect, vi } from 'vitest';
import {
  delay,
  type CancellationToken,
  type InterruptController,
  type SubagentOptions,
} from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { deafWork } from '../../stage.ts';
import type { Work } from '../frameworks/framework.ts';
import { aborted, callsOf, contextIn, rowsOf } from '../frameworks/loop-stage.ts';
import { cellOf, loops, message, type Scenario } from './cell.ts';
import type { Way } from './way.ts';

const cancelled = { status: 'cancelled', reason: { kind: 'user' } };

/** The root calls `delegate`; the loop that this runs calls `dig`, which is given the sub-agent. */
async function delegation(way: Way, dig: (sub: InterruptController) => unknown, own?: SubagentOptions) {
  const cell = await cellOf(way, [callsOf('delegate'), callsOf('dig'), 'Went on.', 'Went on.', 'too many']);
  const tokens: CancellationToken[] = [];
  const delegate: Work = async (given) => {
    const context = contextIn(given);
    const sub = context.subagent('explorer', own);
    const below = await sub.runTurn((turn) => {
      tokens.push(context.token, turn.token);
      const leaf: Work = (deeper) => {
        tokens.push(contextIn(deeper).token);
        return dig(sub);
      };
      return way.run(turn, { baseURL: cell.baseURL, stream: way.stream, tools: { dig: leaf } });
    });
    return `The explorer was ${below.status}.`;
  };
  return { ...cell, tokens, start: () => cell.run({ tools: { delegate } }) };
}

const plays: Readonly<Record<string, Scenario['play']>> = {
  async 'S01 a deaf tool holds up no stop and is named, and its late success asks nothing and is told'(way) {
    const { agent, run, events, endsWith } = await cellOf(way, [callsOf('slow'), 'Went on.', 'too many']);
    const work = deafWork();
    const running = run({ tools: { slow: work.run } });
    await work.started;
    const { settled } = agent.cancel('user');
    const report = await running;
    expect(report).toMatchObject(cancelled);
    expect(rowsOf(report)).toEqual(['slow: unknown']);
    expect((await settled).abandoned).toContain('slow');
    work.end.resolve('at last');
    await loops();
    expect(events.filter(({ type }) => type === 'late-settled')).toMatchObject([{ name: 'slow', status: 'completed' }]);
    await endsWith(report, { requests: 1 });
  },

  async 'S02 nothing starts after Stop: not the next call of a batch, not the model, not a message'(way) {
    const cell = await cellOf(way, [callsOf('one', 'two', 'three'), 'Went on.', 'too many']);
    const execute = vi.fn(() => {
      cell.agent.interject(message);
      cell.agent.cancel('user');
      return 'done';
    });
    const report = await cell.run({ tools: { one: execute, two: execute, three: execute } });
    expect(report).toMatchObject(cancelled);
    expect(execute).toHaveBeenCalledTimes(1);
    expect(rowsOf(report).filter((row) => !row.endsWith('not-started'))).toEqual(['one: completed']);
    expect(report.undelivered.map((each) => each.message)).toEqual([message]);
    await cell.endsWith(report, { requests: 1 });
  },

  async 'S04 a stop of the root in the innermost tool ends every level in one tick, for one reason'(way) {
    const reached = deferred();
    const cell = await delegation(way, () => {
      reached.resolve();
      return new Promise(() => undefined);
    });
    const running = cell.start();
    await reached.promise;
    cell.agent.cancel('user');
    expect(cell.tokens).toHaveLength(3);
    expect(new Set(cell.tokens.map(({ reason }) => reason)).size).toBe(1);
    const report = await running;
    expect(report).toMatchObject({ ...cancelled, reason: cell.tokens[0]?.reason });
    expect(report.calls.map(({ status }) => status).join()).toMatch(/^(stopped|unknown)$/);
    await cell.endsWith(report, { requests: 2 });
  },

  async 'S05 a sub-agent that a person stops alone stops its parent'(way) {
    const cell = await delegation(way, (sub) => {
      sub.cancel({ kind: 'user', message: 'not that way' });
      return 'dug';
    });
    const report = await cell.start();
    expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'not that way' } });
    expect(report.calls).toMatchObject([{ name: 'delegate', status: 'stopped', by: 'explorer' }]);
    await cell.endsWith(report, { requests: 2 });
  },

  async 'S05 contained, the parent goes on with a stopped call'(way) {
    const cell = await delegation(
      way,
      (sub) => {
        sub.cancel('not that way');
        return 'dug';
      },
      { onChildInterrupted: 'contain' },
    );
    const report = await cell.start();
    expect(report.unwrap()).toBe('Went on.');
    expect(report.calls).toMatchObject([{ name: 'delegate', status: 'stopped', by: 'explorer' }]);
    await cell.endsWith(report, { requests: 3 });
  },

  async 'S06 a stop of one call aborts no sibling, and the loop goes on'(way) {
    const script = [callsOf('quick', 'stopped', 'lasting'), 'All done.', 'Went on.', 'too many'];
    const cell = await cellOf(way, script, { graceMs: 1000 });
    const lasting = deferred<string>();
    const started = deferred();
    const report = await cell.run({
      tools: {
        quick: () => 'quick',
        stopped: async (given) => {
          const { id } = contextIn(given).call as { readonly id: string };
          // Some loops call one after the other, so nothing can be waited for here.
          setImmediate(() => {
            cell.agent.cancelCall(id, 'not this one');
            started.resolve();
          });
          await aborted(given);
          throw given.signal?.reason;
        },
        lasting: async ({ signal }) => {
          await started.promise;
          setTimeout(lasting.resolve, 20, 'lasted');
          const value = await lasting.promise;
          signal?.throwIfAborted();
          return value;
        },
      },
    });
    expect(report.unwrap()).toBe('All done.');
    expect(rowsOf(report)).toEqual(['quick: completed', 'stopped: stopped', 'lasting: completed']);
    await cell.endsWith(report, { requests: 2 });
  },

  async 'S08 settled means that the tool has tidied up'(way) {
    const cell = await cellOf(way, [callsOf('serve'), 'Went on.', 'too many'], { graceMs: 5000 });
    const started = deferred();
    let isTidy = false;
    const running = cell.run({
      graceMs: 5000,
      tools: {
        serve: async (given) => {
          started.resolve();
          await aborted(given);
          await delay(undefined, 30);
          isTidy = true;
          throw given.signal?.reason;
        },
      },
    });
    await started.promise;
    const stop = await cell.agent.cancel('user').settled;
    expect([isTidy, stop.abandoned]).toEqual([true, []]);
    const report = await running;
    expect(rowsOf(report)).toEqual(['serve: stopped']);
    await cell.endsWith(report, { requests: 1 });
  },

  async 'S09 a wait in a tool ends at once, and is never tried again'(way) {
    const cell = await cellOf(way, [callsOf('wait'), 'Went on.', 'too many'], { graceMs: 1000 });
    const started = deferred();
    const wait = vi.fn(({ signal }: { readonly signal: AbortSignal | undefined }) => {
      started.resolve();
      return delay(signal, 60_000);
    });
    const running = cell.run({ tools: { wait } });
    await started.promise;
    cell.agent.cancel('user');
    const report = await running;
    expect(report).toMatchObject(cancelled);
    expect(rowsOf(report)).toEqual(['wait: stopped']);
    expect(wait).toHaveBeenCalledTimes(1);
    await cell.endsWith(report, { requests: 1 });
  },

  async 'S11 a tool that is stopped inside commit() is completed'(way) {
    const cell = await cellOf(way, [callsOf('write'), 'Went on.', 'too many']);
    const report = await cell.run({
      tools: {
        write: (given) =>
          contextIn(given).commit(async () => {
            cell.agent.cancel('user');
            await delay(undefined, 20);
            return 'written';
          }),
      },
    });
    expect(report).toMatchObject(cancelled);
    expect(rowsOf(report)).toEqual(['write: completed']);
    await cell.endsWith(report, { requests: 1 });
  },

  async 'S12 done, waiting for approval, running, not started: what is true of each, in call order'(way) {
    const script = [callsOf('done', 'approve', 'running', 'later'), 'Went on.', 'too many'];
    const cell = await cellOf(way, script, { graceMs: 50 });
    const work = deafWork();
    const later = vi.fn(() => 'later');
    let answers: (value: unknown) => boolean = () => true;
    const report = await cell.run({
      graceMs: 50,
      tools: {
        done: () => 'done',
        approve: async (given) => {
          return await contextIn(given).ask((respond) => {
            answers = respond;
          });
        },
        running: () => {
          cell.agent.cancel('user');
          return work.run();
        },
        later,
      },
    });
    // A framework that asks for no more calls after a stop leaves no row for them: they were never made.
    const rows = ['done: completed', 'approve: not-started', 'running: unknown', 'later: not-started'];
    expect(rowsOf(report)).toEqual(rows.slice(0, Math.max(3, report.calls.length)));
    expect([later.mock.calls.length, answers('yes')]).toEqual([0, false]);
    await cell.endsWith(report, { requests: 1 });
    work.end.resolve('');
  },

  async 'S13 a tool that resolves in the tick of the cancel has one outcome, and keeps its result'(way) {
    const cell = await cellOf(way, [callsOf('race'), 'Went on.', 'too many']);
    const work = deafWork();
    const running = cell.run({ tools: { race: work.run } });
    await work.started;
    work.end.resolve('just in time');
    cell.agent.cancel('user');
    const report = await running;
    expect(report).toMatchObject(cancelled);
    expect(rowsOf(report)).toEqual(['race: completed']);
    expect(JSON.stringify(report.calls)).toContain('just in time');
    expect(cell.events.filter(({ type }) => type === 'tool-outcome')).toHaveLength(1);
    await cell.endsWith(report, { requests: 1 });
  },
};

export const toolScenarios: readonly Scenario[] = Object.entries(plays).map(([title, play]) => ({
  title,
  hasTools: true,
  play,
}));
