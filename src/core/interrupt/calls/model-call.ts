/**
 * One call of the model: each attempt under a generation token of its own, its partial output kept, made again after its
 * own limit if the caller wants it so.
 *
 * Invariants: no attempt starts once the turn is cancelled, closed or out of budget; output of a cut attempt is never
 * taken for a finished answer, also when the SDK's loop simply ends; a message that was read is delivered by the call's
 * return and waits again after its failure; a recovery never overrides a person.
 *
 * @module
 */
import { checkpoint } from '../../combinators/checkpoint.ts';
import { IdleWatch } from '../../combinators/engine/idle-watch.ts';
import { endedByOwnLimit } from '../../combinators/engine/limits.ts';
import { delay } from '../../combinators/delay.ts';
import type { WorkSettings } from '../../combinators/engine/work.ts';
import type { LateOutcome, Outcome } from '../../combinators/outcome.ts';
import {
  isObject,
  optionalFlag,
  requireFunction,
  requireMs,
  requireNames,
  requireOptions,
  type OptionNames,
  show,
  wrongType,
} from '../../foundation/check.ts';
import { abandonedWork } from '../../foundation/results/abandoned-work.ts';
import { isBody } from '../../foundation/results/live-body.ts';
import { DeadlineExceededError, createCancelledError, type CancelledError } from '../../foundation/errors.ts';
import { createReason, type CancelReason } from '../../foundation/reason.ts';
import { tokenOf } from '../../token/bridge/linked-tokens.ts';
import { Source } from '../../token/source.ts';
import { childOf, type Token } from '../../token/token.ts';
import { sourceBelow } from '../../token/cancellation-token-source.ts';
import { errorOf } from '../../token/tree/state.ts';
import type { Message } from '../messages/message.ts';
import { continuationNote } from '../messages/model-notes.ts';
import { own } from '../turn/token-owner.ts';
import type { ModelOptions, RecoverOptions } from '../public-types/call-options.ts';
import type { ModelOutcome, PartialOutput } from '../public-types/outcomes.ts';
import type { OperationOutcome } from '../public-types/stop-report.ts';
import { modelContext, type Continuation, type ModelContext } from './model-context.ts';
import type { OperationHost } from './operation-context.ts';
import type { Operation } from '../ledger/operation-list.ts';
import { runOperation, type EndedOperation, type OperationOwner } from './run-operation.ts';
import type { AgentOfCalls, OpenModelCall, TurnOfCalls } from './turn-of-calls.ts';

/** The turn of a model call. */
export interface TurnOfModelCalls extends TurnOfCalls {
  readonly agent: AgentOfModelCalls;
  /** Counts the attempts. */
  modelCalls: number;
  /** How many messages came to cut a generation. */
  readonly cuts: number;
  readonly partials: PartialOutput[];
  /** Messages were given out to a model call. */
  messagesDelivered(messages: readonly Message[], modelCall?: number): void;
  /** A model call that had read messages has failed. */
  putBackMessages(messages: readonly Message[]): void;
}

/** Its agent. */
interface AgentOfModelCalls extends AgentOfCalls {
  readonly status: { timedOut(reason: undefined, canContinueAfterTimeout: boolean): void };
  /** A model call ran into its own limit, and is made again or not. */
  timedOut(turn: { readonly id: number }, reason: CancelReason, canContinueAfterTimeout: boolean): void;
}

type Call<T> = (context: ModelContext) => T | PromiseLike<T>;

const optionNames: OptionNames<ModelOptions> = {
  name: 1,
  idleMs: 1,
  timeoutMs: 1,
  recover: 1,
  graceMs: 1,
  token: 1,
  aside: 1,
  isStop: 1,
};

const recoverOptions: OptionNames<RecoverOptions> = { attempts: 1, backoffMs: 1 };

/** Runs one model call to its outcome, over its attempts. What can start starts before this returns. */
export function callModel<T>(turn: TurnOfModelCalls, call: Call<T>, options: ModelOptions): Promise<ModelOutcome<T>> {
  try {
    const made = new ModelCall(turn, call, options);
    made.start();
    return made.promise as Promise<ModelOutcome<T>>;
  } catch (error) {
    // As it was thrown. A call that nobody awaits must not take the process down.
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever it is
    const refused = Promise.reject<ModelOutcome<T>>(error);
    refused.catch(ignore);
    return refused;
  }
}

