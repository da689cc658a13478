/**
 * Turns that supersede others, asked for by a person or by nobody, in any order with turns in line and with stops of single
 * turns. A failure prints its seed.
 */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';

import {
  CancellationTokenSource,
  InterruptController,
  type CancelReason,
  type TurnReport,
  type TurnTicket,
} from '../../src/index.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { propertyRuns } from '../support/property-runs.ts';

const act = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('turn' as const),
      whenBusy: fc.constantFrom('queue', 'supersede'),
      isAutomatic: fc.boolean(),
      unwindMs: fc.constantFrom(0, 6),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('ticket', 'token'),
      n: fc.nat({ max: 6 }),
      kind: fc.constantFrom('user', 'deadline'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('cancel', 'say') }) },
);

/** One turn, how it was asked for, and what became of it. */
interface Asked {
  readonly at: number;
  readonly ticket: TurnTicket;
  readonly token: CancellationTokenSource;
  readonly isAutomatic: boolean;
  readonly supersedes: boolean;
  hasRun: boolean;
  report: TurnReport<void> | undefined;
  refusal: unknown;
}

function reasonOf({ report }: Asked): CancelReason | undefined {
  return report?.status === 'cancelled' ? report.reason : undefined;
}

describe('turns that supersede others', () => {
  test.prop([fc.array(act, { minLength: 2, maxLength: 10 })], { numRuns: propertyRuns(3_000) })(
    'turns that supersede others drop what waited in line only if they are accepted',
    async (acts) => {
      const clock = new VirtualClock();
      const agent = new InterruptController({ clock });
      const turns: Asked[] = [];
      const ask = (whenBusy: 'queue' | 'supersede', isAutomatic: boolean, unwindMs: number): void => {
        const ticket = agent.accept();
        const token = new CancellationTokenSource({ clock });
        const asked: Asked = {
          ...{ at: clock.now(), ticket, token, isAutomatic, supersedes: whenBusy === 'supersede' },
          ...{ hasRun: false, report: undefined, refusal: undefined },
        };
        turns.push(asked);
        agent
          .runTurn(
            (turn) => {
              asked.hasRun = true;
              return new Promise<void>((resolve) => {
                clock.setTimer(resolve, 40, { ref: false });
                turn.token.onCancelled(() => void clock.setTimer(resolve, unwindMs, { ref: false }));
              });
            },
            { ticket, whenBusy, isAutomatic, token: token.token },
          )
          .then(
            (report) => (asked.report = report),
            (error: unknown) => (asked.refusal = error),
          );
      };
      for (const each of acts) {
        if (each.do === 'turn') ask(each.whenBusy, each.isAutomatic, each.unwindMs);
        else if (each.do === 'ticket') turns[each.n]?.ticket.cancel({ kind: each.kind });
        else if (each.do === 'token') turns[each.n]?.token.cancel({ kind: each.kind });
        else if (each.do === 'cancel') agent.cancel();
        else agent.interject('go on');
        await clock.advance(1);
      }
      for (let i = 0; i < 12; i++) await clock.advance(50);

      for (const turn of turns) expect(turn.report === undefined).not.toBe(turn.refusal === undefined);
      for (const turn of turns.filter(({ hasRun }) => !hasRun)) {
        const reason = reasonOf(turn);
        // Each act has a millisecond of its own: the reason says who it was.
        const successor = reason?.kind === 'superseded' ? turns.find(({ at }) => at === reason.at) : undefined;
        if (successor === undefined) continue;
        expect(successor.supersedes).toBe(true);
        expect(successor.refusal).toBe(undefined);
        if (successor.isAutomatic) expect(successor.hasRun || reasonOf(successor)?.kind === 'superseded').toBe(true);
      }
      expect(agent.state).toBe('idle');
    },
  );
});
