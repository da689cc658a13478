/**
 * The reads of one stream that wait for an answer: one as a rule, and a queue for whoever asks ahead. Prior art:
 * WHATWG's list of read requests.
 *
 * @module
 */

/** What a read settles with. */
export type Result<T> = IteratorResult<T, undefined>;

/** Settles one read. */
export interface Read<T> {
  readonly resolve: (result: Result<T>) => void;
  readonly reject: (error: unknown) => void;
}

/** The result at the end. */
export const finished = { done: true, value: undefined } as const;

/** A closure per read would cost as much as the read: the executor leaves what it was given here, to be taken at once. */
const none: Read<unknown> = { resolve: () => undefined, reject: () => undefined };
let given = none;
function giveAway(resolve: (result: Result<unknown>) => void, reject: (error: unknown) => void): void {
  given = { resolve, reject };
}

/** A new promise; `openedRead()` settles it, and must be asked before anything else is done. */
export function openRead<T>(): Promise<Result<T>> {
  return new Promise(giveAway) as Promise<Result<T>>;
}

/** What settles the promise that `openRead()` made last. */
export function openedRead<T>(): Read<T> {
  const read = given as Read<T>;
  given = none;
  return read;
}

/** The reads that are pending, oldest first. */
export class PendingReads<T> {
  /** The oldest, or the only one there is. */
  first: Read<T> | undefined;
  /** Those that overlap it; a `for await` has none. */
  others: Set<Read<T>> | undefined;

  get isEmpty(): boolean {
    return this.first === undefined && this.others === undefined;
  }

  add(read: Read<T>): void {
    if (this.isEmpty) this.first = read;
    else (this.others ??= new Set()).add(read);
  }

  has(read: Read<T>): boolean {
    return this.first === read || this.others?.has(read) === true;
  }

  delete(read: Read<T>): void {
    if (this.first === read) this.first = undefined;
    else if (this.others?.delete(read) === true && this.others.size === 0) this.others = undefined;
  }

  /** Empties the list. */
  takeAll(): Read<T>[] {
    const reads = [...(this.first === undefined ? [] : [this.first]), ...(this.others ?? [])];
    this.first = this.others = undefined;
    return reads;
  }
}
