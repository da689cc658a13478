/**
 * Questions to a person that a stop settles as cancelled, never as denied.
 * In the interrupt room below the turn.
 *
 * @module
 */
import { isThenable, requireFunction } from '../foundation/check.ts';
import { listen } from '../token/listener.ts';
import type { Registration } from '../token/handles.ts';
import type { Answer, Responder } from './handles.ts';
import type { OpenCall, TurnState } from './turn-state.ts';

/**
 * Opens a question and waits for its one answer or for the stop; a call whose question is cancelled is told so.
 *
 * @checkpoint always, before
 * @fairness The first of answer and stop counts; the other is refused.
 */
export async function ask<T>(
  turn: TurnState,
  open: (respond: Responder<T>) => unknown,
  call: OpenCall | undefined = turn.calling,
): Promise<Answer<T>> {
  requireFunction('open', open);
  const { token } = call?.source ?? turn;
  token.throwIfCancelled();
  turn.requireOpen();
  let registration: Registration | undefined;
  turn.idlePauses.pause();
  let settled = false;
  try {
    return await new Promise<Answer<T>>((resolve, reject) => {
      const settle = (answer: Answer<T>): boolean => {
        if (settled) return false;
        settled = true;
        resolve(answer);
        return true;
      };
      registration = listen(token, (reason) => {
        if (settle({ status: 'cancelled', reason }) && call !== undefined) call.unanswered = reason;
      });
      const opened: unknown = open((value) => settle({ status: 'answered', value }));
      // A question that could not be put is answered by nobody.
      if (isThenable(opened)) opened.then(undefined, reject);
    });
  } finally {
    settled = true;
    turn.idlePauses.resume();
    registration?.unregister();
  }
}
