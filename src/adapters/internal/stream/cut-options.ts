/**
 * What a stream that a cancel cuts is made of.
 *
 * @module
 */
import type { CallScope } from '../call-scope.ts';
import type { SourceIterator } from './source-end.ts';

/** How to read. */
export interface CutOptions<T> {
  /** Opens the source; called with the first read, and never if the token is cancelled by then. */
  readonly open: () => SourceIterator<T> | Promise<SourceIterator<T>>;
  /** Closes what there is of a source that was never opened. Must not hold the stream (C4). */
  readonly discard?: (() => unknown) | undefined;
  /** The call's token and limits; belongs to the stream from here on. */
  readonly scope: CallScope;
  /** Milliseconds that a closed source may take to unwind before it is called abandoned. */
  readonly graceMs: number;
  /** Called with each item, before its reader gets it. What it throws fails the stream. */
  readonly onItem?: ((item: T) => void) | undefined;
  /** Called when the source has ended by itself, before its reader hears of it. What it throws fails the stream. */
  readonly onEnd?: (() => void) | undefined;
  /** Called once when a cancel cut the stream, before the pending reads reject. Must not throw. */
  readonly onCut?: ((error: Error) => void) | undefined;
}
