/**
 * A turn's report and its transcript, settled in one line, by the policy of the application.
 * Above `settleTranscript`, which does the work: this only decides what of an interrupted turn stays.
 * Prior art: the interrupt markers of coding agents; the "edit and resend" of chat applications.
 *
 * @module
 */
import { requireOneOf, show } from '../core/foundation/check.ts';
import type { CancelReason } from '../core/foundation/reason.ts';
import type { PartialOutput, ToolOutcome } from '../core/interrupt/outcomes.ts';
import type { TurnReader, WithoutTurn } from './turns.ts';
import { withoutTurn } from './turns.ts';
import { dialects } from './dialects/table.ts';
import type { SettledMessage, TranscriptDialect, TranscriptMessages } from './dialects/table.ts';
import { requireMessages } from './require-messages.ts';
import {
  settleTranscript,
  type SettledTranscript,
  type SettleTranscriptOptions,
  type TranscriptChange,
} from './settle-transcript.ts';
import { createWords } from './wording.ts';

/**
 * As much of a turn's report as is needed; what `runTurn` resolves with is one.
 *
 * @since 0.1.0
 */
export interface InterruptedTurn {
  readonly status: 'completed' | 'cancelled' | 'failed';
  readonly calls: readonly ToolOutcome[];
  readonly partials: readonly PartialOutput[];
  /** Present if the turn was told to stop. */
  readonly stop?: { readonly reason: CancelReason | undefined } | undefined;
}

/**
 * What stays of an interrupted turn.
 *
 * `keep` everything, cut replies included · `marker` the same, and the transcript ends with the model's side saying that
 * the turn was interrupted, where it does not end in a reply anyway · `drop-turn` nothing: the turn is taken out and the
 * user's messages are given back; for once, as a second call without `turnStart` takes the turn before it.
 *
 * @since 0.1.0
 */
export type TurnPolicy = 'keep' | 'marker' | 'drop-turn';

/**
 * Options of {@link settleTurn}.
 *
 * @since 0.1.0
 */
export interface SettleTurnOptions<D extends TranscriptDialect = TranscriptDialect> extends Pick<
  SettleTranscriptOptions<D>,
  'dialect' | 'held' | 'wording'
> {
  /** What stays of the turn, if it was interrupted; `keep` by default. */
  readonly policy?: TurnPolicy | undefined;
  /**
   * The index of the turn's first message, for `drop-turn`: `messages.length` from before the prompt was pushed. By
   * default the last message of the user, which is a wrong guess if the user spoke while the turn ran.
   */
  readonly turnStart?: number | undefined;
}

/**
 * A transcript that can be sent, and what was given back.
 *
 * @since 0.1.0
 */
export interface SettledTurn<M> extends SettledTranscript<M> {
  /** What the user had said in a turn that was dropped, in order, for the input line; else empty. */
  readonly prompts: readonly M[];
}

const policies: readonly TurnPolicy[] = ['keep', 'marker', 'drop-turn'];

/**
 * Settles the transcript of a turn with what its report says: ledger, cut replies and reason.
 *
 * A turn that was not interrupted is settled and kept whatever the policy. What a dropped turn's tools did stays done,
 * and the model no longer knows of it. `keep` and `marker` change nothing when called again; `drop-turn` takes the turn
 * before it each time, because the one that it took is gone: call it once for a report, or give `turnStart`.
 *
 * @param messages The transcript, with everything that the turn pushed.
 * @param report What `runTurn` resolved with.
 * @param options The dialect and the policy.
 * @returns The messages to keep and to send, what was changed, and the prompts of a dropped turn.
 * @throws TypeError, RangeError – as `settleTranscript`; an unknown policy; a `turnStart` outside of the transcript.
 * @example The person stopped, and gets the prompt back to edit it
 * ```ts
 * import { createReason } from 'desist'
 * import { settleTurn } from 'desist/transcript'
 *
 * const reason = createReason({ kind: 'user', at: 0 })
 * const report = { status: 'cancelled', calls: [], partials: [], stop: { reason } } as const
 * const conversation = [
 *   { role: 'user' as const, content: 'Hello' },
 *   { role: 'assistant' as const, content: 'Hi.' },
 *   { role: 'user' as const, content: 'Count to a milion.' },
 * ]
 * const { messages, prompts } = settleTurn(conversation, report, { dialect: 'openai-chat', policy: 'drop-turn' })
 * messages.length // => 2
 * prompts[0]?.content // => 'Count to a milion.'
 * ```
 * @source codex's turn-aborted marker; "edit and resend"
 * @since 0.1.0
 */
