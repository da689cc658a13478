/**
 * A request to a server that answers no cancel: what the server reads of a stop, and what the stop says of the request.
 *
 * @module
 */
import {
  type CancellationToken,
  CancellationTokenSource,
  givenUp,
  isAbortSignal,
  isObject,
  wireSignal,
} from '../../core/inside.ts';

/**
 * Sends a request with a signal that says nothing of the reason.
 *
 * @param token The request's own, or its call's; released when that ends.
 * @param name What it is called in the report.
 * @throws CancelledError – the client has given up because of the stop: nobody knows what became of the work, so `abandoned` names the
 * request, as over. Its own errors, as they are.
 */
export async function untoldRequest<T>(
  token: CancellationToken,
  name: string,
  send: (signal: AbortSignal) => T | PromiseLike<T>,
): Promise<T> {
  try {
    return await send(wireSignal(token));
  } catch (error) {
    throw givenUp(token, name, error);
  }
}

/**
 * A method of somebody else's client, each call of which is such a request; without a signal it is called as it is.
 *
 * @param at Which argument holds the options.
 * @param field Where in them the signal stands.
 * @param nameOf What a call is called.
 */
export function asUntoldRequest(
  at: number,
  field: string,
  nameOf: (args: readonly unknown[]) => string,
): (method: (...args: unknown[]) => unknown, args: readonly unknown[], self: unknown) => unknown {
  return async (method, args, self) => {
    const options = args[at];
    const signal: unknown = isObject(options) ? (options as Readonly<Record<string, unknown>>)[field] : undefined;
    if (!isAbortSignal(signal)) return await Reflect.apply(method, self, args);
    const own = new CancellationTokenSource({ parent: signal });
    try {
      return await untoldRequest(own.token, nameOf(args), (wire) =>
        Reflect.apply(method, self, [
          ...args.slice(0, at),
          { ...(options as object), [field]: wire },
          ...args.slice(at + 1),
        ]),
      );
    } finally {
      own.release();
    }
  };
}
