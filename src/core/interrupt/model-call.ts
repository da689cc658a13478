/**
 * One call of the model: under a generation token of its own, its partial output kept.
 * In the interrupt room below the turn.
 *
 * Invariants: no call starts once the turn is cancelled; output of a cut call is never taken for a finished answer,
 * also when the SDK's loop simply ends.
 *
 * @module
 */
import { isBody } from '../combinators/body.ts';
import type { CancelContext } from '../combinators/context.ts';
import type { Outcome } from '../combinators/settle.ts';
import { Work } from '../combinators/work.ts';
import { requireFunction, requireMs } from '../foundation/check.ts';
import { DeadlineExceededError } from '../foundation/errors.ts';
import type { CancelReason } from '../foundation/reason.ts';
import { errorOf } from '../token/pull.ts';
import { Source, childOf } from '../token/source.ts';
import { DelegatedContext } from './delegated-context.ts';
import type { ModelContext, ModelOptions, ModelOutcome } from './handles.ts';
import { belongsTo } from './place.ts';
import type { OperationOutcome } from './report.ts';
import type { TurnState } from './turn-state.ts';

/** The context of work, and a place to keep what has come so far. */
class GenerationContext extends DelegatedContext implements ModelContext {
  readonly #keep: (value: unknown) => void;

  constructor(context: CancelContext, keep: (value: unknown) => void) {
    super(context);
    this.#keep = keep;
  }

  get partial(): (value: unknown) => void {
    const { progress } = this;
    return (value) => {
      progress();
      this.#keep(value);
    };
  }
}

/** Runs one model call to its outcome. */
export async function callModel<T>(
  turn: TurnState,
  call: (context: ModelContext) => T | PromiseLike<T>,
  options: ModelOptions,
): Promise<ModelOutcome<T>> {
  requireFunction('call', call);
  const idleMs = requireMs('idleMs', options.idleMs ?? Infinity, 'infinity-allowed');
  const graceMs = requireMs('graceMs', options.graceMs ?? turn.host.graceMs, 'infinity-allowed');
  const name = options.name ?? 'model';
  if (turn.token.isCancelled) {
    // One row says it; a body that keeps trying would fill the report.
    if (!turn.hasRefused && !turn.isOver) turn.operations.refuse('model', name);
    await turn.refused();
    throw errorOf(turn.token);
  }
  turn.requireOpen();
  const number = ++turn.modelCalls;
  const source = new Source(childOf(turn.token), { name });
  const generation = source.token;
  belongsTo(turn, generation);
  // The message that waits would cut the call before its first word.
  if (turn.queue.cutsModel) source.cancel({ kind: 'interjection' });
  if (generation.isCancelled) {
    turn.operations.refuse('model', name);
    return { status: 'interjected', partial: undefined, reason: generation.reason as CancelReason };
  }

  const kept: { partial?: { readonly value: unknown } } = {};
  turn.generations.add(source);
  const operation = turn.operations.start('model', name);
  const outcome = await new Promise<Outcome<T>>((resolve) => {
    const settings = { settle: 'wait', graceMs, idleMs, name, onLateSettle: lateSettled } as const;
    new Work<T>(source, settings, resolve).run((context) =>
      call(
        new GenerationContext(context, (value) => {
          kept.partial = { value };
        }),
      ),
    );
  });
  turn.generations.delete(source);
  turn.operations.end(operation, operationOutcome(outcome, generation.isCancelled));

  function lateSettled(late: { readonly status: 'completed' | 'failed' | 'cancelled' }): void {
    turn.host.emit({ type: 'late-settled', turnId: turn.id, name, status: late.status });
  }

  const reason = generation.reason;
  if (reason !== undefined) {
    // A loop that ends after its token ended was cut, whatever it returned.
    if (kept.partial === undefined && outcome.status === 'completed') kept.partial = { value: outcome.value };
    const { partial } = kept;
    if (partial !== undefined) turn.partials.push({ modelCall: number, value: partial.value, reason });
    turn.token.throwIfCancelled();
    if (outcome.status === 'failed') throw outcome.error;
    if (Work.endedByOwnLimit(generation)) throw new DeadlineExceededError(idleMs, reason);
    return { status: 'interjected', partial: partial?.value, reason };
  }
  if (outcome.status === 'failed') throw outcome.error;
  if (outcome.status !== 'completed') throw errorOf(generation);
  if (isBody(outcome.value)) {
    // Nobody will read it, so it must not stay open.
    source.cancel({ message: 'A live stream is no answer' });
    source.release();
    throw new TypeError('turn.model() was given a live stream: consume it inside the call, so that a stop can cut it');
  }
  return { status: 'completed', value: outcome.value };
}

/** A cut call that returned in time was stopped; it did not complete. */
function operationOutcome(outcome: Outcome<unknown>, cut: boolean): OperationOutcome {
  if (outcome.status === 'completed') return cut ? 'cancelled' : 'completed';
  return outcome.status;
}
