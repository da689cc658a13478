/**
 * What the model reads of what did not come to its end, in the words of the dialect that the caller gave.
 *
 * @module
 */
import { neutralReasonText, type CancelReason } from '../../core/inside.ts';
import { toldValue } from '../../guard/results/late-values.ts';
import { textOf, type ToldOutcome, type WordsOf } from '../../guard/told-words.ts';
import { partsOf, type Reply, type ToolResult } from './shapes.ts';

/**
 * What a call gives the loop: its result, if it came before the stop; what it came to in words, if it came after.
 *
 * @param reason Why the turn ended, if it has.
 * @throws What the tool threw. Error – the call has no result; its message is what the model reads.
 */
export function resultOf(dialect: WordsOf, outcome: ToldOutcome, reason: CancelReason | undefined): ToolResult {
  if (outcome.status === 'failed') throw outcome.error;
  if (outcome.status !== 'completed') throw new Error(dialect.texts.outcome(outcome, reason));
  return toldValue(outcome, { dialect }, reason) as ToolResult;
}

/** What the model may see of a result: its words, or its parts where some are no words. */
export function shownOf(result: unknown): unknown {
  const parts = partsOf(result);
  return parts.every(({ type }) => type === 'text') ? textOf(result) : parts;
}

/** A cut reply as the loop ends it after a stop: with all that had come. */
export function abortedReply(reply: Reply): Reply {
  return { ...reply, stopReason: 'aborted', errorMessage: neutralReasonText };
}

/**
 * A cut reply as the next request has it: what had been said, without half a call. The SDK leaves all of an aborted reply
 * out.
 *
 * @param words Makes the text of what had been said.
 * @returns `undefined` if nothing had been said.
 */
export function keptReply(reply: Reply, words: (said: string) => string = (said) => said): Reply | undefined {
  const said = textOf(reply.content);
  if (said.trim() === '') return undefined;
  const { errorMessage: _none, ...rest } = reply;
  return { ...rest, content: [{ type: 'text', text: words(said) }], stopReason: 'stop' };
}

/** The loop has to see a cut reply as aborted, to end there; the next request leaves such a one out. */
export function keepWhatWasSaid(
  state: { messages: readonly object[] },
  cut: ReadonlyMap<object, Reply | undefined>,
): void {
  if (!state.messages.some((message) => cut.has(message))) return;
  state.messages = state.messages.flatMap((message) => (cut.has(message) ? (cut.get(message) ?? []) : [message]));
}
