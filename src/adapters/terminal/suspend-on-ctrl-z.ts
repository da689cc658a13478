/**
 * Ctrl+Z at a prompt of Node's readline. By itself that signals its own process and not the group: under `npm run`, or `sh -c`, Node
 * stops, what started it does not, and the shell never has its terminal back.
 *
 * Prior art: the kernel, which signals the group in front.
 *
 * @module
 */
import { type Releasable, requireFunction, systemClock } from '../../core/inside.ts';
import { Job, type JobHost } from '../internal/keyboard/job-control.ts';
import type { TerminalInput } from '../internal/keyboard/key-reader.ts';

/**
 * What of readline's interface is used.
 *
 * @since 0.1.0
 */
export interface SuspendableLines {
  /** Listens to Ctrl+Z and to the end. */
  on(event: 'SIGTSTP' | 'close', listener: () => void): unknown;
  /** Listens no more. */
  removeListener(event: 'SIGTSTP' | 'close', listener: () => void): unknown;
  /** Shows the prompt and its line again. */
  prompt(preserveCursor: boolean): unknown;
}

/**
 * Has Ctrl+Z at a readline prompt stop the whole job, and shows the prompt again when the shell continues it in front.
 *
 * @cleanup Ends with `close()` of the lines, or with `release()`.
 * @param lines What `createInterface` of `node:readline` or `node:readline/promises` returned.
 * @param input Its input; default `process.stdin`.
 * @param host For tests: the process.
 * @returns Leaves Ctrl+Z to readline again.
 * @throws TypeError – no readline interface.
 * @example A prompt under npm
 * ```ts
 * import { suspendOnCtrlZ } from 'desist/terminal'
 * import { createInterface } from 'node:readline'
 * import { PassThrough } from 'node:stream'
 *
 * const lines = createInterface({ input: new PassThrough() }) // process.stdin in a program
 * suspendOnCtrlZ(lines)
 * lines.close()
 * ```
 * @source job control of the GNU C library
 * @since 0.1.0
 */
export function suspendOnCtrlZ(
  lines: SuspendableLines,
  input?: Pick<TerminalInput, 'setRawMode'>,
  host?: JobHost,
): Releasable {
  requireFunction('lines.on', (lines as Partial<SuspendableLines> | null)?.on);
  requireFunction('lines.prompt', (lines as Partial<SuspendableLines>).prompt);
  const terminal = input ?? process.stdin; // not before: to touch it opens it
  const job = new Job({
    clock: systemClock,
    leave: () => void terminal.setRawMode?.(false),
    enter: () => {
      terminal.setRawMode?.(true);
      lines.prompt(true);
    },
    host,
  });
  const suspend = (): void => job.stop();
  const release = (): void => {
    lines.removeListener('SIGTSTP', suspend);
    lines.removeListener('close', release);
    job.release();
  };
  lines.on('SIGTSTP', suspend);
  lines.on('close', release);
  return { release };
}
