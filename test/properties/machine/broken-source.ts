/**
 * Looks for a broken law over a source in which one place was replaced.
 *
 * @module
 */
import { runBroken, type Fault } from '../support/broken-source.ts';

/** The first program that broke a law. */
export interface Finding {
  /** Counted from 1. */
  readonly run: number;
  readonly broken: readonly string[];
}

/** What the search finds among so many programs of a seed, if anything. */
export async function seek(seed: number, programs: number, fault?: Fault): Promise<Finding | undefined> {
  const stdout = await runBroken('machine/seek.ts', [String(seed), String(programs)], fault);
  return stdout === '' ? undefined : (JSON.parse(stdout) as Finding);
}
