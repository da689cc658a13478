/**
 * Questions to a person that a stop settles as cancelled, never as denied.
 *
 * @module
 */
import { checkpoint } from '../../combinators/checkpoint.ts';
import { isThenable, requireFunction, requireMs, requireOptions, type OptionNames } from '../../foundation/check.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Releasable } from '../../foundation/disposable.ts';
import { createReason, type CancelReason } from '../../foundation/reason.ts';
import type { Registration } from '../../token/tree/listeners.ts';
import { listen } from '../../token/tree/listeners.ts';
import type { AskOptions } from '../public-types/call-options.ts';
import type { Token } from '../../token/token.ts';
import type { IdlePauses } from '../turn/idle-pauses.ts';

/**
 * What a person answered.
 *
 * @since 0.1.0
 */
export type Answer<T> =
  { readonly status: 'answered'; readonly value: T } | { readonly status: 'cancelled'; readonly reason: CancelReason };

/**
 * Takes the one answer; returns whether it counted.
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
  /** Why it got no answer. */
  unanswered?: CancelReason | undefined;
  /** Whether it has done more than ask. */
  hasActed?: boolean;
}

const optionNames: OptionNames<AskOptions> = { timeoutMs: 1 };

/**
 * Opens a question and waits for its one answer, for the stop, or for its limit; a call whose question is cancelled is
 * told so.
 *
 * @checkpoint always, before
 * @fairness The first of answer, stop and limit counts; the others are refused.
 */
export async function ask<T>(
  call: Asking,
  open: (respond: Responder<T>) => unknown,
  options: AskOptions = {},
): Promise<Answer<T>> {
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
    return await new Promise<Answer<T>>((resolve, reject) => {
      const end = (answer: Answer<T>): boolean => {
        if (isOver) return false;
        isOver = true;
        // Who was allowed what it asked for begins with it.
        if (answer.status === 'answered') call.hasActed = true;
        resolve(answer);
        return true;
      };
      const giveUp = (reason: CancelReason): void => {
        if (end({ status: 'cancelled', reason })) call.unanswered = reason;
      };
      registration = listen(token, giveUp);
      question = { left, ended: (reason) => end({ status: 'cancelled', reason }) };
      (call.questions ??= new Set()).add(question);
      if (timeoutMs !== Infinity) {
        const message = `Not answered within ${String(timeoutMs)} ms`;
        timer = turn.clock.setTimer(
          () => {
            giveUp(createReason({ kind: 'deadline', message, at: turn.clock.now() }));
          },
          timeoutMs,
          { ref: true },
        );
      }
      const opened: unknown = open((value) => end({ status: 'answered', value }));
      // A question that could not be put is answered by nobody.
      if (isThenable(opened)) opened.then(undefined, reject);
    });
  } finally {
    isOver = true;
    left();
    if (question !== undefined) call.questions?.delete(question);
    registration?.unregister();
    timer?.release();
  }
}