export function settleTurn<const D extends TranscriptDialect, M extends TranscriptMessages[D]>(
  messages: readonly M[],
  report: InterruptedTurn,
  options: SettleTurnOptions<D>,
): SettledTurn<SettledMessage<D, M>> {
  const { dialect, held, wording } = options;
  const name = requireOneOf('options.dialect', dialect, Object.keys(dialects) as D[]);
  const policy = requireOneOf('options.policy', options.policy ?? 'keep', policies);
  requireMessages(messages, dialects[name].requireMessage);
  const turnStart = requireTurnStart(options.turnStart, messages.length);
  const turns = dialects[name].turns as unknown as TurnReader<M>;
  const isInterrupted = report.status === 'cancelled' || (report.status === 'failed' && report.stop !== undefined);
  const reason = report.stop?.reason;

  if (isInterrupted && policy === 'drop-turn') {
    const rest = withoutTurn(messages, turnStart, turns);
    const settled = settleTranscript<D, M>(rest.messages, { dialect, held, wording });
    const prompts = rest.prompts as unknown as readonly SettledMessage<D, M>[];
    return { ...settled, changes: [...settled.changes, ...dropped(messages, rest)], prompts };
  }
  const settled = settleTranscript<D, M>(messages, {
    dialect,
    held,
    wording,
    outcomes: report.calls,
    partials: report.partials,
    reason,
  });
  if (!isInterrupted || policy !== 'marker') return { ...settled, prompts: [] };
  return {
    ...withMarker(
      settled,
      messages.length,
      turns as unknown as TurnReader<SettledMessage<D, M>>,
      createWords(wording)(reason?.kind ?? 'unknown', 'interrupted'),
    ),
    prompts: [],
  };
}

/** Lets the model's side say that the turn ended early, unless it has the last word already. */
function withMarker<M>(
  settled: SettledTranscript<M>,
  at: number,
  turns: TurnReader<M>,
  words: string,
): SettledTranscript<M> {
  const last = settled.messages.at(-1);
  const marker = last === undefined || turns.isReply(last) ? undefined : turns.say(words, last);
  if (marker === undefined) return settled;
  const change = { at, rule: 'turn-marked', what: 'said at the end that the turn was interrupted' };
  const { submit } = settled;
  return {
    messages: [...settled.messages, marker],
    changes: [...settled.changes, change],
    ...(submit === undefined ? {} : { submit: { ...submit, input: [...submit.input, marker] } }),
  };
}

function dropped<M>(messages: readonly M[], rest: WithoutTurn<M>): readonly TranscriptChange[] {
  const { length } = rest.messages;
  const isSplit = length > 0 && rest.messages[length - 1] !== messages[length - 1];
  const at = isSplit ? length - 1 : length;
  const count = messages.length - at;
  if (count === 0) return [];
  return [
    {
      at,
      rule: 'turn-dropped',
      what: `removed the interrupted turn, ${count === 1 ? '1 message' : `${String(count)} messages`}`,
    },
  ];
}

function requireTurnStart(value: unknown, length: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number') throw new TypeError(`options.turnStart must be a number, got ${show(value)}`);
  if (!Number.isInteger(value) || value < 0 || value > length) {
    throw new RangeError(
      `options.turnStart must be an index of messages, 0 to ${String(length)}, got ${String(value)}`,
    );
  }
  return value;
}
