/**
 * What a node takes from its surroundings: the clock that measures, the handler that hears of errors.
 *
 * @module
 */
import { isThenable, printable } from '../../foundation/check.ts';
import { systemClock, type Clock } from '../../foundation/clock.ts';
import { ENV, extraOf, type Node } from './node.ts';

/** The clock that measures for this node: its own, or the nearest one above when it was made. */
export function clockOf(node: Node): Clock {
  return node.extra?.env?.clock ?? systemClock;
}

/** Gives a node with several parents the environment of the first that has one. */
export function inheritEnvironment(node: Node, parents: readonly Node[]): void {
  const env = parents.find((parent) => parent.extra?.env !== undefined)?.extra?.env;
  if (env === undefined) return;
  extraOf(node).env = env;
  node.flags |= ENV;
}

/** Gives a node, and the children it will have, a clock or an error handler of their own. */
export function setEnvironment(
  node: Node,
  clock: Clock | undefined,
  onCallbackError: ((error: unknown) => void) | undefined,
): void {
  const extra = extraOf(node);
  extra.env = {
    clock: clock ?? extra.env?.clock,
    onCallbackError: onCallbackError ?? extra.env?.onCallbackError,
  };
  node.flags |= ENV;
}

interface ErrorHost {
  readonly reportError?: ((error: unknown) => void) | undefined;
  readonly console?: { error(...args: readonly unknown[]): void } | undefined;
}

/** Calls what somebody handed us; what it throws, now or later, is reported and goes no further (I7). */
export function callSafely<A extends unknown[]>(
  node: Node,
  fn: ((...args: A) => unknown) | undefined,
  ...args: A
): void {
  try {
    observe(node, fn?.(...args));
  } catch (error) {
    reportCallbackError(node, error);
  }
}

/** An async callback's failure is a callback's failure, not an unhandled rejection. */
export function observe(node: Node, result: unknown): void {
  // Not `instanceof`: the callback may be of another realm.
  if (isThenable(result)) {
    result.then(undefined, (error: unknown) => {
      reportCallbackError(node, error);
    });
  }
}

/** I7: an error of a callback is reported, never rethrown: to the source's handler, else to the host. */
export function reportCallbackError(node: Node, error: unknown): void {
  const own: ((error: unknown) => unknown) | undefined = node.extra?.env?.onCallbackError;
  try {
    if (own !== undefined) {
      const result = own(error);
      if (isThenable(result)) result.then(undefined, () => undefined);
      return;
    }
    const host = globalThis as ErrorHost;
    const name = node.extra?.name ?? 'an unnamed token';
    if (host.reportError !== undefined) host.reportError(error);
    else host.console?.error(`Error reported by ${printable(name)}:`, error);
  } catch {
    // A handler that throws has nobody left to tell, and the other callbacks still have to run.
  }
}
