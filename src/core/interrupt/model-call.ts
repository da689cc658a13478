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
import type { CancelContext } from '../combinators/context.ts';
import { IdleWatch } from '../combinators/idle.ts';
import type { Outcome } from '../combinators/settle.ts';
import { Work } from '../combinators/work.ts';
import { requireFunction, requireMs, show } from '../foundation/check.ts';
import { DeadlineExceededError, createCancelledError } from '../foundation/errors.ts';
import { createReason, type CancelReason } from '../foundation/reason.ts';
import { tokenOf } from '../token/link.ts';
import { errorOf } from '../token/pull.ts';
import { Source, childOf, type Token } from '../token/source.ts';
import { sourceBelow } from '../token/token.ts';
import type { ModelOptions } from './call-options.ts';
import { cancelTurnFrom } from './caller.ts';
import { GenerationContext, type Generation } from './generation-context.ts';
import type { ModelContext, ModelOutcome } from './handles.ts';
import type { OperationOutcome } from './report.ts';
import { continuationNote } from './texts.ts';
import type { TurnState } from './turn-state.ts';

type Call<T> = (context: ModelContext) => T | PromiseLike<T>;

interface Settings {
  readonly name: string;
  readonly idleMs: number;
  readonly graceMs: number;
  /** The caller's own. */
  readonly above: Token;
}

/** Runs one model call to its outcome, over its recoveries. */
export async function callModel<T>(turn: TurnState, call: Call<T>, options: ModelOptions): Promise<ModelOutcome<T>> {
  requireFunction('call', call);
  const settings: Settings = {
    idleMs: requireMs('idleMs', options.idleMs ?? Infinity, 'infinity-allowed'),
    graceMs: requireMs('graceMs', options.graceMs ?? turn.host.graceMs, 'infinity-allowed'),
    name: options.name ?? 'model',
    above: tokenOf(options.token),
  };
  const { recover = 0 } = options;
  if (!Number.isInteger(recover) || recover < 0) {
    throw new TypeError(`recover must be a whole number, 0 or more, got ${show(recover)}`);
  }
  let continuation: Generation['continuation'];
  for (let left = recover; ; left--) {
    const made = await generate(turn, call, settings, { continuation, canContinue: left > 0 });
    if (!('silence' in made)) return made;
    const { silence, partial } = made;
    if (left === 0) throw new DeadlineExceededError(settings.idleMs, silence);
    continuation = { partial: partial ?? continuation?.partial, reason: silence, note: continuationNote(silence) };
  }
}

/** One attempt: its outcome, or the silence that ended it. */
async function generate<T>(
  turn: TurnState,
  call: Call<T>,
  settings: Settings,
  attempt: { readonly continuation: Generation['continuation']; readonly canContinue: boolean },
): Promise<ModelOutcome<T> | { readonly silence: CancelReason; readonly partial: unknown }> {
  const { name, idleMs, graceMs, above } = settings;
  if (turn.token.isCancelled) {
    // One row says it; a body that keeps trying would fill the report.
    if (!turn.hasRefused && !turn.isOver) turn.operations.refuse('model', name);
    await turn.refused();
    throw errorOf(turn.token);
  }
  turn.requireOpen();
  above.throwIfCancelled();
  const { continuation } = attempt;
  // The message that waits would cut the call before its first word.
  if (turn.queue.cutsModel) {
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
  const number = ++turn.modelCalls;
  const parent = [turn.token, above];
  const source = above.canBeCancelled ? sourceBelow({ name, parent }) : new Source(childOf(turn.token), { name });
  const token = source.token;
  turn.owns(token);
  turn.host.timedOut(undefined, false);
  turn.generations.add(source);
  const operation = turn.operations.start('model', name);
  const kept: { partial?: { readonly value: unknown } } = {};
  let unwatch = (): void => undefined;
  const outcome = await new Promise<Outcome<T>>((resolve) => {
    const work = { settle: 'wait', graceMs, idleMs: Infinity, name, onLateSettle: lateSettled } as const;
    const watch = idleMs === Infinity ? undefined : new IdleWatch(turn.clock, idleMs, silent);
    if (watch !== undefined) unwatch = turn.idlePauses.add(watch);
    const running = new Work<T>(source, work, resolve);
    const generation: Generation = {
      continuation,
      cancelTurn: cancelTurnFrom(turn, running, operation),
      isWrapUp: granted === 'wrap-up',
      progress: () => {
        watch?.progress();
      },
      keep: (value) => {
        kept.partial = { value };
      },
      produced: (tokens) => turn.budget?.produced(tokens),
    };
    running.run((context: CancelContext) => call(new GenerationContext(context, generation)));
  });
  unwatch();
  turn.generations.delete(source);
  turn.operations.end(operation, operationOutcome(outcome, token.isCancelled));

  function silent(): void {
    if (token.isCancelled) return;
    const message = `Nothing moved for ${String(idleMs)} ms`;
    const silence = createReason({ kind: 'idle', message, at: turn.clock.now() });
    turn.host.timedOut(silence, attempt.canContinue);
    source.cancel(silence);
  }

  function lateSettled(late: { readonly status: 'completed' | 'failed' | 'cancelled' }): void {
    turn.host.emit({ type: 'late-settled', turnId: turn.id, name, status: late.status });
  }

  const reason = token.reason;
  if (reason !== undefined) {
    // A loop that ends after its token ended was cut, whatever it returned.
    if (kept.partial === undefined && outcome.status === 'completed') kept.partial = { value: outcome.value };
    const { partial } = kept;
    if (partial !== undefined) turn.partials.push({ modelCall: number, value: partial.value, reason });
    turn.token.throwIfCancelled();
    if (outcome.status === 'failed') throw outcome.error;
    if (Work.endedByOwnLimit(token)) return { silence: reason, partial: partial?.value };
    above.throwIfCancelled();
    return { status: 'interjected', partial: partial?.value, reason };
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
