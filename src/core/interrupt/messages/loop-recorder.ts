/**
 * The port between the adapters of frameworks and a conversation: what a model is asked and what it says, told at the
 * boundary of the model, where it is known.
 *
 * @module
 */
import { recorderKey } from '../../foundation/brand.ts';
import { isObject } from '../../foundation/check.ts';
import type { ModelContext } from '../calls/model-context.ts';
import type { ModelOptions } from '../public-types/call-options.ts';
import type { Interjection } from '../public-types/messages.ts';
import type { ModelOutcome } from '../public-types/outcomes.ts';
import type { Turn } from '../public-types/turn.ts';

/** A turn of an agent, or of a conversation. */
export type AnyTurn = Omit<Turn, 'model'>;

/** How a reply is read. */
export interface RecordedReply<T> {
  /** A reply of the conversation's dialect: a message, a fold, or what else the dialect takes for one. */
  readonly read: (value: T) => unknown;
  /** A reply that a message cut and that the framework goes on from as if it were whole; `undefined` for any other. */
  readonly endedByCut?: (() => unknown) | undefined;
  /** Whether somebody may run its calls without a row in the ledger. */
  readonly mayRunUnseen?: boolean | undefined;
}

/** What a framework tells its model of a call: the output in its own form, or the whole message. */
export type ToldResult = { readonly output: unknown } | { readonly message: unknown };

/** What records the loop of a framework in its conversation. */
export interface LoopRecorder {
  /** The turn behind the conversation's. */
  readonly turn: Turn;
  /** Whose messages it takes: loops of no other framework, but for what runs aside. */
  readonly dialect: string;
  /** An id for a call, asked for before anybody sees the call: the one that the model gave it, unless another call has that. */
  readonly callId: (given: string) => string;
  /** `turn.model`, of which the reply is taken. @throws TypeError – as a rejection: another call is running. */
  readonly model: <T>(
    call: (context: ModelContext) => T | PromiseLike<T>,
    options: ModelOptions,
    reply: RecordedReply<T>,
  ) => Promise<ModelOutcome<T>>;
  /** The model is asked with what is there: nothing of that changes any more. */
  readonly asked: () => void;
  /** What a person said meanwhile stands where it was read; each message once. */
  readonly read: (messages: readonly Interjection[]) => void;
  /** What the framework tells its model of a call, in its own form, which goes before ours. */
  readonly told: (id: string, result: ToldResult) => void;
  /** The framework has begun a call: from here on it may have run. */
  readonly began: (id: string) => void;
  /** The framework makes something of the reply that holds a call. */
  readonly amend: (id: string, change: (message: unknown) => unknown) => void;
}

/** What records the loops under a turn; `undefined` where the turn is of no conversation. */
export function recorderOf(turn: unknown): LoopRecorder | undefined {
  return isObject(turn) ? (turn as { readonly [recorderKey]?: LoopRecorder })[recorderKey] : undefined;
}
