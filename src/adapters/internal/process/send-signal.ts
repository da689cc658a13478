/**
 * Sends a signal and says what became of it, as data. Prior art: `kill(2)`.
 *
 * @module
 */
import type { SendOutcome } from './process-table.ts';

/** The slice of `process.kill` that is used. */
export type KillFunction = (target: number, signal: NodeJS.Signals | 0) => unknown;

/**
 * @param kill `process.kill`, or what stands for it.
 * @param target A pid above 1, or a group as a negative number below −1; 0, ±1 mean "everybody" to the kernel.
 * @param signal What to send; 0 only asks.
 * @throws Error – what `kill` throws beyond "no such process" and "not permitted", such as an unknown signal.
 */
export function sendSignal(kill: KillFunction, target: number, signal: NodeJS.Signals | 0): SendOutcome {
  if (!Number.isSafeInteger(target) || Math.abs(target) <= 1) return 'refused';
  try {
    kill(target, signal);
    return 'sent';
  } catch (error) {
    const code = (error as { readonly code?: unknown }).code;
    if (code === 'ESRCH') return 'gone';
    if (code === 'EPERM') return 'refused';
    throw error;
  }
}
