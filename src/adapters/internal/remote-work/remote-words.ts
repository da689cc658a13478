/**
 * What the engine of remote work and its callers say to each other: what it has to know of a piece of work, the words that the other
 * side says of it, and its name.
 *
 * Prior art: the protocol's `tasks/cancel` of MCP, `CancelTask` of A2A.
 *
 * @module
 */
import { requireFunction, requireMs, show } from '../../../core/inside.ts';

/** How a piece of work ended, as its own last word says it. */
export type RemoteEnd = 'completed' | 'cancelled' | 'failed';

/** What the engine has to know of one piece of work. */
export interface RemoteWorkOptions<R> {
  /** Asks the other side to cancel the work. Its signal fires when nobody waits for the answer any more. */
  readonly cancel: (id: string, context: { readonly signal: AbortSignal }) => unknown;
  /** What is over with the answer to `cancel`: the work, or only the question. */
  readonly until: 'answer' | 'end';
  /** Whether that answer may overtake the last of what the work says. */
  readonly mayOvertake?: boolean | undefined;
  /** What the work's result says of its end; `undefined` if it says nothing. Asked once, when the result is there. */
  readonly endOf?: ((result: R) => RemoteEnd | undefined) | undefined;
  /** The name of the work, where it is known from the start. */
  readonly id?: string | undefined;
  /** Told of the name, once. What it throws, now or later, is reported and is nothing to the work. */
  readonly onNamed?: ((id: string) => unknown) | undefined;
  /** Milliseconds that are left to work without a name, and to the question then, once its grace is over. */
  readonly nameMs: number;
  /** Names the work in errors, before its id. */
  readonly name: string;
}

/** What the other side says of the work before its request has ended. */
export interface RemoteWord<R> {
  readonly id?: string | undefined;
  /**
   * The work is over, or nobody can read on: what comes of its request is no matter any more, and it is left. Whether the
   * work has said so itself.
   */
  readonly last?: { readonly value: R } | { readonly error: unknown; readonly isSaid: boolean } | undefined;
}

/** What the function that starts the work is given. */
export interface RemoteContext<R> {
  readonly signal: AbortSignal;
  /** Takes in a word when it arrives: the whole of it, before a stop or whoever is told of it can act. */
  readonly heard: (word: RemoteWord<R>) => void;
  /** Takes in the name alone. */
  readonly named: (id: string) => void;
}

/** The name of work that runs elsewhere, for errors and reports: with its id, so that somebody can look. */
export function remoteName(name: string, id: string | undefined): string {
  return id === undefined ? name : `${name} ${id}`;
}

/** @throws TypeError – no name: nothing can be asked of work that has none. */
export function requireId(what: string, id: unknown): asserts id is string {
  if (typeof id !== 'string' || id === '')
    throw new TypeError(`${what} must be a string that is not empty, got ${show(id)}`);
}

/** Checks what a caller says of the question, before anything is sent. */
export function requireRemote(options: Pick<RemoteWorkOptions<never>, 'cancel' | 'id' | 'onNamed' | 'nameMs'>): void {
  requireFunction('options.cancel', options.cancel);
  if (options.onNamed !== undefined) requireFunction('onNamed', options.onNamed);
  if (options.id !== undefined) requireId('id', options.id);
  requireMs('nameMs', options.nameMs, 'finite');
}
