/**
 * Makes a stored transcript legal by the provider's rules. Knows no turn, no ledger and no agent: what a conversation
 * knows it has told already.
 *
 * @module
 */
import { requireFunction } from '../core/foundation/check.ts';
import type { IdPolicy, TranscriptCall, TranscriptDialect } from './dialect.ts';
import { rulesOf } from './dialects/create-dialect.ts';
import type { ToolOutcome } from './from-core.ts';
import { requireMessages } from './reading/require-messages.ts';
import { settleTranscript, type TranscriptChange } from './settle-transcript.ts';
import type { Wording } from './words/wording.ts';

/**
 * Options of {@link repair}.
 *
 * @since 0.1.0
 */
export interface RepairOptions<M, A = never> {
  /** Whose rules apply: `anthropic` of `desist/transcript/anthropic`, for example. */
  readonly dialect: TranscriptDialect<M, A, unknown, unknown>;
  /** Other words for the model, for every cell or for some. */
  readonly wording?: Wording | undefined;
  /** Whether ids and names that the provider refuses are changed: `normalise`, the default, or `keep`. */
  readonly ids?: IdPolicy | undefined;
  /** What became of a call that has no result, where somebody knows. */
  readonly outcomeOf?: ((call: TranscriptCall) => ToolOutcome | undefined) | undefined;
}

/**
 * A transcript that can be sent.
 *
 * @since 0.1.0
 */
export interface RepairedTranscript<M> {
  /** A new list; messages that were legal are the same objects as in the input. */
  readonly messages: M[];
  /** What was done, in the order of the input; empty if nothing had to be. */
  readonly changes: readonly TranscriptChange[];
}

/**
 * Repairs a transcript that comes from elsewhere: each call has exactly one result in the place where the provider wants
 * it, and what was cut in the middle is removed or closed. Of a call without a result the model is told that it may have
 * run, unless `outcomeOf` knows more.
 *
 * Pure and deterministic: the input is not touched, the same input gives the same bytes, and a second time changes nothing.
 *
 * @param messages The transcript, as the provider's SDK types it.
 * @param options The dialect.
 * @returns The messages to keep and to send, and what was changed.
 * @throws TypeError – `messages` is not a list of messages, or an option is not what it should be.
 * @example A call that nobody answered
 * ```ts
 * import { repair } from 'desist/transcript'
 * import { anthropic } from 'desist/transcript/anthropic'
 *
 * const use = { type: 'tool_use', id: 'toolu_1', name: 'remove', input: {} }
 * const { messages } = repair([{ role: 'user', content: 'Clean up' }, { role: 'assistant', content: [use] }], {
 *   dialect: anthropic,
 * })
 * messages.length // => 3
 * ```
 * @source every agent's own `ensureToolResults`; the 400s of the providers
 * @since 0.1.0
 */
export function repair<B, A, const M extends B>(
  messages: readonly M[],
  options: RepairOptions<B, A>,
): RepairedTranscript<M | A> {
  const rules = rulesOf(options);
  const { dialect, wording, ids, outcomeOf } = options;
  if (outcomeOf !== undefined) {
    requireFunction('options.outcomeOf', outcomeOf);
    requireMessages(messages, rules.requireMessage);
  }
  const outcomes =
    outcomeOf === undefined
      ? []
      : rules.callsIn(messages).flatMap((call) => {
          const outcome = outcomeOf(call);
          return outcome === undefined ? [] : [{ ...outcome, id: call.id, name: call.name }];
        });
  const settled = settleTranscript<B, A, M>(messages, { dialect, wording, ids, outcomes, reason: 'unknown' });
  return { messages: settled.messages, changes: settled.changes };
}
