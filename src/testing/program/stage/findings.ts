/**
 * What a check has found, and what it is worth: what every program owes its user can fail, what designs differ in is a note, unless the
 * profile promises it.
 *
 * @module
 */
import type { ProgramPromise } from '../profile.ts';

/**
 * What a finding is about. Every program owes the first seven; the others are what a profile can promise, or plain facts.
 *
 * @since 0.1.0
 */
export type FindingName =
  | 'stream'
  | 'silence'
  | 'legal'
  | 'honest'
  | 'delivered'
  | 'prompt'
  | 'terminal'
  | ProgramPromise
  | 'fact';

/**
 * How a check or a finding came out. `noted` is a fact that no promise speaks of. A check that asks for what the program does not have is
 * `not-applicable`; one that broke off before it could be judged is `unplayed`, and says where.
 *
 * @since 0.1.0
 */
export type CheckStatus = 'passed' | 'noted' | 'failed' | 'unplayed' | 'not-applicable';

/**
 * One thing that was seen.
 *
 * @since 0.1.0
 */
export interface ProgramFinding {
  readonly about: FindingName;
  readonly status: CheckStatus;
  /** What was seen, in a sentence. */
  readonly sentence: string;
  /** How long it took, if it is about that. */
  readonly ms: number | undefined;
}

const owed: ReadonlySet<FindingName> = new Set([
  'stream',
  'silence',
  'legal',
  'honest',
  'delivered',
  'prompt',
  'terminal',
]);

/** Judges one thing. */
export function findingOf(
  about: FindingName,
  isSo: boolean,
  seen: { readonly sentence: string; readonly ms?: number | undefined },
  promises: readonly ProgramPromise[] = [],
): ProgramFinding {
  const isPromised = owed.has(about) || (promises as readonly FindingName[]).includes(about);
  const status = isSo ? 'passed' : isPromised ? 'failed' : 'noted';
  return { about, status, sentence: seen.sentence, ms: seen.ms };
}

const order: readonly CheckStatus[] = ['not-applicable', 'passed', 'noted', 'unplayed', 'failed'];

/** The worst of several; `not-applicable` if there is none. */
export function worstOf(statuses: readonly CheckStatus[]): CheckStatus {
  return order[Math.max(0, ...statuses.map((status) => order.indexOf(status)))] ?? 'not-applicable';
}

/** A check that asks for what this program does not have; the message says what. */
export class NotApplicable extends Error {}

/** A run that could not be played to where something is judged; the message says what did not come. */
export class Unplayed extends Error {}
