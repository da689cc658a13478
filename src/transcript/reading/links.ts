/**
 * Which result belongs to which call, and how calls of one id are told apart: servers number them anew in every reply,
 * and some providers want ids that are unique in the conversation.
 *
 * @module
 */
import type { CallIds, NameCalls } from './id-book.ts';
import { copier } from './ids.ts';

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

/**
 * The same messages; a call whose id comes again has one that is derived from it, and so has its result. After settling,
 * when each call has its result: whoever is asked about a call knows it by the id that the server gave.
 *
 * @param longest How long an id may be; without it, as long as it gets.
 * @param othersIn What else stands in a message as the id of a call, and is none.
 */
export function withUniqueIds<M>(
  settled: readonly M[],
  nameCalls: NameCalls<M>,
  longest: number | undefined,
  othersIn: (message: M) => readonly string[] = () => [],
): readonly M[] {
  const known = new Set<string>();
  let repeats = 0;
  const reading: CallIds = {
    call(given = '', _name, _input, isFixed = false) {
      if (known.has(given) && !isFixed) repeats += 1;
      known.add(given);
      return given;
    },
    result: (given) => given,
  };
  for (const message of settled) nameCalls(message, reading);
  // Nearly every server gives ids of its own.
  if (repeats === 0) return settled;

  for (const message of settled) for (const id of othersIn(message)) known.add(id);
  const copyOf = copier(known, longest);
  /** The calls that had an id: their results follow in their order, but for those that only a provider may answer. */
  const queues = new Map<string, { ids: string[]; next: number; readonly isFixed: boolean }>();
  const naming: CallIds = {
    call(given = '', _name, _input, isFixed = false) {
      const queue = queues.get(given);
      const isCopy = queue !== undefined && !isFixed;
      const id = isCopy ? copyOf(given) : given;
      known.add(id);
      if (isFixed || queue?.isFixed !== false) queues.set(given, { ids: [id], next: 0, isFixed });
      else queue.ids.push(id);
      return id;
    },
    result(given) {
      const queue = queues.get(given ?? '');
      if (queue === undefined) return given;
      const id = queue.ids[queue.next] ?? queue.ids.at(-1);
      queue.next += 1;
      return id;
    },
  };
  return settled.map((message) => nameCalls(message, naming));
}
