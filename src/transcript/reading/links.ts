/**
 * Which result belongs to which call.
 *
 * @module
 */

/** One call of the transcript and the results found for it. */
export interface Site<R> {
  readonly id: string;
  readonly name: string;
  /** The index of the message that holds the call. */
  readonly at: number;
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
  open(at: number, id: string, name: string): Site<R>;
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
    open(at, id, name) {
      const site: Site<R> = { id, name, at, results: [] };
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
 * Gives each call an id that no other call has, where a provider wants that. The first keeps its own; the n-th gets one
 * that is derived from it, the same on every run, so prompt caches survive.
 */
export function createIds<R>(sites: readonly Site<R>[]): (site: Site<R>) => string {
  const reserved = new Set(sites.map((site) => site.id));
  const given = new Map<Site<R>, string>();
  const copies = new Map<string, number>();
  for (const site of sites) {
    let n = copies.get(site.id);
    if (n === undefined) {
      copies.set(site.id, 2);
      given.set(site, site.id);
      continue;
    }
    while (reserved.has(deriveId(site.id, n))) n += 1;
    const id = deriveId(site.id, n);
    reserved.add(id);
    copies.set(site.id, n + 1);
    given.set(site, id);
  }
  return (site) => given.get(site) ?? site.id;
}

function deriveId(original: string, n: number): string {
  return `${original}_copy${String(n)}`;
}

/**
 * Every id from which {@link createIds} may have made this one, from the nearest; the id itself is the first. Those of a
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

const MOST_REPAIRS = 100;

/** No repair counts further than this has room for. */
const LONGEST_MARK = 20;

/** What {@link deriveId} puts behind an id. */
const derived = /_copy\d+$/;
