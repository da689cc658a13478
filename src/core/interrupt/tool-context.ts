/**
 * What a running tool is given.
 * In the interrupt room below the ledger, which makes one per call.
 *
 * @module
 */
import type { CancelContext } from '../combinators/context.ts';
import { raceCancellation } from '../combinators/race.ts';
import { classify } from '../foundation/classify.ts';
import { isCancelledError } from '../foundation/errors.ts';
import { createReason, type CancelReason } from '../foundation/reason.ts';
import { tokenOf } from '../token/link.ts';
import { ask } from './approvals.ts';
import { DelegatedContext } from './delegated-context.ts';
import type { Answer, Responder, ToolContext, TrackedOperation, InterruptController, Waited } from './handles.ts';
import type { SubagentOptions } from './turn-report.ts';
import type { OperationOutcome } from './report.ts';
import type { OpenCall, TurnState } from './turn-state.ts';

/** Thrown by `decline()`; the ledger turns it into the outcome. */
export class Declined extends Error {
  readonly text: string | undefined;

  constructor(text: string | undefined) {
    super(text ?? 'The user declined this call');
    this.text = text;
  }
}

/** The context of one call; functions are made when first asked for, bound to it. */
export class CallContext<C> extends DelegatedContext implements ToolContext<C> {
  readonly call: C;
  readonly #running: OpenCall;
  readonly #turn: TurnState;
  readonly #keep: (value: unknown) => void;

  constructor(context: CancelContext, call: C, running: OpenCall, turn: TurnState, keep: (value: unknown) => void) {
    super(context);
    this.call = call;
    this.#running = running;
    this.#turn = turn;
    this.#keep = keep;
  }

  get partial(): (value: unknown) => void {
    return this.#keep;
  }

  get ask(): <T>(open: (respond: Responder<T>) => void) => Promise<Answer<T>> {
    return (open) => this.#ask(open);
  }

  override get commit(): CancelContext['commit'] {
    const { commit, token } = { commit: super.commit, token: this.token };
    return (fn) => {
      if (!token.isCancelled) this.#running.hasCommitted = true;
      return commit(fn);
    };
  }

  get wait(): <T>(work: PromiseLike<T>) => Promise<Waited<T>> {
    return (work) => this.#wait(work);
  }

  get decline(): (message?: string) => never {
    return (message) => {
      throw new Declined(message);
    };
  }

  get subagent(): (name: string, options?: SubagentOptions) => InterruptController {
    return (name, options) => this.#turn.host.subagent(this.#running, name, options);
  }

  get track(): <T>(operation: TrackedOperation<T>, work: PromiseLike<T>) => Promise<T> {
    return (operation, work) => this.#track(operation, work);
  }

  async #ask<T>(open: (respond: Responder<T>) => void): Promise<Answer<T>> {
    const answer = await ask(this.#turn, open, tokenOf(this.token));
    if (answer.status === 'cancelled') this.#running.unanswered = answer.reason;
    return answer;
  }

  #wait<T>(work: PromiseLike<T>): Promise<Waited<T>> {
    const { waits, queue, clock } = this.#turn;
    let leave: (reason: CancelReason) => void = () => undefined;
    const settled = new Promise<Waited<T>>((resolve, reject) => {
      leave = (reason) => {
        resolve({ status: 'interjected', reason });
      };
      work.then((value) => {
        resolve({ status: 'completed', value });
      }, reject);
    });
    if (this.#running.onInterject === 'yield') {
      if (queue.isWaiting) leave(createReason({ kind: 'interjection', at: clock.now() }));
      else waits.add(leave);
    }
    return raceCancellation(this.token, settled).finally(() => {
      waits.delete(leave);
    });
  }

  async #track<T>({ kind, name, outcomeOf }: TrackedOperation<T>, work: PromiseLike<T>): Promise<T> {
    const { operations, host, id } = this.#turn;
    const { tracked } = this.#running;
    const operation = operations.start(kind, name);
    tracked.add(operation);
    const end = (outcome: OperationOutcome): void => {
      tracked.delete(operation);
      // Its call was answered without it: it is in the report already, by name.
      const status = outcome === 'abandoned' || outcome === 'not-started' ? 'cancelled' : outcome;
      if (operation.outcome !== undefined) host.emit({ type: 'late-settled', turnId: id, name, status });
      operations.end(operation, outcome);
    };
    try {
      const value = await work;
      end(outcomeOf?.(value) ?? 'completed');
      return value;
    } catch (error) {
      const isLeft = isCancelledError(error) && error.abandoned !== undefined;
      const stopped = isLeft ? 'abandoned' : 'cancelled';
      end(classify(error, this.token).status === 'failure' ? 'failed' : stopped);
      throw error;
    }
  }
}
