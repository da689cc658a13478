/**
 * Hears ESC beside a prompt that has the stream: whoever asks for permission may want it to end the turn, and no prompt library
 * tells of it.
 *
 * Invariant: the stream is neither started nor stopped by us, so nothing is read that the prompt would miss.
 *
 * @module
 */
import type { Releasable } from '../../../../core/inside.ts';
import { isEscape } from '../decoder/key-event.ts';
import { KeyReader, type KeyReaderOptions, type TerminalInput } from '../key-reader.ts';

/** Told of an ESC, with the instant its bytes came. */
export type HearEscape = (at: number, repeat: boolean) => void;

/** Listens from now on. With the release an ESC that is not decided yet is one: the prompt has taken it for that. */
export function hearEscape(
  input: TerminalInput,
  { clock, escTimeoutMs, afterPoll }: KeyReaderOptions,
  hear: HearEscape,
): Releasable {
  const reader = new KeyReader({ clock, escTimeoutMs, afterPoll }, (event, at) => {
    if (isEscape(event)) hear(at, event.repeat);
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
