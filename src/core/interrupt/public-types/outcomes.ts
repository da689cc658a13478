/**
 * What happened to each tool call and to each model call, as data. Transcripts and reports read these rows without
 * needing the machine. Prior art: Trio's `outcome`, `Promise.allSettled`.
 *
 * @module
 */
import type { CancelReason, JsonValue } from '../../foundation/reason.ts';
import type { Interjection } from './messages.ts';

/**
 * The eight words of the tool ledger.
 *
 * `completed` it returned · `failed` it threw · `not-started` the stop came first · `stopped` it was stopped part-way ·
 * `unknown` it did not react and may still be running · `skipped` a newer message came first · `declined` the person
 * said no to this call · `detached` it was sent to the background and goes on there.
 *
 * @since 0.1.0
 */
export type ToolStatus =
  | 'completed'
  | 'failed'
  | 'not-started'
  | 'stopped'
  | 'unknown'
  | 'skipped'
  | 'declined'
  | 'detached';

/** What every row of the ledger says. */
interface ToolOutcomeBase<C> {
  /** The provider's id of the call. */
  readonly id: string;
  /** The tool's name. */
  readonly name: string;
  /** The call as it was given. */
  readonly call: C;
  /** Milliseconds from start to outcome; 0 for a call that never started. */
  readonly ms: number;
}

/**
 * Exactly one per call.
 *
 * @since 0.1.0
 */
export type ToolOutcome<R = unknown, C = unknown> = ToolOutcomeBase<C> &
  (
    | {
        readonly status: 'completed';
        readonly value: R;
        /** It returned after it had been told to stop: its effects are real, all the same. */
        readonly afterStop?: true;
        /** Why, with `afterStop`: the stop of this call, which may not be that of its turn. */
        readonly reason?: CancelReason;
      }
    | { readonly status: 'failed'; readonly error: unknown }
    | { readonly status: 'not-started' | 'skipped'; readonly reason: CancelReason }
    | {
        readonly status: 'stopped' | 'unknown';
        readonly reason: CancelReason;
        /** What the tool had produced, if it told; or else what it had committed. */
        readonly partial?: unknown;
        /** The name of the sub-agent that was interrupted by itself, if that is why. */
        readonly by?: string;
      }
    | {
        readonly status: 'declined';
        /** What the person said with it, for the model to read as their words. */
        readonly userMessage?: string;
      }
    | {
        readonly status: 'detached';
        /** What the tool had produced when it was sent to the background, if it told. */
        readonly partial?: unknown;
      }
  );

/**
 * What became, in the end, of a call that the ledger could not wait for.
 *
 * @since 0.1.0
 */
export interface LateToolOutcome {
  /** The provider's id of the call. */
  readonly id: string;
  /** The tool's name. */
  readonly name: string;
  /** The call as it was given; after `restore` it is gone. */
  readonly call?: unknown;
  readonly turnId: number;
  /** What the ledger said of it: it did not react to the stop, or it was sent to the background. */
  readonly was: 'unknown' | 'detached';
  readonly status: 'completed' | 'failed' | 'stopped';
  /** With `completed`: what it returned; after `restore`, as JSON has it. */
  readonly value?: unknown;
  /** What the model may see in the place of `value`, where the tool's framework would have told it something else. */
  readonly shown?: unknown;
  /** With `failed`: what it threw, in words. */
  readonly message?: string;
  /** Epoch milliseconds of its end. */
  readonly at: number;
}

/**
 * {@link LateToolOutcome} as JSON, for a snapshot.
 *
 * @since 0.1.0
 */
export type LateToolOutcomeJSON = Omit<LateToolOutcome, 'call' | 'value' | 'shown'> & {
  readonly value?: JsonValue;
  readonly shown?: JsonValue;
};

/**
 * What a cut model call had produced before it was cut.
 *
 * A turn may ask several models, each in a client of its own, so the report knows the type of none: narrow the value where you read it.
 *
 * @example The words of replies that were cut
 * ```ts
 * import { InterruptController } from 'desist'
 *
 * const isReply = (value: unknown): value is { text: string } => value instanceof Object && 'text' in value
 *
 * const agent = new InterruptController()
 * const { partials } = await agent.runTurn((turn) =>
 *   turn.model(({ partial }) => {
 *     partial({ text: 'Half a ' }) // a fold of `desist/llm` gives such replies
 *     agent.cancel()
 *   }),
 * )
 * partials.map(({ value }) => value).filter(isReply).map(({ text }) => text) // => ['Half a ']
 * ```
 * @since 0.1.0
 */
export interface PartialOutput {
  /** Which model call of the turn, from 1. */
  readonly modelCall: number;
  /** The last value given to `ctx.partial`, or what the cut call returned; of a call with a fold, what the fold had. */
  readonly value: unknown;
  /** What cut it. */
  readonly reason: CancelReason;
}

/**
 * What a model call came to.
 *
 * @since 0.1.0
 */
export type ModelOutcome<T, M = unknown> = {
  /** The messages that this call has shown to the model. */
  readonly delivered: readonly Interjection<M>[];
} & (
  | { readonly status: 'completed'; readonly value: T }
  | {
      /** A message came first: the output is cut, and nothing in it is to be run. */
      readonly status: 'interjected';
      /** What `partial` was given last, or what the cut call returned. */
      readonly partial: unknown;
      readonly reason: CancelReason;
      /** What the client threw when it was cut, if it was not a cancellation. */
      readonly error?: unknown;
    }
);
