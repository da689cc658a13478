/**
 * What a running tool is given.
 * In the interrupt room below the ledger, which makes one per call.
 *
 * @module
 */
import type { CancelContext, ContextHost } from '../combinators/context.ts';
import { raceCancellation } from '../combinators/race.ts';
import { classify } from '../foundation/classify.ts';
import { isCancelledError } from '../foundation/errors.ts';
import { createReason, type CancelReason } from '../foundation/reason.ts';
import { ask } from './approvals.ts';
import { OperationContext } from './operation-context.ts';
import type { ToolContext, TrackedOperation, Waited } from './handles.ts';
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
export class CallContext<C> extends OperationContext implements ToolContext<C> {
  readonly #running: OpenCall & { readonly call: C };

  constructor(host: ContextHost, cancelTurn: CancelTurn, running: OpenCall & { readonly call: C }) {
    super(host, cancelTurn);
    this.#running = running;
  }

  get call(): C {
    return this.#running.call;
  }

  get partial(): ToolContext['partial'] {
    const running = this.#running;
    return (value) => {
      running.partial = { value };
    };
  }

  override get commit(): CancelContext['commit'] {
    const running = this.#running;
    const commit = super.commit;
    return (fn) => {
      if (!running.source.isCancelled) running.hasCommitted = true;
      return commit(fn);
    };
  }

  get decline(): ToolContext['decline'] {
    const running = this.#running;
    return (message) => {
      const declined = new Declined(message);
      running.declined = declined;
      throw declined;
    };
  }

  get ask(): ToolContext['ask'] {
    const running = this.#running;
    return (open) => ask(running.turn, open, running);
  }

  get subagent(): ToolContext['subagent'] {
    const running = this.#running;
    return (name, options) => running.turn.host.subagent(running, name, options);
  }

  get wait(): ToolContext['wait'] {
    const running = this.#running;
    return (work) => wait(running, work);
  }

  get track(): ToolContext['track'] {
    const running = this.#running;
    return (operation, work) => track(running, operation, work);
  }
}

/** For the proxy of each. */
export const callMembers: ProxyHandler<object> = OperationContext.members(CallContext);

function wait<T>({ turn, onInterject, source }: OpenCall, work: PromiseLike<T>): Promise<Waited<T>> {
  const { waits, queue, clock } = turn;
  let leave: (reason: CancelReason) => void = () => undefined;
  const settled = new Promise<Waited<T>>((resolve, reject) => {
    leave = (reason) => {
      resolve({ status: 'interjected', reason });
    };
    work.then((value) => {
      resolve({ status: 'completed', value });
    }, reject);
  });
  if (onInterject === 'yield') {
    if (queue.isWaiting) leave(createReason({ kind: 'interjection', at: clock.now() }));
    else waits.add(leave);
  }
  return raceCancellation(source.token, settled).finally(() => {
    waits.delete(leave);
  });
}

async function track<T>(
  running: OpenCall,
  { kind, name, outcomeOf }: TrackedOperation<T>,
  work: PromiseLike<T>,
): Promise<T> {
  const { turn, source } = running;
  const { operations } = turn;
  const tracked = (running.tracked ??= new Set());
  const operation = operations.start(kind, name);
  tracked.add(operation);
  const end = (outcome: OperationOutcome): void => {
    tracked.delete(operation);
    // Its call was answered without it: it is in the report already, by name.
    const status = outcome === 'abandoned' || outcome === 'not-started' ? 'cancelled' : outcome;
    if (operation.outcome !== undefined) turn.lateSettled(name, status);
    operations.end(operation, outcome);
  };
  try {
    const value = await work;
    end(outcomeOf?.(value) ?? 'completed');
    return value;
  } catch (error) {
    const isLeft = isCancelledError(error) && error.abandoned !== undefined;
    const stopped = isLeft ? 'abandoned' : 'cancelled';
    end(classify(error, source.token).status === 'failure' ? 'failed' : stopped);
    throw error;
  }
}
