/**
 * A stop of a group becomes a stop of each of its runs.
 *
 * Invariants:
 * - meant is who hosts a run of the group here, and what the engine lists at one instant; a claim and its listing are one
 *   write, so that a run is before that instant or after it, and never between;
 * - a hosting that is later than the one which was listed is not touched;
 * - what one run comes to is no other run's business.
 *
 * @module
 */
import { Portions } from '../core/combinators/portions.ts';
import type { GroupProgress, StopProgress, StopRequest } from '../sessions/stop-bus.ts';
import { waitAtMost } from '../core/combinators/wait-at-most.ts';
import type { StopListing } from './backend.ts';
import type { DataLoss } from './node/engine/data-loss.ts';
import type { Exchange } from './node/engine/exchange.ts';
import type { Persistence } from './node/engine/persistence.ts';
import type { HostedRun } from './node/hosted-run.ts';
import type { Lease } from './node/lease.ts';
import type { NodeParts } from './node/node-parts.ts';
import { handedOnId } from './record/hand-on.ts';
import { readableRecord } from './record/run-record.ts';
import type { StopAsk } from './record/ask-stop.ts';
import type { Pursuits } from './requester/pursuits.ts';

/** What a stop of a group works with. */
export interface GroupStopParts extends Pick<NodeParts, 'node' | 'newId' | 'clock' | 'confirmMs'> {
  readonly hosted: ReadonlyMap<string, HostedRun>;
  readonly exchange: Exchange;
  readonly loss: DataLoss;
  readonly lease: Lease;
  readonly persistence: Persistence;
  readonly pursuits: Pursuits;
  /** Asks for a stop of a run that is hosted here. */
  readonly askHere: (runId: string, run: HostedRun, ask: StopAsk) => Promise<StopProgress>;
}

/** Asks for a stop of everybody. */
export async function stopGroup(
  parts: GroupStopParts,
  group: string,
  { reason, level = 'cancel' }: Pick<StopRequest, 'reason' | 'level'>,
): Promise<GroupProgress> {
  const { node, newId, clock, confirmMs, hosted, lease, loss, pursuits, askHere } = parts;
  const newAsk = (): StopAsk => ({ id: newId(), reason, level, from: lease.addressOf(node) });
  const here = [...hosted].filter(([, run]) => run.named.groups.includes(group));
  // What runs here is told at once: it needs no engine for that.
  const told = new Map(
    here.map(([runId, run]) => {
      const ask = newAsk();
      return [runId, { run, ask, progress: heard(askHere(runId, run, ask)) }];
    }),
  );
  const listed = await listOf(parts, group);
  const stops = [...told].map(([sessionId, { progress }]) => ({ sessionId, progress }));
  let unreadable = 0;
  const portions = new Portions(clock);
  for (const { runId, value } of listed?.runs ?? []) {
    portions.add(() => {
      const record = readableRecord(value);
      if (record === undefined) unreadable++;
      const mine = told.get(runId);
      if (record?.groups.includes(group) !== true || mine?.run.named.claim === record.claim) return;
      // The same stop, under the name by which it would be handed on from here: told once, whoever takes the run over next.
      const asked = mine === undefined ? newAsk() : { ...mine.ask, id: handedOnId(mine.ask.id, record.epoch) };
      const ask = { ...asked, of: record.epoch };
      stops.push({ sessionId: runId, progress: heard(pursuits.send(runId, ask)) });
    });
  }
  await portions.passed();
  // An engine that has lost the list has lost our lease as well, if there is one.
  const isChecked = await waitAtMost(clock, confirmMs, lease.checked());
  return {
    // Who was listed before a loss may not be back yet, and what cannot be read may be one of the group.
    isComplete: isChecked === true && unreadable === 0 && listed !== undefined && !loss.mayBeRecent(listed.ageMs),
    stops,
  };
}

/** Nobody hears of one that fails before all of them are known, or after nobody waits for that any more. */
function heard<T>(progress: Promise<T>): Promise<T> {
  progress.catch(() => undefined);
  return progress;
}

async function listOf(
  { clock, confirmMs, exchange, persistence }: GroupStopParts,
  group: string,
): Promise<StopListing | undefined> {
  const endsAt = clock.now() + confirmMs;
  const isTooLate = (): boolean => clock.now() >= endsAt;
  let listed: StopListing | undefined;
  const listing = persistence.until(async () => {
    listed = await exchange.list(group, { isUrgent: true, isWanted: () => !isTooLate() });
  }, isTooLate);
  await waitAtMost(clock, confirmMs, listing);
  return listed;
}
