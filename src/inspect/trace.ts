/**
 * What was recorded, as plain JSON data: it can be stored, sent and shown later.
 *
 * @module
 */
import type { CancelReasonJSON } from '../core/inside.ts';
import type { OperationOutcome } from '../index.ts';

/**
 * One agent or source: the roots and inner nodes of the token tree. The leaves are the operations.
 *
 * @since 0.1.0
 */
export interface TraceToken {
  readonly id: string;
  /** The agent that it is a sub-agent of. */
  readonly parentId?: string;
  readonly kind: 'agent' | 'source';
  readonly name: string;
}

/**
 * What the work said of its checkpoints; only for work under `recording.watch`.
 *
 * @since 0.1.0
 */
export interface TraceCheckpoints {
  /** How many were passed. */
  readonly passed: number;
  /** How many of them came after the stop. */
  readonly afterStop: number;
  /** A checkpoint threw because of the stop, and the work returned normally all the same. */
  readonly isSwallowed: boolean;
  /** After the stop, longer than `starvedMs` passed before the work looked or ended. */
  readonly isStarved: boolean;
}

/**
 * One piece of work: a turn, a model call, a tool call, a sub-agent, background work, or what was watched.
 *
 * @since 0.1.0
 */
export interface TraceOperation {
  readonly id: string;
  /** The operation or the token that it is part of. */
  readonly parentId: string;
  /** `turn`, `model`, `tool`, `subagent`, `background`, `work`, or what a tool called it. */
  readonly kind: string;
  readonly name: string;
  readonly agent: string;
  /** Epoch milliseconds, like all instants here. */
  readonly startedAt: number;
  /** When it was told to stop. */
  readonly askedAt?: number;
  /** When it looked for the first time after that; only for work under `recording.watch`. */
  readonly observedAt?: number;
  /** When it ended or was given up; nothing while it runs. */
  readonly endedAt?: number;
  readonly outcome: OperationOutcome | 'running';
  /** What was given up has ended after all: when, and how. */
  readonly late?: { readonly at: number; readonly outcome: OperationOutcome };
  readonly checkpoints?: TraceCheckpoints;
}

/**
 * One stop: what a person or a limit asked for, and what came of it.
 *
 * @since 0.1.0
 */
export interface TraceStop {
  readonly kind: 'cancel' | 'kill' | 'interjection';
  /** The agent or source that was asked. */
  readonly agent: string;
  readonly reason: CancelReasonJSON;
  readonly requestedAt: number;
  /** The operations that were told to stop by it, by id. */
  readonly asked: readonly string[];
  /** When the first of them looked, or ended. */
  readonly observedAt?: number;
  /** When the last of them had ended or was given up; nothing while one runs. */
  readonly settledAt?: number;
  /** Those that were given up and have not ended since. */
  readonly survivors: readonly string[];
}

/**
 * A recording as data.
 *
 * @since 0.1.0
 */
export interface Trace {
  readonly version: 1;
  readonly startedAt: number;
  /** When it was taken. */
  readonly takenAt: number;
  readonly tokens: readonly TraceToken[];
  /** In the order of their start. */
  readonly operations: readonly TraceOperation[];
  readonly stops: readonly TraceStop[];
  /** How many operations and stops were forgotten, for a recording is bounded. */
  readonly dropped: number;
}

/**
 * Hears of operations while they are recorded. What it throws goes to `onError` of the recording, or
 * nowhere, and so does the rejection of an asynchronous one, for which nobody waits.
 *
 * @since 0.1.0
 */
export interface TraceSink {
  /** It has a row from here on. */
  started?(operation: TraceOperation): void;
  /** It was told to stop. */
  stopping?(operation: TraceOperation, stop: TraceStop): void;
  /** A second time, with `late`, for what had been given up; still `running` if the recording ends or forgets it. */
  ended?(operation: TraceOperation): void;
}

/** What still runs although it was given up. */
export function isSurvivor({ outcome, late }: TraceOperation): boolean {
  return outcome === 'abandoned' && late === undefined;
}
