/**
 * Questions to a person: a stop ends one as any other wait, and is never an answer.
 *
 * @module
 */
import { checkpoint } from '../../combinators/checkpoint.ts';
import { isUnrun, unrunError } from '../../combinators/engine/body.ts';
import { isThenable, requireFunction, requireMs, requireOptions, type OptionNames } from '../../foundation/check.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Releasable } from '../../foundation/disposable.ts';
import { createCancelledError, DeadlineExceededError, type CancelledError } from '../../foundation/errors.ts';
import { createReason, type CancelReason } from '../../foundation/reason.ts';
import type { Registration } from '../../token/tree/listeners.ts';
import { listen } from '../../token/tree/listeners.ts';
import { errorOf } from '../../token/tree/state.ts';
import type { AskOptions } from '../public-types/call-options.ts';
import type { Token } from '../../token/token.ts';
import type { IdlePauses } from '../turn/idle-pauses.ts';

/**
 * Takes the one answer; returns whether it came in time. One that a stop comes together with does not count.
 *
 * @since 0.1.0
 */
export type Responder<T> = (value: T) => boolean;

/** A question that is open, as its call sees it. */
export interface Question {
  /** The call goes on in the background: the model does not wait for the answer any more. */
  left(): void;
  /** The call has ended: nobody waits for the answer. */
  ended(reason: CancelReason): void;
}

/** Whose question it is. */
export interface Asking {
  readonly turn: { readonly clock: Clock; readonly idlePauses: IdlePauses };
  readonly source: { readonly token: Token };
  readonly hasLeftTurn?: boolean;
  /** Those of a call, while they are open. */
  questions?: Set<Question> | undefined;
  /** What the question ended with that got no answer. */
  unanswered?: CancelledError | DeadlineExceededError | undefined;
  /** Whether it has done more than ask. */
  hasActed?: boolean;
}

const optionNames: OptionNames<AskOptions> = { timeoutMs: 1 };

/**
 * Opens a question and waits for its one answer; a call whose question nobody answered is told so.
 *
 * @checkpoint always, before
 * @fairness The first of answer, stop and limit counts, but a stop in the tick of the answer comes before it.
 * @throws CancelledError – as a rejection: the stop came first, or the call has ended. DeadlineExceededError – the limit did.
 */
export function ask<T>(call: Asking, open: (respond: Responder<T>) => unknown, options: AskOptions = {}): Promise<T> {
  const answer = put(call, open, options);
  // A question that nobody awaits must not take the process down.
  answer.catch(() => undefined);
  return answer;
}

async function put<T>(call: Asking, open: (respond: Responder<T>) => unknown, options: AskOptions): Promise<T> {
  requireFunction('open', open);
  requireOptions(options, optionNames);
  const timeoutMs = requireMs('timeoutMs', options.timeoutMs ?? Infinity, 'infinity-allowed');
  const { turn } = call;
  const { token } = call.source;
  checkpoint(token);
  let registration: Registration | undefined;
  let timer: Releasable | undefined;
  let paused = call.hasLeftTurn === true ? undefined : turn.idlePauses.pause();
  const left = (): void => {
    turn.idlePauses.resume(paused);
    paused = undefined;
  };
  let question: Question | undefined;
  let isOver = false;
  try {
    const answer = await new Promise<T>((resolve, reject) => {
      const respond: Responder<T> = (value) => {
        if (isOver) return false;
        isOver = true;
        resolve(value);
        return true;
      };
      const end = (error: Error): void => {
        isOver = true;
        reject(error);
      };
      const giveUp = (error: CancelledError | DeadlineExceededError): void => {
        if (isOver) return;
        call.unanswered = error;
        end(error);
      };
      registration = listen(token, () => {
        giveUp(errorOf(token));
      });
      question = {
        left,
        ended: (reason) => {
          end(createCancelledError(reason));
        },
      };
      (call.questions ??= new Set()).add(question);
      if (timeoutMs !== Infinity) {
        const message = `Not answered within ${String(timeoutMs)} ms`;
        timer = turn.clock.setTimer(
          () => {
            const reason = createReason({ kind: 'deadline', message, at: turn.clock.now() });
            giveUp(new DeadlineExceededError(timeoutMs, reason));
          },
          timeoutMs,
          { ref: true },
        );
      }
      const opened: unknown = open(respond);
      if (isUnrun(opened, true)) throw unrunError('ask(open)');
      // A question that could not be put is answered by nobody.
      if (isThenable(opened)) opened.then(undefined, reject);
    });
    // Who answers and stops in one breath has stopped.
    if (token.isCancelled) throw (call.unanswered = errorOf(token));
    // Who was allowed what it asked for begins with it.
    call.hasActed = true;
    return answer;
  } finally {
    isOver = true;
    left();
    if (question !== undefined) call.questions?.delete(question);
    registration?.unregister();
    timer?.release();
  }
}
