/** What a person says while it works is heard once and never lost, S21 to S23. */
import { expect } from 'vitest';
import { delay } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { sentTexts } from '../../stage.ts';
import type { Work } from '../frameworks/framework.ts';
import { callsOf, contextIn, rowsOf } from '../frameworks/loop-stage.ts';
import { arrived, cellOf, message, wordsIn, type Scenario } from './cell.ts';

const withTools: Readonly<Record<string, Scenario['play']>> = {
  async 'S21 a message is in the next model call, once, and again in every later one'(way) {
    const cell = await cellOf(way, [callsOf('slow'), callsOf('slow'), 'All done.', 'Went on.', 'too many']);
    let calls = 0;
    const slow = () => {
      if (++calls === 1) cell.agent.interject(message);
      return 'ok';
    };
    const report = await cell.run({ tools: { slow } });
    expect(report.unwrap()).toBe('All done.');
    expect([1, 2, 3].map(cell.told)).toEqual([0, 1, 1]);
    expect(report.undelivered).toEqual([]);
    expect(cell.events.filter(({ type }) => type === 'interjection-delivered')).toHaveLength(1);
    await cell.endsWith(report, { requests: 3 });
    expect(cell.told(4)).toBe(1);
  },

  async 'S21 after-current-tool: what runs completes, what has not started is skipped'(way) {
    const cell = await cellOf(way, [callsOf('current', 'next'), 'All done.', 'Went on.', 'too many']);
    let next = 0;
    const report = await cell.run({
      tools: {
        current: () => {
          cell.agent.interject(message, { delivery: 'after-current-tool' });
          return delay(undefined, 20).then(() => 'ok');
        },
        next: () => ++next,
      },
    });
    expect(report.unwrap()).toBe('All done.');
    expect(rowsOf(report)).toEqual(['current: completed', 'next: skipped']);
    expect([next, cell.told(2)]).toEqual([0, 1]);
    await cell.endsWith(report, { requests: 2 });
  },

  async 'S21 now, while a tool runs, lets it finish'(way) {
    const cell = await cellOf(way, [callsOf('slow'), 'All done.', 'Went on.', 'too many']);
    const slow: Work = async ({ signal }) => {
      cell.agent.interject(message, { delivery: 'now' });
      await delay(undefined, 20);
      signal?.throwIfAborted();
      return 'ok';
    };
    const report = await cell.run({ tools: { slow } });
    expect(report.unwrap()).toBe('All done.');
    expect(rowsOf(report)).toEqual(['slow: completed']);
    expect(cell.told(2)).toBe(1);
    await cell.endsWith(report, { requests: 2 });
  },

  async 'S21 while a sub-agent works, is heard by the innermost loop, once'(way) {
    const script = [callsOf('delegate'), callsOf('dig'), 'Dug.', 'All done.', 'Went on.', 'too many'];
    const cell = await cellOf(way, script);
    const { baseURL } = cell;
    const dig = () => {
      cell.agent.interject(message);
      return 'ok';
    };
    const delegate: Work = async (given) => {
      const sub = contextIn(given).subagent('explorer');
      const report = await sub.runTurn((turn) => way.run(turn, { baseURL, stream: way.stream, tools: { dig } }));
      return report.unwrap();
    };
    const report = await cell.run({ tools: { delegate } });
    expect(report.unwrap()).toBe('All done.');
    expect([1, 2, 3, 4].map(cell.told)).toEqual([0, 0, 1, 0]);
    await cell.endsWith(report, { requests: 4 });
  },

  async 'S22 a pending approval settles as cancelled, and refuses a late answer'(way) {
    const cell = await cellOf(way, [callsOf('approve'), 'Went on.', 'too many'], { graceMs: 1000 });
    const asked = deferred<(value: unknown) => boolean>();
    const answered = deferred<string>();
    const running = cell.run({
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
    cell.agent.cancel('user');
    expect([await answered.promise, respond('yes')]).toEqual(['cancelled', false]);
    const report = await running;
    expect(rowsOf(report)).toEqual(['approve: not-started']);
    await cell.endsWith(report, { requests: 1 });
  },

  async 'S22 a call that the person declines is declined, and the loop goes on'(way) {
    const cell = await cellOf(way, [callsOf('deploy'), 'All done.', 'Went on.', 'too many']);
    const report = await cell.run({ tools: { deploy: (given) => contextIn(given).decline('not on a Friday') } });
    expect(report.unwrap()).toBe('All done.');
    expect(rowsOf(report)).toEqual(['deploy: declined']);
    await cell.endsWith(report, { requests: 2 });
  },

  async 'S23 a passive wait says "still running" for a message, and what it waits for goes on'(way) {
    const cell = await cellOf(way, [callsOf('wait'), 'All done.', 'Went on.', 'too many'], { graceMs: 1000 });
    const job = deferred<string>();
    const waiting = deferred();
    const running = cell.run({
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
    cell.agent.interject(message);
    const report = await running;
    expect(report.unwrap()).toBe('All done.');
    expect(rowsOf(report)).toEqual(['wait: completed']);
    expect(sentTexts(cell.server, 2).filter((text) => text.includes('still running'))).toHaveLength(1);
    expect(cell.told(2)).toBe(1);
    await cell.endsWith(report, { requests: 2 });
    job.resolve('done');
  },
};

const withoutTools: Readonly<Record<string, Scenario['play']>> = {
  async 'S21 now: the model’s words are cut and kept, and it is answered in the same run'(way) {
    const first = way.says('one two three', { silentAfter: 2 });
    const cell = await cellOf(way, [first, way.says('Right, pnpm.'), 'Went on.', 'too many'], { graceMs: 1000 });
    const running = cell.run({ graceMs: 1000 });
    await arrived(cell, way, 2);
    cell.agent.interject(message, { delivery: 'now' });
    const report = await running;
    expect(report.unwrap()).toMatch(/Right, pnpm\.$/);
    expect(report.partials.every(({ reason }) => reason.kind === 'interjection')).toBe(true);
    expect(report.undelivered).toEqual([]);
    expect([cell.told(1), cell.told(2)]).toEqual([0, 1]);
    await cell.server.waitFor(({ requests }) => requests[0]?.closedEarly);
    await cell.endsWith(report, { requests: 2, words: 'one two' });
  },

  async 'S21 typed during the final answer, is in the report'(way) {
    const cell = await cellOf(way, [way.says('one two three', { delayMs: 50 }), 'Went on.', 'too many']);
    const running = cell.run();
    await cell.server.waitFor(({ requests }) => requests.length === 1);
    cell.agent.interject(message);
    const report = await running;
    expect(report.unwrap()).toBe('one two three');
    expect(report.undelivered.map((each) => each.message)).toEqual([message]);
    expect(wordsIn(report)).toBe('');
    await cell.endsWith(report, { requests: 1 });
  },

  ...Object.fromEntries(
    [false, true].map((isCancelFirst): [string, Scenario['play']] => [
      `S22 a message and a cancel, ${isCancelFirst ? 'cancel' : 'message'} first: the cancel wins, the message comes back`,
      async (way) => {
        const first = way.says('one two three', { silentAfter: 2 });
        const cell = await cellOf(way, [first, 'Went on.', 'too many'], { graceMs: 1000 });
        const running = cell.run({ graceMs: 1000 });
        await arrived(cell, way, 2);
        const steps = [() => cell.agent.interject(message, { delivery: 'now' }), () => cell.agent.cancel('user')];
        for (const step of isCancelFirst ? steps.reverse() : steps) step();
        const report = await running;
        expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
        expect(report.undelivered.map((each) => each.message)).toEqual([message]);
        await cell.endsWith(report, { requests: 1, model: ['cancelled'], words: 'one two' });
      },
    ]),
  ),
};

export const messageScenarios: readonly Scenario[] = [
  ...Object.entries(withTools).map(([title, play]) => ({ title, hasTools: true, play })),
  ...Object.entries(withoutTools).map(([title, play]) => ({ title, hasTools: false, play })),
];
