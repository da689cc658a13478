/**
 * What a dialect must be able to do, and what it is told.
 * Apart from the table so that a dialect can name its contract without importing its neighbours.
 *
 * @module
 */
import type { CancelReason } from '../../core/foundation/reason.ts';
import type { PartialOutput, ToolOutcome } from '../../core/interrupt/outcomes.ts';
import type { HeldState, Submission } from '../held.ts';
import type { Entry } from '../partials.ts';
import type { RequireMessage } from '../require-messages.ts';
import type { TurnReader } from '../turns.ts';
import type { Words } from '../wording.ts';

/** Writes down one finding: the index of a message in the input, the rule, and what was found or done, in words. */
export type Note = (at: number, rule: string, what: string) => void;

/** Writes down what was done at a place among the entries as what was done at a place of the input. */
export function noteOfEntries(entries: readonly Entry<unknown>[], note: Note): Note {
  return (at, rule, what) => note(entries[at]?.at ?? at, rule, what);
}

/** What is known about the turn that ended. */
export interface TurnRecord {
  readonly outcomes: readonly ToolOutcome[];
  /** In the order of the model calls. */
  readonly partials: readonly PartialOutput[];
  readonly reason: CancelReason | undefined;
  readonly words: Words;
  readonly note: Note;
  /** What the server holds; only a dialect that `canBeHeld` is ever given one. */
  readonly held?: HeldState | undefined;
}

/** What a dialect gives back. */
export interface DialectResult<M> {
  readonly messages: M[];
  /** What to send where the server holds the conversation. */
  readonly submit?: Submission<M>;
}

/** One provider's rules, twice: how to make a transcript legal, and how to tell that it is not. */
export interface Dialect<M> {
  /** Makes the transcript legal. Leaves its input alone and reuses every message that did not change. */
  readonly settle: (messages: readonly M[], turn: TurnRecord) => DialectResult<M>;
  /** Notes every breach. Shares no code with `settle`: the one is tested by the other. */
  readonly check: (messages: readonly M[], note: Note) => void;
  /** What is a prompt and what a reply, for policies that treat a turn as a whole. */
  readonly turns: TurnReader<M>;
  /** Whether there are servers that hold a conversation of this dialect. */
  readonly canBeHeld?: true;
  /** What a message has to be, where that is more or less than a role and content. */
  readonly requireMessage?: RequireMessage;
}
