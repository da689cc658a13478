/**
 * A stop that a host has told itself, for everybody else who works for it.
 *
 * @module
 */
import type { StopReport } from '../../core/interrupt/public-types/stop-report.ts';
import type { HostedRun } from '../node/hosted-run.ts';
import type { StopAsk } from '../record/ask-stop.ts';
import type { Pursuits } from './pursuits.ts';

/** The hosting, and what is known of it. */
export interface ToldHosting {
  readonly runId: string;
  readonly run: Pick<HostedRun, 'epoch' | 'tellHere' | 'named'>;
  readonly claimed: Promise<unknown>;
  /** Whether it is the one of this process still. */
  readonly isHere: () => boolean;
  readonly pursuits: Pick<Pursuits, 'send'>;
  /** How long to wait for those who were told, in milliseconds. */
  readonly waitMs: number;
}

/** Whether all that work for the hosting have ended; where it is over, whoever works for it has heard of its end. */
export async function tellHosting(hosting: ToldHosting, ask: StopAsk, report: Promise<StopReport>): Promise<boolean> {
  const { runId, run, claimed, isHere, pursuits } = hosting;
  // Whoever works for it here needs neither its number nor an engine.
  run.named.tellMembers(ask);
  await claimed;
  const { epoch: only } = run;
  if (only === undefined || !isHere()) return true;
  const asked = await pursuits.send(runId, { ...ask, only }, run.tellHere({ ...ask, only }, report));
  // What the host itself takes is no time of theirs.
  await report.catch(() => undefined);
  return (await asked.until?.('settled', hosting.waitMs))?.status === 'settled';
}
