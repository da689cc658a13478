/**
 * Where the user's messages stand that were told to the model in the middle of a framework's loop. The framework does
 * not know of them, so each later call of the same loop has to be told again, in the same places.
 *
 * Invariants: a message stands before everything the framework added after it was told, also where a step sends only a
 * part of the list; it never stands between a call and its result.
 *
 * @module
 */
import { isAlike, likenessOf, type Likeness } from './message-likeness.ts';

interface Told<M> {
  /** How many of the framework's own messages stood before it. */
  readonly at: number;
  /** The last of them. */
  readonly before: Likeness | undefined;
  /** The calls that were there when it was told: a reply with any other came later. */
  readonly calls: ReadonlySet<string>;
  /** The reply that it cut, if any. */
  readonly cut: readonly M[];
  readonly message: M;
}

/** The told messages of one loop. */
export class ToldMessages<M> {
  #told: Told<M>[] = [];
  #first: Likeness | undefined;
  #length = 0;
  readonly #calls = new Set<string>();
  readonly #isJoined: boolean;

  /** @param isJoined Whether the framework makes one reply of all that it is given, in the place of what was cut. */
  constructor(isJoined = false) {
    this.#isJoined = isJoined;
  }

  /**
   * The framework's messages with everything that was told, and with what is told now at the end.
   *
   * @param messages What the framework would send.
   * @param fresh Told from now on.
   * @param cut The reply that those cut, before them until the framework has what was said among its own.
   * Without news it is not told: some providers take the model's own words at the end for a prefix to go on from.
   * @param isOnlyNew Whether the provider holds what was said before, and with it what was told.
   */
  with(messages: readonly M[], fresh: readonly M[], cut: readonly M[] = [], isOnlyNew = false): M[] {
    const list = messages.map(likenessOf);
    if (this.#isOther(list)) this.#told = [];
    if (isOnlyNew) this.#told = this.#told.filter((told) => isEnd(told, list));
    this.#length = messages.length;
    this.#first ??= list[0];
    for (const { ids } of list) for (const id of ids) this.#calls.add(id);
    const all: M[] = [];
    let next = 0;
    for (const told of this.#told) {
      const at = Math.max(next, placeOf(told, list));
      all.push(
        ...messages.slice(next, at),
        ...(isEnd(told, list) || !this.#isSaid(told, list[at]) ? told.cut : []),
        told.message,
      );
      next = at;
    }
    all.push(...messages.slice(next), ...(fresh.length === 0 ? [] : cut), ...fresh);
    const place = { at: messages.length, before: list.at(-1), calls: new Set(this.#calls) };
    fresh.forEach((message, index) => this.#told.push({ ...place, cut: index === 0 ? cut : [], message }));
    return all;
  }

  /** Whether what was cut is in what the framework has made of it. */
  #isSaid({ cut }: Told<M>, own: Likeness | undefined): boolean {
    const words = cut.map((one) => likenessOf(one).words).join('');
    return this.#isJoined || (words !== '' && own?.words.includes(words) === true);
  }

  /** Whether another conversation has begun: with fewer messages than before, none of which this one has. */
  #isOther(list: readonly Likeness[]): boolean {
    const [first] = list;
    if (list.length >= this.#length || first === undefined) return false;
    const isBegun = this.#first !== undefined && isAlike(first, this.#first);
    return !isBegun && isPersons(first) && !list.some(({ ids }) => ids.some((id) => this.#calls.has(id)));
  }
}

/** Before how many of these messages a told one stands. */
function placeOf(told: Told<unknown>, list: readonly Likeness[]): number {
  const { at, calls } = told;
  const later = isThere(told, list) ? -1 : list.findIndex(({ ids }) => ids.some((id) => !calls.has(id)));
  let place = later === -1 ? Math.min(at, list.length) : later;
  // What the reply thought and said before its first call.
  if (later !== -1) while (place > 0 && isModels(list[place - 1] as Likeness)) place -= 1;
  while (place < list.length && isResult(list[place] as Likeness)) place += 1;
  return place;
}

/** Whether what stood before a told one stands there. */
function isThere({ at, before }: Told<unknown>, list: readonly Likeness[]): boolean {
  const last = list[at - 1];
  return before !== undefined && last !== undefined && isAlike(last, before);
}

/** Whether the framework has not gone on since: it asks the same again, or a message has cut the reply to it. */
function isEnd(told: Told<unknown>, list: readonly Likeness[]): boolean {
  return told.at === list.length && isThere(told, list);
}

function isPersons({ kind }: Likeness): boolean {
  return kind === 'user' || kind === 'system' || kind === 'developer';
}

function isModels(one: Likeness): boolean {
  return one.ids.length === 0 && !isPersons(one) && !isResult(one);
}

function isResult({ kind }: Likeness): boolean {
  return kind === 'tool' || kind === 'function' || kind.endsWith('_result') || kind.endsWith('_output');
}
