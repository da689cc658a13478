/**
 * Two acceptance scenarios as properties: nothing starts after Stop, and a stop knows its turn. Every tick in which
 * something can happen is a task of fast-check's scheduler; the stop falls between any two of them. A failure prints
 * its seed and path.
 */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';

import { InterruptController, raceCancellation, type TurnReport, type TurnTicket } from '../../src/index.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { propertyRuns } from '../support/property-runs.ts';

const turnOfEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('S02 Nothing starts after Stop', () => {
  test.prop(
    [fc.scheduler(), fc.constantFrom('parallel', 'sequential'), fc.constantFrom('cancel', 'kill'), fc.boolean()],
    {
      numRuns: propertyRuns(1_000),
    },
  )(
    'S02 a batch of 3, a stop during a pre-flight, a follow-up, a queued steer and an auto-continue hook: nothing runs',
    async (scheduler, mode, how, deaf) => {
      const clock = new VirtualClock();
      const agent = new InterruptController({ clock, graceMs: 50 });
      const now = { stopped: false, ended: false };
      const afterwards: string[] = [];
      const happens = (what: string): void => {
        if (now.stopped) afterwards.push(what);
      };
      // A pre-flight that is over when the scheduler says so; a deaf one does not listen meanwhile.
      const preflight = (signal: AbortSignal): Promise<unknown> => {
        const check = scheduler.schedule(Promise.resolve(), 'pre-flight');
        return deaf ? check : raceCancellation(signal, check);
      };
      const turn = agent.runTurn(async ({ model, tools, takeInterjections, checkpoint }) => {
        for (let round = 0; round < 3; round += 1) {
          await model(async ({ signal }) => {
            happens('model');
            await raceCancellation(signal, scheduler.schedule(Promise.resolve(), 'model'));
          });
          await tools(
            ['1', '2', '3'].map((n) => ({ id: `${String(round)}.${n}`, name: 'write' })),
            async (_call, ctx) => {
              await preflight(ctx.signal);
              ctx.checkpoint();
              happens('execute');
              await scheduler.schedule(Promise.resolve(), 'execute');
            },
            { mode },
          );
          if (takeInterjections().length > 0) happens('a message reached the model');
          checkpoint();
          happens('auto-continue hook');
        }
      });
      void turn.then(() => (now.ended = true));
      scheduler.scheduleSequence([
        {
          label: 'steer and follow-up',
          builder: async () => {
            agent.interject('steer', { delivery: 'next-model-call' });
            agent.interject('follow-up', { delivery: 'after-turn' });
          },
        },
        {
          label: 'stop',
          builder: async () => {
            if (!agent[how]().accepted) return;
            now.stopped = true;
          },
        },
      ]);
      while (scheduler.count() > 0) {
        await scheduler.waitNext(1);
        await turnOfEventLoop();
      }
      for (let i = 0; i < 20 && !now.ended; i += 1) {
        await clock.advance(60);
        while (scheduler.count() > 0) await scheduler.waitNext(1);
      }
      const report = await turn;
      expect(afterwards).toEqual([]);
      expect(report.status).toBe(now.stopped ? 'cancelled' : 'completed');
      if (!now.stopped) return;
      expect(report.calls.length % 3).toBe(0);
      for (const { status } of report.calls) {
        expect(['completed', 'stopped', 'not-started', 'unknown']).toContain(status);
      }
    },
  );
});

describe('S07 Turn identity', () => {
  /** What one turn came to, and how often each thing happened to it. */
  interface Seen {
    runs: number;
    aborts: number;
    ends: number;
    report: TurnReport<string> | undefined;
  }

  test.prop(
    [
      fc.scheduler(),
      fc.constantFrom('before', 'during', 'racing', 'late'),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
    ],
    { numRuns: propertyRuns(2_500) },
  )(
    'S07 a cancel of turn 1, early, in time, racing its end or late, once or often: turn 2 is never aborted',
    async (scheduler, when, times, byUnwrap) => {
      const clock = new VirtualClock();
      const agent = new InterruptController({ clock, graceMs: 50 });
      const seen: Seen[] = [1, 2].map(() => ({ runs: 0, aborts: 0, ends: 0, report: undefined }));
      const of = (id: number): Seen => seen[id - 1] as Seen;
      agent.onEvent((event) => {
        if (event.type === 'turn-ended') of(event.turnId).ends += 1;
      });
      const tickets = [agent.accept(), agent.accept()];
      const stops: Promise<unknown>[] = [];
      const cancelled = { beforeStart: false };
      const cancel = (): void => {
        for (let i = 0; i < times; i += 1) {
          const receipt = (tickets[0] as TurnTicket).cancel(`stop ${String(i)}`);
          if (receipt.accepted) stops.push(receipt.settled);
        }
        if (of(1).runs === 0 && of(1).ends === 0) cancelled.beforeStart = true;
      };
      if (when === 'before') cancel();
      const turns = tickets.map((ticket) =>
        agent.runTurn(
          async ({ id, signal }) => {
            of(id).runs += 1;
            signal.addEventListener('abort', () => (of(id).aborts += 1));
            try {
              await raceCancellation(signal, scheduler.schedule(Promise.resolve(), `work of ${String(id)}`));
              if (when === 'racing' && id === 1) cancel();
              return `value ${String(id)}`;
            } finally {
              // A stale clean-up that stops what it believes to be its own turn.
              if (id === 1)
                void scheduler.schedule(Promise.resolve(), 'stale finally').then(() => tickets[0]?.cancel('stale'));
            }
          },
          { ticket, whenBusy: 'queue' },
        ),
      );
      if (when === 'during' || when === 'late') {
        const first = when === 'late' ? turns[0] : Promise.resolve();
        void (first as Promise<unknown>).then(() => scheduler.schedule(Promise.resolve(), 'cancel')).then(cancel);
      }
      const all = Promise.all(turns);
      const now = { done: false };
      void all.then(() => (now.done = true));
      await turnOfEventLoop();
      while (!now.done || scheduler.count() > 0) {
        if (scheduler.count() > 0) await scheduler.waitNext(1);
        await turnOfEventLoop();
      }
      for (const report of await all) of(report.turnId).report = report;

      const [one, two] = [of(1), of(2)];
      expect([two.report?.status, two.aborts, two.runs, two.ends]).toEqual(['completed', 0, 1, 1]);
      expect(one.ends).toBe(1);
      expect(one.report?.status === 'cancelled').toBe(stops.length > 0);
      if (cancelled.beforeStart && stops.length > 0) expect(one.runs).toBe(0);
      if (stops.length > 0 && one.runs > 0) {
        // Repeats return the same report.
        expect(new Set(await Promise.all(stops))).toEqual(new Set([one.report?.stop]));
      }
      if (byUnwrap && one.report?.status === 'cancelled') expect(() => one.report?.unwrap()).toThrow('stop 0');
      expect([agent.state, agent.interrupted]).toEqual(['idle', false]);
    },
  );
});
