/**
 * Stops that come from within a turn: a call under a token of its caller, a call that stops its own turn and waits for
 * the rest, in any order with the stop of the turn, messages, and the ends of the calls. A failure prints its seed.
 */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';

import { isCancelledError } from '../../src/core/foundation/errors.ts';
import { CancellationTokenSource, InterruptController, raceCancellation, type StopReport } from '../../src/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { propertyRuns } from '../support/property-runs.ts';

const numRuns = propertyRuns(5_000);
const turnOfEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const act = fc.oneof(
  fc.record({ do: fc.constantFrom('own', 'own', 'end', 'end', 'from within'), n: fc.nat({ max: 3 }) }),
  fc.record({ do: fc.constantFrom('cancel', 'kill', 'say', 'time'), n: fc.constant(0) }),
);
const call = fc.record({
  kind: fc.constantFrom('tool', 'tool', 'model'),
  isDeaf: fc.boolean(),
  hasToken: fc.boolean(),
});

describe('stops from within a turn', () => {
  test.prop([fc.array(call, { minLength: 1, maxLength: 4 }), fc.array(act, { maxLength: 8 }), fc.boolean()], {
    numRuns,
  })(
    'one outcome per call, no word to the turn by a token of a call, no caller that waits for itself',
    async (calls, acts, sameTick) => {
      const clock = new VirtualClock();
      const agent = new InterruptController({ clock, graceMs: 100 });
      const ends = calls.map(() => deferred<string>());
      const within: (() => void)[] = [];
      const own = calls.map(() => new CancellationTokenSource());
      const heard: string[][] = calls.map(() => []);
      const reports: StopReport[] = [];
      const waiting = { asked: 0, given: 0 };
      const failures: unknown[] = [];
      const outcomes = new Map<string, number>();
      let isStopped = false;
      agent.onEvent((event) => {
        if (event.type === 'tool-outcome') outcomes.set(event.outcome.id, (outcomes.get(event.outcome.id) ?? 0) + 1);
      });
      const turn = agent.runTurn(async ({ tool, model, token }) => {
        await Promise.all(
          calls.map(async ({ kind, isDeaf, hasToken }, n) => {
            const work = async (
              ctx: Pick<Parameters<Parameters<typeof model>[0]>[0], 'token' | 'cancelTurn'>,
            ): Promise<string> => {
              ctx.token.onCancelled(({ message }) => heard[n]?.push(message));
              within[n] = () => {
                waiting.asked += 1;
                void ctx.cancelTurn('from within').settled.then((report) => {
                  waiting.given += 1;
                  reports.push(report);
                });
              };
              const { promise } = ends[n] as (typeof ends)[number];
              return isDeaf ? promise : raceCancellation(ctx.token, promise);
            };
            const options = hasToken ? { token: own[n]?.token } : {};
            try {
              if (kind === 'tool') await tool({ id: String(n), name: 'x' }, (_call, ctx) => work(ctx), options);
              else await model(work, options);
            } catch (error) {
              if (!isCancelledError(error)) failures.push(error);
              else if (error.reason.message === `own ${String(n)}`) expect(hasToken && own[n]?.isCancelled).toBe(true);
              else expect(error.reason).toBe(token.reason);
            }
          }),
        );
      });
      const order: string[] = [];
      for (const { do: what, n } of acts) {
        if (agent.state === 'idle') break;
        if (what === 'own') {
          if (own[n]?.cancel(`own ${String(n)}`) === true) order.push(`own ${String(n)}`);
        } else if (what === 'end') ends[n]?.resolve('done');
        else if (what === 'from within') {
          if (within[n] !== undefined) isStopped = true;
          within[n]?.();
          if (within[n] !== undefined) order.push('from within');
        } else if (what === 'say') agent.interject('news', { delivery: 'now' });
        else if (what === 'time') await clock.advance(60);
        else {
          agent[what]('from outside');
          isStopped = true;
          order.push('from outside');
        }
        if (!sameTick) await turnOfEventLoop();
      }
      const last = order.findIndex((text) => text.startsWith('from'));
      for (const { resolve } of ends) if (!isStopped) resolve('done');
      for (let i = 0; i < 8; i += 1) await clock.advance(60);
      const report = await turn;
      for (const { resolve } of ends) resolve('done');
      await turnOfEventLoop();

      expect(failures).toEqual([]);
      expect(report.status).toBe(isStopped ? 'cancelled' : 'completed');
      if (isStopped) expect(report.stop?.reason?.message).toBe(order[last]);
      expect([...outcomes.values()].every((count) => count === 1)).toBe(true);
      expect(report.calls.map(({ id }) => id)).toEqual(
        calls.flatMap(({ kind }, n) => (kind === 'tool' ? [String(n)] : [])),
      );
      for (const row of report.calls) {
        const n = Number(row.id);
        const isOwn = calls[n]?.hasToken === true && order.includes(`own ${row.id}`);
        if (row.status === 'completed') continue;
        const message = 'reason' in row ? row.reason.message : row.status;
        const ownFirst = isOwn && (!isStopped || order.indexOf(`own ${row.id}`) < last);
        // The token of the caller, if it came before the stop of the turn; never one of another call.
        expect(message).toBe(ownFirst ? `own ${row.id}` : order[last]);
      }
      for (const [n, messages] of heard.entries()) {
        expect(messages.length).toBeLessThanOrEqual(1);
        const others = messages.filter((text) => text.startsWith('own') && text !== `own ${String(n)}`);
        expect(others).toEqual([]);
      }
      expect(waiting.given).toBe(waiting.asked);
      for (const { operations } of reports)
        for (const { outcome } of operations)
          expect(['completed', 'cancelled', 'abandoned', 'failed', 'not-started', 'caller']).toContain(outcome);
      expect([clock.pending, agent.state]).toEqual([0, 'idle']);
    },
  );
});
