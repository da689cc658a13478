/**
 * Puts a stream down so that whoever comes next reads the terminal, and reads all of it.
 *
 * Invariant: a stream that is put down reads nothing and keeps no process alive.
 *
 * Prior art: what Node does for `process.stdin` when it pauses, and for no other stream of a terminal: those go on
 * reading until their buffer is full, and take the next keys from an editor that they were not meant for.
 *
 * @module
 */
import type { TerminalInput } from '../key-reader.ts';

/** What Node's streams are besides; another runtime's have none of it, and are left as they are. */
interface NodeStream {
  readonly readableFlowing?: boolean | null;
  readonly _handle?: { readonly fd?: number; reading?: boolean; readStop?(): unknown } | null;
  readonly _readableState?: { reading?: boolean };
}

/** Has a stream that nobody reads ask its terminal for nothing more; the next `resume()` asks again. */
export function stopReading(input: TerminalInput): void {
  const { readableFlowing, _handle: handle, _readableState: state } = input as TerminalInput & NodeStream;
  if (readableFlowing !== false || handle?.reading !== true || state === undefined) return;
  handle.reading = state.reading = false;
  handle.readStop?.();
}

/** Pauses a stream, ref'd, as a program finds it. */
export function putDown(input: TerminalInput): void {
  input.pause();
  stopReading(input);
  input.ref?.();
}

/** The file descriptor behind a stream: Node's own terminals say it, a `ReadStream` of `node:tty` does not. */
export function descriptorOf(input: TerminalInput): number | undefined {
  return input.fd ?? (input as TerminalInput & NodeStream)._handle?.fd;
}
