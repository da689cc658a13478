/**
 * Questions to a person that a stop settles as cancelled, never as denied.
 * In the interrupt room below the turn.
 *
 * @module
 */
import { requireFunction } from '../foundation/check.ts';
import { listen } from '../token/listener.ts';
import { errorOf } from '../token/pull.ts';
import type { Token } from '../token/source.ts';
import type { Answer, Responder } from './handles.ts';

/**
 * Opens a question and waits for its one answer or for the stop.
 *
 * @checkpoint always, before
 * @fairness The first of answer and stop counts; the other is refused.
 */
export function ask<T>(token: Token, open: (respond: Responder<T>) => void): Promise<Answer<T>> {
  return new Promise((resolve, reject) => {
    requireFunction('open', open);
    if (token.isCancelled) throw errorOf(token);
    let settled = false;
    const settle = (answer: Answer<T>): boolean => {
      if (settled) return false;
      settled = true;
      registration.unregister();
      resolve(answer);
      return true;
    };
    const registration = listen(token, (reason) => {
      settle({ status: 'cancelled', reason });
    });
    try {
      open((value) => settle({ status: 'answered', value }));
    } catch (error) {
      settled = true;
      registration.unregister();
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the caller's own error, whatever it is
      reject(error);
    }
  });
}
