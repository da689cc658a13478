/**
 * Which result belongs to which call.
 *
 * @module
 */
import type { ToolOutcome } from '../from-core.ts';
import { copierBeside } from './ids.ts';

/** One call of the transcript and the results found for it. */
export interface Site<R> {
  readonly id: string;
  readonly name: string;
  /** The index of the message that holds the call. */
  readonly at: number;
  /** What it asks for, as it stands there. */
  readonly input?: unknown;
  /** The results, in the order of the transcript. */
  readonly results: LinkedResult<R>[];
}

/** One result of the transcript. */
export interface LinkedResult<R> {
  readonly result: R;
  /** The index of the message that holds it. */
  readonly at: number;
  /** Its place among all results of the transcript. */
  readonly order: number;
}

/** Built in one pass over the transcript, front to back. */
export interface Links<R> {
  /** Every call so far, in order. */
  readonly sites: readonly Site<R>[];
  open(at: number, id: string, name: string, input?: unknown): Site<R>;
  /** Links a result to the nearest call before it that has this id. */
  close(at: number, id: unknown, result: R): Site<R> | undefined;
}

/** Starts with no call. An id that comes again (`call_0` in every round) opens a new call and hides the old one. */
export function createLinks<R>(): Links<R> {
  const sites: Site<R>[] = [];
  const latest = new Map<unknown, Site<R>>();
  let order = 0;
  return {
    sites,
    open(at, id, name, input) {
      const site: Site<R> = { id, name, at, input, results: [] };
      sites.push(site);
      latest.set(id, site);
      return site;
    },
    close(at, id, result) {
      const site = latest.get(id);
      site?.results.push({ result, at, order });
      order += 1;
      return site;
    },
  };
}

/**
 * Gives each call an id that no other call has, where a provider wants that: the first keeps its own.
 *
 * @param longest How long an id may be.
 */
export function createIds<R>(
  sites: readonly Site<R>[],
  longest: number | undefined,
  outcomes: readonly ToolOutcome[],
): (site: Site<R>) => string {
  const copyOf = copierBeside(
    sites.map(({ id }) => id),
    outcomes,
    longest,
  );
  const seen = new Set<string>();
  /** Only of those that do not keep their own. */
  const given = new Map<Site<R>, string>();
  for (const site of sites) {
    if (seen.has(site.id)) given.set(site, copyOf(site.id));
    seen.add(site.id);
  }
  return (site) => given.get(site) ?? site.id;
}

/**
 * Every id of which this one may be a copy, from the nearest; the id itself is the first. Those of a
 * hundred repairs at most: an id that somebody made of nothing but copies costs no more than that.
 */
export function originalsOf(id: string): readonly string[] {
  const originals = [id];
  let base = id;
  for (let depth = 0; depth < MOST_REPAIRS; depth += 1) {
    const shorter = base.slice(-LONGEST_MARK).replace(derived, '');
    const end = base.length - Math.min(base.length, LONGEST_MARK) + shorter.length;
    if (end === base.length) break;
    base = base.slice(0, end);
    originals.push(base);
  }
  return originals;
}

/** The same where the ledger is known: the id of one of its rows is a call's own, however it looks. */
export function originalsBeside(outcomes: readonly ToolOutcome[]): (id: string) => readonly string[] {
  const own = new Set(outcomes.map(({ id }) => id));
  return (id) => (own.has(id) ? [id] : originalsOf(id));
}

const MOST_REPAIRS = 100;

/** No repair counts further than this has room for. */
const LONGEST_MARK = 20;

/** What a copy has behind the id that it is of. */
const derived = /_copy\d+$/;
