/**
 * One call of the model: under a generation token of its own, its partial output kept, repeated after a silence if the
 * caller wants it so.
 * In the interrupt room below the turn.
 *
 * Invariants: no call starts once the turn is cancelled or its budget used up; output of a cut call is never taken for a
 * finished answer, also when the SDK's loop simply ends; a recovery never overrides a person.
 *
 * @module
 */
import { isBody } from '../combinators/body.ts';
import { IdleWatch } from '../combinators/idle.ts';
import type { Outcome } from '../combinators/settle.ts';
import { Work } from '../combinators/work.ts';
import { requireFunction, requireMs, show } from '../foundation/check.ts';
import { DeadlineExceededError, createCancelledError } from '../foundation/errors.ts';
import { createReason } from '../foundation/reason.ts';
import { tokenOf } from '../token/link.ts';
import { errorOf } from '../token/pull.ts';
import { Source, childOf } from '../token/source.ts';
import { sourceBelow } from '../token/token.ts';
import type { ModelOptions } from './call-options.ts';
import { GenerationContext, generationMembers, type Generation } from './generation-context.ts';
import type { ModelContext, ModelOutcome } from './handles.ts';
import type { OperationOutcome } from './report.ts';
import { runOperation, type OperationOwner } from './run-operation.ts';
import { continuationNote } from './texts.ts';
import type { OpenGeneration, TurnState } from './turn-state.ts';

type Call<T> = (context: ModelContext) => T | PromiseLike<T>;

/** Runs one model call to its outcome, over its recoveries; `continuation` is what this attempt goes on from. */
export async function callModel<T>(
  turn: TurnState,
  call: Call<T>,
  options: ModelOptions,
  continuation?: ModelContext['continuation'],
): Promise<ModelOutcome<T>> {
  requireFunction('call', call);
  const { recover = 0, name = 'model', token: own } = options;
  const idleMs = requireMs('idleMs', options.idleMs ?? Infinity, 'infinity-allowed');
  const graceMs = requireMs('graceMs', options.graceMs ?? turn.host.graceMs, 'infinity-allowed');
  const above = own === undefined ? undefined : tokenOf(own);
  if (!Number.isInteger(recover) || recover < 0) {
    throw new TypeError(`recover must be a whole number, 0 or more, got ${show(recover)}`);
  }
  if (turn.token.isCancelled) {
    // One row says it; a body that keeps trying would fill the report.
    if (!turn.hasRefused && !turn.isOver) turn.operations.refuse('model', name);
    await turn.refused();
    throw errorOf(turn.token);
  }
  turn.requireOpen();
  above?.throwIfCancelled();
  // The message that waits would cut the call before its first word.
  if (turn.queue.has('now')) {
    turn.operations.refuse('model', name);
    const reason = createReason({ kind: 'interjection', at: turn.clock.now() });
    return { status: 'interjected', partial: continuation?.partial, reason };
  }
  const granted = turn.budget?.model() ?? 'granted';
  if (typeof granted === 'object') {
    turn.operations.refuse('model', name);
    void turn.endIfExhausted();
    await turn.refused();
    throw createCancelledError(granted);
  }
  const modelCall = ++turn.modelCalls;
  const source =
    above === undefined
      ? new Source(childOf(turn.token), { name })
      : sourceBelow({ name, parent: [turn.token, above] });
  const { token } = source;
  turn.owns(token);
  turn.host.timedOut(undefined, false);
  const watch = idleMs === Infinity ? undefined : new IdleWatch(turn.clock, idleMs, silent);
  const unwatch = watch && turn.idlePauses.add(watch);
  const generation: Generation = {
    turn,
    continuation,
    isWrapUp: granted === 'wrap-up',
    watch,
    partial: undefined,
    outputTokens: 0,
  };
  const outcome = await new Promise<Outcome<T>>((resolve) => {
    const open: OperationOwner<T> & OpenGeneration & { isOver: boolean } = {
      kind: 'model',
      name,
      source,
      graceMs,
      isOver: false,
      isCutByMessage: true,
      run: (host, cancelTurn) =>
        call(new Proxy<ModelContext>(new GenerationContext(host, cancelTurn, generation), generationMembers)),
      settled: (ended, operation) => {
        unwatch?.();
        open.isOver = true;
        turn.open.ended();
        turn.operations.end(operation, operationOutcome(ended, token.isCancelled));
        resolve(ended);
      },
    };
    turn.open.add(open);
    runOperation(turn, open);
  });

  function silent(): void {
    if (token.isCancelled) return;
    const message = `Nothing moved for ${String(idleMs)} ms`;
    const silence = createReason({ kind: 'idle', message, at: turn.clock.now() });
    turn.host.timedOut(silence, recover > 0);
    source.cancel(silence);
  }

  const { reason } = token;
  if (reason !== undefined) {
    // A loop that ends after its token ended was cut, whatever it returned.
    const said = generation.partial ?? (outcome.status === 'completed' ? outcome : undefined);
    const partial = said?.value;
    if (said !== undefined) turn.partials.push({ modelCall, value: partial, reason });
    turn.token.throwIfCancelled();
    if (outcome.status === 'failed') throw outcome.error;
    if (Work.endedByOwnLimit(token)) {
      if (recover === 0) throw new DeadlineExceededError(idleMs, reason);
      const next = { partial: partial ?? continuation?.partial, reason, note: continuationNote(reason) };
      return callModel(turn, call, { ...options, recover: recover - 1 }, next);
    }
    above?.throwIfCancelled();
    return { status: 'interjected', partial, reason };
  }
  if (outcome.status === 'failed') throw outcome.error;
  if (outcome.status !== 'completed') throw errorOf(token);
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
