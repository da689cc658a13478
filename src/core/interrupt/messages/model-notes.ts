/**
 * The few sentences that a model or a person reads after an interrupt. All are plain exports: say it differently
 * where you like.
 *
 * @module
 */
import { standardKind, type StandardCancelKind } from '../../foundation/cancel-kind.ts';
import { isObject, requireOneOf, requireText, wrongType } from '../../foundation/check.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import type { LateToolOutcome } from '../public-types/outcomes.ts';

const causes = {
  user: 'The user stopped your previous turn before it was finished.',
  interjection: 'Your previous output was cut short because the user sent a new message.',
  superseded: 'Your previous turn was stopped because a newer request took its place.',
  deadline: 'Your previous turn was stopped because it took longer than its time limit.',
  idle: 'Your previous turn was stopped because nothing had moved for too long.',
  budget: 'Your previous turn was stopped because its budget was used up.',
  sibling: 'Your previous turn was stopped because work it depended on failed.',
  disconnect: 'Your previous turn was stopped because the client disconnected.',
  shutdown: 'Your previous turn was stopped because the process was shutting down.',
  'lease-lost': 'Your previous turn was stopped because another process took over this run.',
  ended: 'Your previous turn was stopped because what it was part of is over.',
  unknown: 'Your previous turn was stopped before it was finished.',
} as const satisfies Record<StandardCancelKind, string>;

/**
 * The one-time note for the model after an interrupted turn; only a person's stop is called one.
 *
 * @param reason What `consumeWasInterrupted()` returned.
 * @returns One bracketed paragraph, to put before the next prompt.
 * @example
 * ```ts
 * import { CancellationToken, interruptedNote } from 'desist'
 *
 * const { reason } = CancellationToken.alreadyCancelled('deadline')
 * reason && interruptedNote(reason).includes('user') // => false
 * ```
 * @since 0.1.0
 */
export function interruptedNote(reason: CancelReason): string {
  requireReason(reason);
  const next =
    reason.kind === 'user'
      ? 'Do not resume or retry it on your own; follow the next message.'
      : 'Some of its tool calls may have no effect or only part of it; check before you rely on them.';
  return `[${causes[standardKind(reason.kind)]} ${next}]`;
}

/**
 * The note for a model whose output was cut, and which is to go on from where it was.
 *
 * @param reason What cut it.
 * @returns One bracketed paragraph, to put behind the partial output.
 * @since 0.1.0
 */
export function continuationNote(reason: CancelReason): string {
  requireReason(reason);
  const cause = reason.kind === 'idle' ? ' because nothing had moved for too long' : '';
  return `[Your output was cut off${cause}. Go on exactly where it ends; do not repeat it.]`;
}

/**
 * The line a person sees after an interrupt.
 *
 * @param name The agent's name.
 * @returns One sentence.
 * @example
 * ```ts
 * import { interruptedLine } from 'desist'
 *
 * interruptedLine('Ada') // => 'Interrupted. Tell Ada what to do instead.'
 * ```
 * @since 0.1.0
 */
export function interruptedLine(name: string): string {
  requireText('name', name);
  return `Interrupted. Tell ${name} what to do instead.`;
}

/**
 * How a message that was typed while the agent worked is put to the model.
 *
 * @param text What the person typed.
 * @returns The text behind a fixed mark, which {@link PRIORITY_INSTRUCTION} explains to the model.
 * @example
 * ```ts
 * import { priorityMessage } from 'desist'
 *
 * priorityMessage('use pnpm') // => '[PRIORITY USER MESSAGE]: use pnpm'
 * ```
 * @since 0.1.0
 */
export function priorityMessage(text: string): string {
  return `[PRIORITY USER MESSAGE]: ${text}`;
}

/** A message for the working agent as a text for its model, marked: a text as it is, anything else as JSON. */
export function messageText(message: unknown): string {
  return priorityMessage(typeof message === 'string' ? message : JSON.stringify(message));
}

/**
 * For the system prompt: what a model should make of a {@link priorityMessage}.
 *
 * @since 0.1.0
 */
export const PRIORITY_INSTRUCTION: string =
  'A message that starts with [PRIORITY USER MESSAGE] was typed by the user while you were working. ' +
  'Acknowledge it briefly, adjust what you are doing, and let it take precedence over your current plan.';

const lateWords = {
  completed: 'has completed since. Its effects are real: do not repeat it.',
  failed: 'has failed since.',
  stopped: 'has been stopped since; what it had already done may remain.',
} as const satisfies Record<LateToolOutcome['status'], string>;

/**
 * The note for the model about a call that ended after its turn had been answered without it.
 *
 * @param outcome One of `agent.takeLateOutcomes()`.
 * @returns One bracketed paragraph, to put before the next prompt.
 * @example
 * ```ts
 * import { lateNote } from 'desist'
 *
 * const late = { id: 'c1', name: 'pay', turnId: 1, was: 'unknown', status: 'completed', value: 'paid', at: 0 } as const
 * lateNote(late).includes('has completed since') // => true
 * ```
 * @since 0.1.0
 */
export function lateNote(outcome: LateToolOutcome): string {
  if (!isObject(outcome)) throw wrongType('outcome', 'a late outcome', outcome);
  const { id, name, was, status, message } = outcome;
  requireOneOf('outcome.status', status, ['completed', 'failed', 'stopped']);
  const earlier = was === 'detached' ? 'which was sent to the background' : 'which had not reacted to the stop';
  const said = status === 'completed' ? seenIn(outcome) : message;
  const result = said === undefined ? '' : ` Result: ${asText(said)}`;
  return `[The earlier call ${name} (${id}), ${earlier}, ${lateWords[status]}${result}]`;
}

/** What the model may see of the result: a form that is a text, as the AI SDK has it, is that text. */
function seenIn(outcome: LateToolOutcome): unknown {
  if (!('shown' in outcome)) return outcome.value;
  const { shown } = outcome;
  const { type, value } = (isObject(shown) ? shown : {}) as { readonly type?: unknown; readonly value?: unknown };
  return (type === 'text' || type === 'error-text') && typeof value === 'string' ? value : shown;
}

/** One that was read from JSON will do. */
function requireReason(reason: unknown): void {
  const { kind }: { readonly kind?: unknown } = isObject(reason) ? reason : {};
  if (typeof kind !== 'string') throw wrongType('reason', 'a reason with a kind', reason);
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    const json: unknown = JSON.stringify(value);
    // Its type says otherwise, but a function has no JSON.
    return typeof json === 'string' ? json : String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
