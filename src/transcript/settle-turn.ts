/**
 * A turn's report and its transcript, settled in one line, by the policy of the application.
 * Above `settleTranscript`, which does the work: this only decides what of an interrupted turn stays.
 * Prior art: the interrupt markers of coding agents; the "edit and resend" of chat applications.
 *
 * @module
 */
import { requireOneOf } from '../core/foundation/check.ts';
import { rulesOf } from './dialects/create-dialect.ts';
import { requireTurnStart } from './dialects/requirements.ts';
import type { CancelReason, PartialOutput, ToolOutcome } from './from-core.ts';
import { requireMessages, requireRecord } from './reading/require-messages.ts';
import { turnEnd } from './reading/partials.ts';
import { withoutTurn, type TurnReader, type WithoutTurn } from './reading/turns.ts';
import {
  settleTranscript,
  settleWith,
  type SettledTranscript,
  type SettleTranscriptOptions,
  type TranscriptChange,
} from './settle-transcript.ts';
import { holdsWords } from './words/values.ts';
import { createWords } from './words/wording.ts';

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
export interface SettleTurnOptions<M, A = never> extends Pick<
  SettleTranscriptOptions<M, A>,
  'dialect' | 'held' | 'wording' | 'render' | 'ids' | 'turnStart'
> {
  /** What stays of the turn, if it was interrupted; `keep` by default. */
  readonly policy?: TurnPolicy | undefined;
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

const statuses: readonly InterruptedTurn['status'][] = ['completed', 'cancelled', 'failed'];
const policies: readonly TurnPolicy[] = ['keep', 'marker', 'drop-turn'];

/**
 * Settles the transcript of a turn with what its report says: ledger, cut replies and reason.
 *
 * A turn that was not interrupted is settled and kept whatever the policy. What a dropped turn's tools did stays done,
 * and the model no longer knows of it. `keep` and `marker` change nothing when called again, also behind the next prompt,
 * but where the messages do not tell whose the report is: without `turnStart`, once the next turn has gone further than
 * the one that was cut, or where that had ended in a whole reply and left nothing behind. `drop-turn` takes the turn before it each time, because the one that it took is gone: call it
 * once for a report.
 * Where a server holds the turn that is dropped, `submit` goes on from the response before it, if that is known, and answers
 * the turn's calls if not.
 * A prompt that was pushed before settling stays last if `turnStart` is given, which `drop-turn` wants as well: by
 * default the turn begins at the last message of the user, a wrong guess if the user spoke while it ran.
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
 * import { openaiChat } from 'desist/transcript/openai-chat'
 *
 * const reason = createReason({ kind: 'user', at: 0 })
 * const report = { status: 'cancelled', calls: [], partials: [], stop: { reason } } as const
 * const conversation = [
 *   { role: 'user' as const, content: 'Hello' },
 *   { role: 'assistant' as const, content: 'Hi.' },
 *   { role: 'user' as const, content: 'Count to a milion.' },
 * ]
 * const { messages, prompts } = settleTurn(conversation, report, { dialect: openaiChat, policy: 'drop-turn' })
 * messages.length // => 2
 * prompts[0]?.content // => 'Count to a milion.'
 * ```
 * @source codex's turn-aborted marker; "edit and resend"
 * @since 0.1.0
 */
export function settleTurn<B, A, const M extends B>(
  messages: readonly M[],
  report: InterruptedTurn,
  options: SettleTurnOptions<B, A>,
): SettledTurn<M | A> {
  const rules = rulesOf(options);
  const policy = requireOneOf('options.policy', options.policy ?? 'keep', policies);
  requireMessages(messages, rules.requireMessage);
  const turnStart = requireTurnStart(options, messages, rules);
  const { dialect, held, wording, render, ids } = options;
  const turns = rules.turns as unknown as TurnReader<M | A>;
  requireOneOf('report.status', requireRecord('report', report)['status'], statuses);
  const isInterrupted = report.status === 'cancelled' || (report.status === 'failed' && report.stop !== undefined);
  const reason = report.stop?.reason;

  if (isInterrupted && policy === 'drop-turn') {
    const rest = withoutTurn<M | A>(messages, turnStart, turns);
    const kept = rest.messages as readonly M[];
    const before = held && rules.heldBefore?.(held, kept, messages.slice(kept.length));
    const settled = settleTranscript<B, A, M>(kept, { dialect, held: before, wording, ids });
    const changes = [...settled.changes, ...dropped(messages, rest)];
    if (held === undefined || before !== undefined) return { ...settled, changes, prompts: rest.prompts };
    // What the server holds of the turn stays there, and nothing is taken that leaves its calls open.
    const { calls: outcomes } = report;
    const given = { dialect, held, wording, render, ids, turnStart, outcomes, reason };
    const { submit } = settleTranscript<B, A, M>(messages, given);
    const input = (rules.answersIn?.(submit?.input as never) ?? []) as unknown as (M | A)[];
    return { ...settled, changes, submit: { ...submit, input }, prompts: rest.prompts };
  }
  const { calls: outcomes, partials } = report;
  const given = { dialect, held, wording, render, ids, turnStart, outcomes, partials, reason };
  const { settled, wasTold } = settleWith<B, A, M>(
    messages,
    given,
    report.stop === undefined && report.status !== 'cancelled',
  );
  if (!isInterrupted || policy !== 'marker' || wasTold) return { ...settled, prompts: [] };
  const say = createWords(wording);
  const words = say(reason?.kind ?? 'unknown', 'interrupted');
  const at = turnStart === undefined ? messages.length : turnEnd(messages, turnStart, turns);
  const cut = turnStart === undefined ? undefined : partials.at(-1)?.reason.kind;
  if (isMarked(messages, turnStart, turns, [words, ...(cut === undefined ? [] : [say(cut, 'cut')])])) {
    return { ...settled, prompts: [] };
  }
  const marked = withMarker(settled, { at, pushed: messages.slice(at) }, turns, words);
  if (marked === settled || marked.submit !== undefined) return { ...marked, prompts: [] };
  // What was still going on at the end cannot go on before the marker.
  const closed = settleTranscript<B, A, M>(marked.messages as readonly M[], { dialect, wording, ids });
  return { messages: closed.messages, changes: [...marked.changes, ...closed.changes], prompts: [] };
}

/** Whether the model's side has said already how the turn ended, also before prompts that came after it. */
function isMarked<M>(
  messages: readonly M[],
  turnStart: number | undefined,
  turns: TurnReader<M>,
  ends: readonly string[],
): boolean {
  const isMarker = (message: M | undefined): boolean =>
    message !== undefined && turns.isReply(message) && ends.some((words) => holdsWords(message, words));
  if (turnStart !== undefined) return messages.slice(turnStart).some(isMarker);
  return isMarker(messages[turnEnd(messages, 0, turns) - 1]);
}

/** Lets the model's side say that the turn ended early, before `pushed`, unless it has the last word already. */
function withMarker<M>(
  settled: SettledTranscript<M>,
  { at, pushed }: { readonly at: number; readonly pushed: readonly M[] },
  turns: TurnReader<M>,
  words: string,
): SettledTranscript<M> {
  const { turn } = apart(settled.messages, pushed, turns);
  const last = turn.at(-1);
  const marker = last === undefined || turns.isReply(last) ? undefined : turns.say(words, last);
  if (marker === undefined) return settled;
  const change = { at, rule: 'turn-marked', what: 'said at the end that the turn was interrupted' };
  const { submit } = settled;
  return {
    messages: withMark(settled.messages),
    changes: [...settled.changes, change],
    ...(submit === undefined ? {} : { submit: { ...submit, input: withMark(submit.input) } }),
  };

  function withMark(messages: readonly M[]): M[] {
    const parts = apart(messages, pushed, turns);
    return [...parts.turn, marker as M, ...parts.rest];
  }
}

/** What was said after a turn, apart from it; of a message that answers the calls of the turn as well, the answers are the turn's. */
function apart<M>(
  messages: readonly M[],
  pushed: readonly M[],
  turns: TurnReader<M>,
): { readonly turn: readonly M[]; readonly rest: readonly M[] } {
  let place = messages.length;
  while (place > 0 && pushed.includes(messages[place - 1] as M)) place -= 1;
  const [turn, rest] = [messages.slice(0, place), messages.slice(place)];
  const split = rest.length < pushed.length && place > 0 ? turns.split(messages[place - 1] as M) : undefined;
  return split === undefined
    ? { turn, rest }
    : { turn: [...turn.slice(0, -1), split.answers], rest: [split.prompt, ...rest] };
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
