/**
 * What a running tool is given.
 *
 * @module
 */
import { isThenable, optionalText, wrongType } from '../../foundation/check.ts';
import { BaseError } from '../../foundation/error-base.ts';
import { lazyMembers } from '../../combinators/engine/lazy-members.ts';
import { workMembers } from '../../combinators/engine/work-context.ts';
import { raceCancellation } from '../../combinators/race.ts';
import type { CancelledError } from '../../foundation/errors.ts';
import { createReason, type CancelReason } from '../../foundation/reason.ts';
import type { Source } from '../../token/source.ts';
import type { SubagentOptions } from '../public-types/agent-options.ts';
import type { Controller } from '../public-types/controller.ts';
import type { ToolContext, Waited } from '../public-types/tool-context.ts';
import type { TurnMessages } from '../messages/turn-messages.ts';
import { ask, type Asking } from './approvals.ts';
import { operationMembers, type OperationHost } from './operation-context.ts';
import type { TrackedOperation } from '../ledger/tracked-work.ts';

/** Thrown by `decline()`; the ledger turns it into the outcome. */
export class Declined extends BaseError {
  readonly text: string | undefined;

  constructor(text: string | undefined) {
    super(text ?? 'The user declined this call');
    this.text = text;
  }
}

/** Whether a tool threw it to decline; what cannot be looked at says nothing. */
export function isDeclined(error: unknown): error is Declined {
  try {
    return error instanceof Declined;
  } catch {
    return false;
  }
}

/** A tool call, as its context needs it. */
interface CallOfContext extends Asking {
  readonly call: unknown;
  readonly turn: Asking['turn'] & {
    readonly queue: TurnMessages;
    readonly waits: Set<(reason: CancelReason) => void>;
  };
  readonly interjected: AbortSignal;
  readonly onInterject: 'finish' | 'cancel' | 'yield';
  partial: { readonly value: unknown } | undefined;
  declined: Declined | undefined;
  hasCommitted: boolean;
  hasActed: boolean;
  readonly source: Source;
  /** Why this must not be started now, if so. */
  refusal(what: string): CancelledError | undefined;
  subagent(name: string, options: SubagentOptions | undefined): Controller<unknown>;
  track<T>(operation: TrackedOperation<T>, work: PromiseLike<T>): Promise<T>;
}

type ToolHost = OperationHost<CallOfContext>;

/** The context of one call. */
export const toolContext: (host: ToolHost) => ToolContext = /* @__PURE__ */ lazyMembers<ToolHost, ToolContext>(() => ({
  ...operationMembers,
  call: ({ owner: running }) => running.call,
  interjected: ({ owner: running }) => running.interjected,
  partial:
    ({ owner: running }) =>
    (value) => {
      running.hasActed = true;
      running.partial = { value };
    },
  progress: ({ owner: running, work }) => {
    const progress = workMembers.progress(work);
    return (...args) => {
      running.hasActed = true;
      progress(...args);
    };
  },
  commit: ({ owner: running, work }) => {
    const commit = workMembers.commit(work);
    return (...args) => {
      const refused = running.refusal('commit()');
      if (refused !== undefined) return Promise.reject(refused);
      if (!running.source.isCancelled) running.hasCommitted = true;
      return commit(...args);
    };
  },
  decline:
    ({ owner: running }) =>
    (userMessage) => {
      running.declined = new Declined(optionalText('userMessage', userMessage));
      throw running.declined;
    },
  ask:
    ({ owner: running }) =>
    (open, options) => {
      const refused = running.refusal('ask()');
      return refused === undefined ? ask(running, open, options) : Promise.reject(refused);
    },
  subagent:
    ({ owner: running }) =>
    (name, options) => {
      // Its turns are refused; one beside the turns lives on.
      if (options?.detached !== true) running.refusal('subagent()');
      running.hasActed = true;
      return running.subagent(name, options) as never;
    },
  wait:
    ({ owner: running }) =>
    (work) => {
      if (!isThenable(work)) return Promise.reject(wrongType('work', 'a promise', work));
      running.hasActed = true;
      return wait(running, work);
    },
  track:
    ({ owner: running }) =>
    (operation, work) => {
      running.hasActed = true;
      return running.track(operation, work);
    },
}));

function wait<T>({ turn, onInterject, source }: CallOfContext, work: PromiseLike<T>): Promise<Waited<T>> {
  const { waits, queue, clock } = turn;
  let interject: (reason: CancelReason) => void = () => undefined;
  const waited = new Promise<Waited<T>>((resolve, reject) => {
    interject = (reason) => {
      resolve({ status: 'interjected', reason });
    };
    work.then((value) => {
      resolve({ status: 'completed', value });
    }, reject);
  });
  if (onInterject === 'yield') {
    if (queue.isWaiting) interject(createReason({ kind: 'interjection', at: clock.now() }));
    else waits.add(interject);
  }
  return raceCancellation(source.token, waited).finally(() => {
    waits.delete(interject);
  });
}
