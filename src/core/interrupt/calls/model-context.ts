/**
 * What a model call is given.
 *
 * @module
 */
import { lazyMembers } from '../../combinators/engine/lazy-members.ts';
import { progressOf, type CancelContext } from '../../combinators/engine/work-context.ts';
import { holdKey } from '../../foundation/brand.ts';
import { isObject, requireNames, wrongType, type OptionNames } from '../../foundation/check.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import type { Interjection } from '../public-types/messages.ts';
import type { Holding } from '../messages/hold-messages.ts';
import { operationMembers, type CancelTurn, type OperationHost } from './operation-context.ts';

/**
 * What a recovered model call goes on from.
 *
 * @since 0.1.0
 */
export interface Continuation {
  /** What `partial` was given last, or what the cut call returned. */
  readonly partial: unknown;
  readonly reason: CancelReason;
  /** One bracketed sentence for the model. */
  readonly note: string;
}

/**
 * What a model call is given.
 *
 * @since 0.1.0
 */
export interface ModelContext<M = unknown> extends CancelContext {
  /** Which model call of the turn this is, from 1; a further attempt counts as a call of its own; 0 for an aside. */
  readonly modelCall: number;
  /**
   * Reads the messages that wait for this call, in the order of sending; in a further attempt of the call what has come since
   * stands behind them. Put them into the request: they count as delivered when the call returns (`reply.delivered`), and
   * wait for the next one when it throws.
   *
   * @returns The same list each time, until the next attempt.
   */
  readonly readInterjections: () => readonly Interjection<M>[];
  /** Keeps what has come so far; the next value replaces it. Also counts as progress. */
  readonly partial: (value: unknown) => void;
  /**
   * Tells how many output tokens the call has produced so far, for the turn's budget; the highest number counts.
   *
   * @throws TypeError – not a number, or no `outputTokens` among other fields. RangeError – NaN, infinite or below 0.
   */
  readonly usage: (usage: { readonly outputTokens?: number | undefined }) => void;
  /**
   * Stops the turn from within this call, with kind `unknown` if you do not say. The receipt may be awaited here: its
   * report waits for everything else, and says `caller` of this call.
   */
  readonly cancelTurn: CancelTurn;
  /** The budget is used up, and this is one of the calls to end with: give the model no tools, and say so. */
  readonly isWrapUp: boolean;
  /** The attempt before this one ran into its limit: what it had produced, and a note to go on from there. */
  readonly continuation: Continuation | undefined;
}

/** What the context shows of the attempt that it is made for. */
interface ShownAttempt extends Pick<ModelContext, 'modelCall' | 'isWrapUp' | 'continuation'> {
  partial: { readonly value: unknown } | undefined;
  isCutByMessage: boolean;
  readInterjections(): readonly Interjection[];
  progress(idleMs?: number): void;
  produced(outputTokens: number): void;
}

const usageNames: OptionNames<Parameters<ModelContext['usage']>[0]> = { outputTokens: 1 };

type ModelHost = OperationHost<ShownAttempt>;
type HeldContext = ModelContext & Holding;

/** The context of one attempt of a model call. */
export const modelContext: (host: ModelHost) => ModelContext = /* @__PURE__ */ lazyMembers<ModelHost, HeldContext>(
  () => ({
    ...operationMembers,
    modelCall: ({ owner: attempt }) => attempt.modelCall,
    continuation: ({ owner: attempt }) => attempt.continuation,
    isWrapUp: ({ owner: attempt }) => attempt.isWrapUp,
    [holdKey]:
      ({ owner: attempt }) =>
      () => {
        attempt.isCutByMessage = false;
      },
    readInterjections:
      ({ owner: attempt }) =>
      () =>
        attempt.readInterjections(),
    progress: ({ owner: attempt }) => progressOf(attempt),
    partial:
      ({ owner: attempt }) =>
      (value) => {
        attempt.progress();
        attempt.partial = { value };
      },
    usage:
      ({ owner: attempt }) =>
      (usage) => {
        if (!isObject(usage)) throw wrongType('usage', 'an object such as { outputTokens: 120 }', usage);
        // A client's own count has more fields; one without this one is misspelt.
        if (!('outputTokens' in usage)) requireNames('usage', usage, usageNames);
        const { outputTokens = 0 } = usage;
        if (typeof outputTokens !== 'number') throw wrongType('outputTokens', 'a number', outputTokens);
        if (!(outputTokens >= 0 && outputTokens < Infinity))
          throw new RangeError(`outputTokens must be a finite number, 0 or more, got ${String(outputTokens)}`);
        attempt.produced(outputTokens);
      },
  }),
);
