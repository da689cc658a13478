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
import { ask } from './approvals.ts';
import { DelegatedContext } from './delegated-context.ts';
import type { Answer, Responder, ToolContext, TrackedOperation, InterruptController, Waited } from './handles.ts';
import type { SubagentOptions } from './turn-report.ts';
import type { OperationOutcome } from './report.ts';
import type { CancelTurn } from './run-operation.ts';
import type { OpenCall } from './turn-state.ts';

/** Thrown by `decline()`; the ledger turns it into the outcome. */
export class Declined extends Error {
  readonly text: string | undefined;

  constructor(text: string | undefined) {
    super(text ?? 'The user declined this call');
    this.text = text;
  }
}

/** The context of one call. */
export class CallContext<C> extends DelegatedContext implements ToolContext<C> {
  readonly call: C;
  override readonly commit: CancelContext['commit'];
  readonly #running: OpenCall;

  constructor(context: CancelContext, cancelTurn: CancelTurn, running: OpenCall & { readonly call: C }) {
    super(context, cancelTurn);
    this.call = running.call;
    this.#running = running;
    this.commit = (fn) => {
      if (!running.source.isCancelled) running.hasCommitted = true;
      return context.commit(fn);
    };
  }

  readonly partial = (value: unknown): void => {
    this.#running.partial = { value };
  };

  readonly decline: (message?: string) => never = (message) => {
    const declined = new Declined(message);
    this.#running.declined = declined;
    throw declined;
  };

  readonly ask = <T>(open: (respond: Responder<T>) => void): Promise<Answer<T>> =>
    ask(this.#running.turn, open, this.#running);

  readonly subagent = (name: string, options?: SubagentOptions): InterruptController =>
    this.#running.turn.host.subagent(this.#running, name, options);

  readonly wait = <T>(work: PromiseLike<T>): Promise<Waited<T>> => {
    const { waits, queue, clock } = this.#running.turn;
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
  };

  readonly track = async <T>({ kind, name, outcomeOf }: TrackedOperation<T>, work: PromiseLike<T>): Promise<T> => {
    const { operations, host, id } = this.#running.turn;
    const tracked = (this.#running.tracked ??= new Set());
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
  };
}
