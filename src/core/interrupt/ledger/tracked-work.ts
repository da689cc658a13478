/**
 * Work that a turn or a call started and that has a row of its own in the report of a stop: a process, a request.
 *
 * @module
 */
import { Grace } from '../../combinators/engine/grace.ts';
import {
  isObject,
  isThenable,
  requireFunction,
  requireNames,
  requireName,
  wrongType,
  type OptionNames,
} from '../../foundation/check.ts';
import { readShape } from '../../foundation/classify/error-shape.ts';
import type { Clock } from '../../foundation/clock.ts';
import { abandonedBy } from '../../foundation/results/abandoned-work.ts';
import { listen } from '../../token/tree/listeners.ts';
import type { Token } from '../../token/token.ts';
import type { Source } from '../../token/source.ts';
import type { OperationOutcome } from '../public-types/stop-report.ts';
import type { Operation, OperationList } from './operation-list.ts';

/**
 * How a tracked piece of work stands in the report.
 *
 * @since 0.1.0
 */
export interface TrackedOperation<T = unknown> {
  /** For example `process`, `mcp`. */
  readonly kind: string;
  readonly name: string;
  /** What a result means, where a resolved promise does not mean `completed`. */
  readonly outcomeOf?: ((value: T) => OperationOutcome) | undefined;
}

const operationNames: OptionNames<TrackedOperation> = { kind: 1, name: 1, outcomeOf: 1 };

/** The turn in which it was started. */
export interface TurnOfTracked {
  readonly agent: { readonly graceMs: number };
  readonly clock: Clock;
  readonly token: Token;
  readonly operations: OperationList;
  readonly isOver: boolean;
  endedLate(name: string, status: OperationOutcome): void;
}

/** The call that started it. */
interface CallOfTracked {
  readonly turn: TurnOfTracked;
  readonly source: Source;
  readonly settings: { readonly graceMs: number; readonly isExactGrace?: boolean | undefined };
  readonly outcome: { readonly status: string } | undefined;
  /** What it started, while it runs. */
  tracked: Set<Operation> | undefined;
}

/** Of what is being waited for. */
const graces = new WeakMap<Operation, { end(): void }>();

/**
 * Gives the work a row until it ends. The promise is the work's own, and is observed.
 *
 * @throws TypeError – at once, for nobody may ever look at the promise.
 */
export function track<T>(
  turn: TurnOfTracked,
  tracked: TrackedOperation<T>,
  work: PromiseLike<T>,
  call?: CallOfTracked,
): Promise<T> {
  if (!isObject(tracked)) throw wrongType('operation', "an object such as { kind: 'process', name: 'build' }", tracked);
  requireNames('operation', tracked, operationNames);
  const { kind, name, outcomeOf } = tracked;
  requireName('operation.kind', kind);
  requireName('operation.name', name);
  if (outcomeOf !== undefined) requireFunction('operation.outcomeOf', outcomeOf);
  if (!isThenable(work)) throw wrongType('work', 'a promise', work);
  return keepRow(turn, { kind, name, outcomeOf }, work, call);
}

function keepRow<T>(
  turn: TurnOfTracked,
  { kind, name, outcomeOf }: TrackedOperation<T>,
  work: PromiseLike<T>,
  call: CallOfTracked | undefined,
): Promise<T> {
  const { operations } = turn;
  const token = call?.source.token ?? turn.token;
  const operation = operations.start(kind, name);
  const isAnswered = turn.isOver || call?.outcome !== undefined;
  const tracked = call === undefined || isAnswered ? undefined : (call.tracked ??= new Set());
  tracked?.add(operation);
  const told =
    operation.id === undefined
      ? undefined
      : listen(token, (reason) => {
          operations.stopping(operation, reason);
        });
  const grace = call === undefined && !isAnswered ? graceOf(turn, operation) : undefined;
  if (grace !== undefined) graces.set(operation, grace);
  // Nobody waits for it any more: later stops name it, unless it is part of a call in the background.
  if (call?.outcome?.status === 'detached') operations.end(operation, 'detached');
  else if (isAnswered) operations.giveUp(operation);
  const end = (outcome: OperationOutcome): void => {
    graces.get(operation)?.end();
    told?.unregister();
    tracked?.delete(operation);
    // Its call was answered without it: it is in the report already, by name.
    if (operation.outcome !== undefined) {
      const late = outcome === 'not-started' || outcome === 'detached' ? 'cancelled' : outcome;
      operations.endedLate(operation, late);
      turn.endedLate(name, late);
    }
    operations.end(operation, outcome);
  };
  const ended = (async () => {
    try {
      const value = await work;
      end(outcomeOf?.(value) ?? 'completed');
      return value;
    } catch (error) {
      const left = abandonedBy(error);
      const isLeft = left !== undefined && left.isOver !== true;
      // What it names itself as left behind is nobody's to wait for: its row says so, once.
      const stopped = isLeft ? 'abandoned' : 'cancelled';
      const shape = readShape(error, token.reason);
      end(shape === 'failure' || (shape === 'ambiguous' && !token.isCancelled) ? 'failed' : stopped);
      throw error;
    }
  })();
  // The work's failure is its owner's affair, whether or not anybody waits for this copy of the promise.
  ended.catch(() => undefined);
  return ended;
}

/**
 * A call has ended without what it tracked. What was told to stop with it has what is left of its grace; what was not told
 * is named at once.
 */
export function leaveToItself(call: CallOfTracked, operation: Operation, stoppedAt: number | undefined): void {
  const { turn, source, settings } = call;
  const { graceMs, isExactGrace = false } = settings;
  const { token, clock, operations } = turn;
  const leftMs = stoppedAt === undefined ? 0 : stoppedAt + graceMs - clock.now();
  if (!(leftMs > 0)) {
    operations.giveUp(operation, source);
    return;
  }
  const grace = new Grace(clock, token, leftMs, isExactGrace, () => {
    grace.end();
    operations.giveUp(operation, source);
  });
  grace.start();
  graces.set(operation, grace);
}

/** A stop of the turn waits for what the turn itself tracks as long as for a call; then it is named. */
function graceOf(turn: TurnOfTracked, operation: Operation): { end(): void } {
  const { token, clock, agent, operations } = turn;
  const grace = new Grace(clock, token, agent.graceMs, false, () => {
    grace.end();
    operations.giveUp(operation);
  });
  const cancelled = listen(token, () => {
    grace.start();
  });
  return {
    end: () => {
      cancelled.unregister();
      grace.end();
    },
  };
}
