/**
 * Hears the keys of a prompt that has the stream: an ESC may end the turn that asks, any key ends a pair of presses, and no
 * prompt library tells of either.
 *
 * Invariant: the stream is neither started nor stopped by us, so nothing is read that the prompt would miss.
 *
 * @module
 */
import type { Releasable } from '../../../../core/inside.ts';
import type { KeyEvent } from '../decoder/key-decoder.ts';
import { KeyReader, type KeyReaderOptions, type TerminalInput } from '../key-reader.ts';

/** Told of a key, with the instant its bytes came. */
export type HearKey = (event: KeyEvent, at: number) => void;

/** Listens from now on. With the release an ESC that is not decided yet is one: the prompt has taken it for that. */
export function hearKeys(
  input: TerminalInput,
  { clock, escTimeoutMs, afterPoll }: KeyReaderOptions,
  hear: HearKey,
): Releasable {
  const reader = new KeyReader({ clock, escTimeoutMs, afterPoll }, (event, at) => {
    hear(event, at);
  });
  const onData = (chunk: Uint8Array | string): void => {
    reader.feed(chunk);
    reader.arm();
  };
  // Only `on` has a stream flow, and only as the first are we told before the prompt acts.
  if (input.prependListener === undefined) input.on('data', onData);
  else input.prependListener('data', onData);
  return {
    release: () => {
      input.removeListener('data', onData);
      reader.settle();
    },
  };
}
