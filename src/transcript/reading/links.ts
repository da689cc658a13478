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
  /** The call itself, as it stands there. */
  readonly raw: object;
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
  open(at: number, id: string, name: string, raw: object): Site<R>;
  /** Links a result to the nearest call before it that has this id. */
  close(at: number, id: unknown, result: R): Site<R> | undefined;
}

/** Starts with no call. An id that comes again (`call_0` in every round) opens a new call and hides the old one. */
export function createLinks<R>(): Links<R> {
  const latest = new Map<unknown, Site<R>>();
  let order = 0;
  return {
    open(at, id, name, raw) {
      const site: Site<R> = { id, name, at, raw, results: [] };
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
