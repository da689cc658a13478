/**
 * A wait with a limit that is an answer and no error: it came, or it did not.
 *
 * @module
 */
import { delay, type CancellationToken } from '../../../index.ts';
import { waitUntil } from '../../waiting.ts';
import { measureSlowness } from './slowness.ts';

/**
 * Waits; `false` if it did not come.
 *
 * @param isSo Whether it is there. What it throws is thrown: who could not look has not seen anything.
 * @param ms The limit.
 * @param token Its cancellation ends the wait.
 * @throws CancelledError – nobody wants it any more.
 */
export async function comes(
  isSo: () => boolean | Promise<boolean>,
  ms: number,
  token?: CancellationToken,
): Promise<boolean> {
  let fault: { readonly error: unknown } | undefined;
  const look = async (): Promise<boolean> => {
    try {
      return token?.isCancelled === true || (await isSo());
    } catch (error) {
      fault = { error };
      return true;
    }
  };
  try {
    await waitUntil('', look, ms);
  } catch {
    return false;
  }
  token?.throwIfCancelled();
  if (fault !== undefined) throw fault.error;
  return true;
}

/**
 * The limits of one run, on this machine as it is. How slow that is, is measured as the run begins, and again where a limit has passed: what
 * makes a wait long is the load of then.
 */
export class Patience {
  /** Its cancellation ends every wait. */
  readonly token: CancellationToken | undefined;
  readonly #measure: () => Promise<number>;
  #factor: number;

  private constructor(factor: number, token: CancellationToken | undefined, measure: () => Promise<number>) {
    this.#factor = factor;
    this.token = token;
    this.#measure = measure;
  }

  /** @throws CancelledError – nobody wants the run any more. */
  static async begin(token?: CancellationToken, measure: () => Promise<number> = measureSlowness): Promise<Patience> {
    token?.throwIfCancelled();
    return new Patience(await measure(), token, measure);
  }

  /** How much slower than usual the machine was, as slow as it was found; at least 1. */
  get factor(): number {
    return this.#factor;
  }

  /** A limit, on this machine. */
  within(ms: number): number {
    return ms * this.#factor;
  }

  /**
   * Waits; `false` if it did not come.
   *
   * @param ms The limit on a machine of usual speed.
   * @throws CancelledError – nobody wants it any more.
   */
  async comes(isSo: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
    const began = this.#factor;
    if (await comes(isSo, this.within(ms), this.token)) return true;
    this.#factor = Math.max(began, await this.#measure());
    return this.#factor > began && (await comes(isSo, ms * (this.#factor - began), this.token));
  }

  /** Waits in real time, for what should not come. */
  watch(ms: number): Promise<void> {
    return delay(this.token, this.within(ms));
  }
}

/**
 * Takes every step, whatever becomes of the others.
 *
 * @throws The first fault, once all have been taken.
 */
export async function takeAll(steps: readonly (() => unknown)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
}
