/**
 * What a running tool is given.
 *
 * @module
 */
import { isThenable, optionalText, wrongType } from '../../foundation/check.ts';
import { BaseError } from '../../foundation/error-base.ts';
import { lazyMembers } from '../../combinators/engine/lazy-members.ts';
import { workMembers, type CancelContext } from '../../combinators/engine/work-context.ts';
import { raceCancellation } from '../../combinators/race.ts';
import type { CancelledError } from '../../foundation/errors.ts';
import { createReason, type CancelReason } from '../../foundation/reason.ts';
import type { Source } from '../../token/source.ts';
import type { InterruptController } from '../controller.ts';
import type { SubagentOptions } from '../public-types/agent-options.ts';
import type { AskOptions } from '../public-types/call-options.ts';
import type { TurnMessages } from '../messages/turn-messages.ts';
import { ask, type Answer, type Asking, type Responder } from './approvals.ts';
import { operationMembers, type CancelTurn, type OperationHost } from './operation-context.ts';
import type { TrackedOperation } from '../ledger/tracked-work.ts';

/**
 * What a wait came to: the work's value, or a message that is more urgent than waiting.
 *
 * @since 0.1.0
 */
export type Waited<T> =
  | { readonly status: 'completed'; readonly value: T }
  | { readonly status: 'interjected'; readonly reason: CancelReason };

/**
 * What a tool is given.
 *
 * @since 0.1.0
 */
export interface ToolContext<C = unknown> extends CancelContext {
  readonly call: C;
  /** Aborted when a message waits for the model (with any delivery but `after-turn`): a passive wait may end then. */
  readonly interjected: AbortSignal;
  /** Keeps what has been produced so far, for the outcome of a stopped call. */
  readonly partial: (value: unknown) => void;
  /**
   * Asks a person whether the call may begin; a stop settles it as cancelled, never as denied. The call is `not-started`
   * then, unless an answer came before, or it told of something it did: by `partial`, `progress`, `commit`, `track`, `wait`
   * or a sub-agent. So ask first; or say what was done before.
   */
  readonly ask: <T>(open: (respond: Responder<T>) => void, options?: AskOptions) => Promise<Answer<T>>;
  /**
   * Waits for work that is not this call's: with `onInterject: 'yield'` a message ends the wait, and never the work.
   *
   * @throws CancelledError – as a rejection: the call was stopped. The work's own error – it failed.
   */
  readonly wait: <T>(work: PromiseLike<T>) => Promise<Waited<T>>;
  /**
   * Stops the turn from within this call, with kind `unknown` if you do not say. The receipt may be awaited here: its
   * report waits for everything else, and says `caller` of this call.
   */
  readonly cancelTurn: CancelTurn;
  /**
   * Ends the call as declined: the person said no to it. `userMessage` is what the person said, and the model reads it as
   * their words; what the program has to say of a call is its result, or an error.
   *
   * @throws TypeError – at the call: `userMessage` is no text.
   */
  readonly decline: (userMessage?: string) => never;
  /** A sub-agent that hangs on this call. */
  readonly subagent: <M = string>(name: string, options?: SubagentOptions) => InterruptController<M>;
  /**
   * Gives something this call started – a process, a request – a row of its own in the stop report.
   *
   * @throws TypeError – at the call: an operation without a kind or a name, or work that is no promise.
   */
  readonly track: <T>(operation: TrackedOperation<T>, work: PromiseLike<T>) => Promise<T>;
}

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
  subagent(name: string, options: SubagentOptions | undefined): InterruptController<unknown>;
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
