/**
 * A wait with a limit that is an answer and no error: it came, or it did not.
 *
 * @module
 */
import type { CancellationToken } from '../../../index.ts';
import { waitUntil } from '../../waiting.ts';

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