function ignore(): void {
  // Whoever awaits the promise hears of it.
}

/** What a call comes to, before the messages that it has read are delivered. */
type Undelivered<T> = ModelOutcome<T, never>;

const NONE: readonly never[] = /* @__PURE__ */ Object.freeze([]);

/** A model call: what was said of it, checked, its attempts one after the other, and the messages that it has read. */
class ModelCall implements WorkSettings {
  readonly promise: Promise<ModelOutcome<unknown>>;
  readonly turn: TurnOfModelCalls;
  readonly call: Call<unknown>;
  readonly name: string;
  readonly idleMs: number;
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly isExactGrace: boolean;
  /** It is not of the conversation: it reads no messages, is cut by none, and nothing of it is a reply. */
  readonly isAside: boolean;
  readonly above: Token | undefined;
  readonly isStop: ((error: unknown) => boolean) | undefined;
  readonly #backoffMs: number;
  /** How often it may still be made again. */
  #left: number;
  #attempt = 0;
  #continuation: Continuation | undefined;
  /** The turn has not ended before this call has said what became of the messages that it read. */
  #isHeld = false;
  #read: Message[] | undefined;
  #delivered: readonly Message[] | undefined;
  #resolve: ((outcome: ModelOutcome<unknown>) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  constructor(turn: TurnOfModelCalls, call: Call<unknown>, options: ModelOptions) {
    requireFunction('call', call);
    requireOptions(options, optionNames);
    const { name = 'model', token, recover, isStop } = options;
    if (recover !== undefined && !isObject(recover)) {
      throw wrongType('recover', '{ attempts, backoffMs }', recover);
    }
    if (recover !== undefined) requireNames('recover', recover, recoverOptions);
    const { attempts = 0, backoffMs = 0 } = recover ?? {};
    if (!Number.isInteger(attempts) || attempts < 0) {
      throw new TypeError(`recover.attempts must be a whole number, 0 or more, got ${show(attempts)}`);
    }
    if (isStop !== undefined) requireFunction('isStop', isStop);
    this.turn = turn;
    this.call = call;
    this.name = name;
    this.idleMs = requireMs('idleMs', options.idleMs ?? Infinity, 'infinity-allowed');
    this.timeoutMs = requireMs('timeoutMs', options.timeoutMs ?? Infinity, 'infinity-allowed');
    this.graceMs = requireMs('graceMs', options.graceMs ?? turn.agent.graceMs, 'infinity-allowed');
    this.isExactGrace = options.graceMs !== undefined;
    this.#left = attempts;
    this.#backoffMs = requireMs('recover.backoffMs', backoffMs, 'finite');
    this.isAside = optionalFlag('aside', options.aside);
    this.above = token === undefined ? undefined : tokenOf(token);
    this.isStop = isStop;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Makes an attempt. */
  start(): void {
    const { turn } = this;
    try {
      const granted = admit(turn, this);
      if (typeof granted !== 'string') {
        void refuse(turn, this, granted.reason).then(this.#fail);
        return;
      }
      if (!this.#isHeld) turn.operations.enter();
      this.#isHeld = true;
      new ModelAttempt(this, this.#continuation, granted === 'wrap-up', this.#left > 0).run();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The work of an attempt is over. */
  ended(generation: ModelAttempt, outcome: Outcome<unknown>): void {
    try {
      const limit = generation.endedByOwnLimit();
      if (limit === undefined) this.#succeed(generation.result(outcome), generation);
      else if (generation.wasInterjected) this.#succeed(generation.interjected(outcome), generation);
      else if (this.#left === 0) throw generation.limitError(limit, outcome);
      else void this.#again(generation, outcome, limit);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #again(generation: ModelAttempt, outcome: Outcome<unknown>, reason: CancelReason): Promise<void> {
    const { turn } = this;
    this.#continuation = generation.continuationOf(outcome, reason);
    this.#left--;
    this.#attempt++;
    try {
      if (this.#backoffMs > 0 && (await pause(turn, this.#backoffMs, this.isAside)) === 'interjected') {
        this.#succeed(generation.interjected(outcome), generation);
        return;
      }
      turn.agent.emit({ type: 'model-retried', turnId: turn.id, attempt: this.#attempt, reason });
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.start();
  }

  /** What was read before, and what has come since; no more of that where nothing will be sent any more. */
  read(isOver: boolean): readonly Message[] {
    if (!isOver && !this.turn.token.isCancelled) {
      const fresh = this.turn.queue.read();
      if (fresh.length > 0) this.#read = [...(this.#read ?? NONE), ...fresh];
    }
    return this.#read ?? NONE;
  }

  /** The model has answered: a stop that comes before the call has returned does not give back what it had read. */
  answered(value: unknown): void {
    if (this.#read !== undefined && !isBody(value)) this.#delivered = this.turn.queue.deliver(this.#read);
  }

  /** It returns, with the messages that it delivers. */
  #succeed(outcome: Undelivered<unknown>, { modelCall }: ModelAttempt): void {
    const delivered = this.#delivered ?? (this.#read && this.turn.queue.deliver(this.#read));
    if (delivered === undefined || delivered.length === 0) this.#resolve?.(outcome);
    else {
      this.turn.messagesDelivered(delivered, modelCall);
      this.#resolve?.({ ...outcome, delivered });
    }
    this.turn.operations.leave();
  }

  readonly #fail = (error: unknown): void => {
    if (this.#read !== undefined) this.turn.putBackMessages(this.#read);
    // A call that nobody awaits must not take the process down.
    this.promise.catch(ignore);
    this.#reject?.(error);
    if (this.#isHeld) this.turn.operations.leave();
  };
}

/** Whether the model may be called now. */
function admit(
  turn: TurnOfModelCalls,
  { name, above }: { readonly name: string; readonly above: Token | undefined },
): 'granted' | 'wrap-up' | { readonly reason: CancelReason } {
  const refusal = turn.refusal('model', name);
  if (refusal !== undefined) return { reason: refusal };
  if (above !== undefined) checkpoint(above);
  const granted = turn.budget?.model() ?? 'granted';
  if (typeof granted === 'string') return granted;
  void turn.endIfExhausted();
  return { reason: granted };
}

/** The error of a call that was refused, in its time. */
async function refuse(
  turn: TurnOfModelCalls,
  { name }: { readonly name: string },
  reason: CancelReason,
): Promise<CancelledError> {
  // One row says it; a body that keeps trying would fill the report.
  if (!turn.refusals.isAny && !turn.isOver) turn.operations.refuse('model', name);
  await turn.refusals.add();
  return turn.token.isCancelled ? errorOf(turn.token) : createCancelledError(reason);
}

/** The time before the next attempt; a message ends it, and the call with it. */
async function pause(turn: TurnOfModelCalls, backoffMs: number, isAside: boolean): Promise<'over' | 'interjected'> {
  const waiting: RecoveryPause = {
    kind: 'pause',
    isCutByMessage: !isAside,
    isOver: false,
    source: new Source(childOf(turn.token)),
  };
  const { token } = waiting.source;
  turn.open.add(waiting);
  try {
    await delay(token, backoffMs);
    return 'over';
  } catch (error) {
    if (turn.token.isCancelled || token.reason === undefined) throw error;
    return 'interjected';
  } finally {
    waiting.isOver = true;
    waiting.source.release();
    turn.open.ended();
  }
}

/** A model call between two attempts. */
interface RecoveryPause extends OpenModelCall {
  readonly kind: 'pause';
  isOver: boolean;
}

/** One attempt of a model call while it runs. */
export class ModelAttempt implements OperationOwner<unknown> {
  readonly kind = 'model';
  readonly rowKind = 'model';
  isCutByMessage: boolean;
  readonly continuation: Continuation | undefined;
  readonly isWrapUp: boolean;
  /** Counts the attempts of a turn, from 1; 0 for an aside. */
  readonly modelCall: number;
  readonly source: Source;
  isOver = false;
  /** What has come so far. */
  partial: { readonly value: unknown } | undefined;
  readonly #turn: TurnOfModelCalls;
  readonly name: string;
  readonly settings: ModelCall;
  /** Whether it is made again if it runs into its own limit. */
  readonly #canRecover: boolean;
  /** How many messages had cut a generation when it began. */
  readonly #cutsBefore: number;
  #watch: IdleWatch | undefined;
  #pauses = 0;
  #outputTokens = 0;
  #idleMs = Infinity;
  #shown: readonly Message[] | undefined;

  constructor(call: ModelCall, continuation: Continuation | undefined, isWrapUp: boolean, canRecover: boolean) {
    const { turn, isAside, above, name, timeoutMs } = call;
    this.#turn = turn;
    this.name = name;
    this.settings = call;
    this.continuation = continuation;
    this.isWrapUp = isWrapUp;
    this.#canRecover = canRecover;
    this.#cutsBefore = turn.cuts;
    this.isCutByMessage = !isAside;
    this.modelCall = isAside ? 0 : ++turn.modelCalls;
    const limits = timeoutMs === Infinity ? { name } : { name, timeoutMs };
    this.source =
      above === undefined
        ? new Source(childOf(turn.token), limits)
        : sourceBelow({ ...limits, parent: [turn.token, above] });
    own(this.source.token, turn);
  }

  readInterjections(): readonly Message[] {
    return (this.#shown ??= this.settings.isAside ? NONE : this.settings.read(this.isOver));
  }

  /** Starts it; tells its call what became of the work, which is not yet what became of the call. */
  run(): void {
    const turn = this.#turn;
    const { idleMs, isAside } = this.settings;
    turn.agent.status.timedOut(undefined, false);
    if (!isAside) turn.queue.offered();
    if (idleMs !== Infinity) this.#watchSilence(idleMs);
    turn.open.add(this);
    turn.idlePauses.begin(this);
    runOperation(turn, this);
  }

  work(host: OperationHost): unknown {
    return this.settings.call(modelContext(host as OperationHost<this>));
  }

  ended(outcome: Outcome<unknown>, operation: Operation, { hasBegun }: EndedOperation): void {
    const turn = this.#turn;
    this.#unwatch();
    this.isOver = true;
    turn.idlePauses.end(this);
    turn.open.ended();
    // Before the row ends: the report may be made at once.
    const { reason } = this.source;
    if (reason !== undefined) this.#keepPartial(outcome, reason);
    else if (outcome.status === 'completed') this.settings.answered(outcome.value);
    if (outcome.status === 'abandoned') turn.operations.giveUp(operation, this.source);
    else turn.operations.end(operation, hasBegun ? operationOutcome(outcome, this.source.isCancelled) : 'not-started');
    this.settings.ended(this, outcome);
  }

  endedLate(outcome: LateOutcome<unknown>, operation: Operation): void {
    // Its output is dropped; a client that throws for the cut has not failed.
    const status = outcome.status === 'failed' ? 'cancelled' : outcome.status;
    this.#turn.operations.endedLate(operation, status);
    this.#turn.endedLate(this.name, status);
  }

  /** Something moved; with `idleMs` that is the limit on silence from here on. */
  progress(idleMs?: number): void {
    if (idleMs === undefined) this.#watch?.progress();
    else this.#watchSilence(idleMs);
  }

  #watchSilence(idleMs: number): void {
    this.#unwatch();
    this.#idleMs = idleMs;
    if (idleMs === Infinity || this.isOver || this.source.isCancelled) return;
    this.#watch = new IdleWatch(this.#turn.clock, idleMs, () => {
      this.#silent();
    });
    if (this.#pauses > 0) this.#watch.pause();
  }

  #unwatch(): void {
    this.#watch?.release();
    this.#watch = undefined;
  }

  /** Silence is expected from here on. */
  pause(): void {
    if (this.#pauses++ === 0) this.#watch?.pause();
  }

  resume(): void {
    if (--this.#pauses === 0) this.#watch?.resume();
  }

  /** What is counted was produced, also if a later count says less. */
  produced(outputTokens: number): void {
    if (outputTokens <= this.#outputTokens) return;
    this.#turn.budget?.produced(outputTokens - this.#outputTokens);
    this.#outputTokens = outputTokens;
  }

  #silent(): void {
    if (this.source.isCancelled) return;
    const message = `Nothing moved for ${String(this.#idleMs)} ms`;
    this.source.cancel(createReason({ kind: 'idle', message, at: this.#turn.clock.now() }));
  }

  /** Why the attempt ran into `idleMs` or `timeoutMs`, if that is what ended it, and nothing else. */
  endedByOwnLimit(): CancelReason | undefined {
    const { token } = this.source;
    const { reason } = token;
    if (reason === undefined || !endedByOwnLimit(token)) return undefined;
    this.#turn.token.throwIfCancelled();
    return reason;
  }

  /** It was cut by its own limit, and this is said before its work hears of it. */
  stopping(reason: CancelReason): void {
    if (endedByOwnLimit(this.source.token)) this.#turn.agent.timedOut(this.#turn, reason, this.#canRecover);
  }

  /** Whether a message came to cut it, if only after its own limit had. */
  get wasInterjected(): boolean {
    return this.isCutByMessage && this.#turn.cuts > this.#cutsBefore;
  }

  /** What the call returns if a message came while it was about to be made again. */
  interjected<T>(outcome: Outcome<unknown>): Undelivered<T> {
    const reason = createReason({ kind: 'interjection', at: this.#turn.clock.now() });
    return { status: 'interjected', partial: this.#producedBy(outcome)?.value, reason, delivered: NONE };
  }

  limitError(reason: CancelReason, outcome: Outcome<unknown>): DeadlineExceededError {
    const limitMs = reason.kind === 'idle' ? this.#idleMs : this.settings.timeoutMs;
    const abandoned = outcome.status === 'abandoned' ? abandonedWork(outcome.name, outcome.late) : undefined;
    const error = new DeadlineExceededError(limitMs, reason, { abandoned });
    // What the client threw for it, where it did not understand.
    if (outcome.status === 'failed')
      Object.defineProperty(error, 'cause', { value: outcome.error, configurable: true });
    return error;
  }

  continuationOf(outcome: Outcome<unknown>, reason: CancelReason): Continuation {
    const said = this.#producedBy(outcome);
    return {
      partial: said === undefined ? this.continuation?.partial : said.value,
      reason,
      note: continuationNote(reason),
    };
  }

  /** What the call returns; throws what it rejects with. */
  result<T>(outcome: Outcome<unknown>): Undelivered<T> {
    const { token } = this.source;
    const { reason } = token;
    if (reason !== undefined) {
      this.#turn.token.throwIfCancelled();
      this.settings.above?.throwIfCancelled();
      // Cut by a message: whatever the client threw for it, the output is cut and the message comes next.
      const error = outcome.status === 'failed' ? { error: outcome.error } : {};
      const partial = this.#producedBy(outcome)?.value;
      return { status: 'interjected', partial, reason, ...error, delivered: NONE };
    }
    if (outcome.status === 'failed') throw outcome.error;
    if (outcome.status !== 'completed') throw errorOf(token);
    if (isBody(outcome.value)) {
      // Nobody will read it, so it must not stay open.
      this.source.cancel({ message: 'A live stream is no answer' });
      this.source.release();
      throw new TypeError(
        'turn.model() was given a live stream: consume it inside the call, so that a stop can cut it',
      );
    }
    return { status: 'completed', value: outcome.value as T, delivered: NONE };
  }

  /** A loop that ends after its token ended was cut, whatever it returned. */
  #producedBy(outcome: Outcome<unknown>): { readonly value: unknown } | undefined {
    if (this.partial !== undefined) return this.partial;
    // A loop that ended without a value has produced nothing.
    return outcome.status === 'completed' && outcome.value !== undefined ? { value: outcome.value } : undefined;
  }

  #keepPartial(outcome: Outcome<unknown>, reason: CancelReason): void {
    const said = this.settings.isAside ? undefined : this.#producedBy(outcome);
    if (said !== undefined) this.#turn.partials.push({ modelCall: this.modelCall, value: said.value, reason });
  }
}

/** A call that was cut was stopped, whatever its client returned or threw; it did not complete, and it did not fail. */
function operationOutcome({ status }: Outcome<unknown>, isCut: boolean): OperationOutcome {
  return isCut && status !== 'abandoned' ? 'cancelled' : status;
}
