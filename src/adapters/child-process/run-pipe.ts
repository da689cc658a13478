/**
 * A pipe that a command and all that it starts inherit, and nobody writes to: while somebody holds its other end,
 * somebody is left, and who it is can be read from the process table. So daemons are found that have cleared or
 * overwritten the environment by which the others are.
 *
 * Prior art: the lock file descriptors of `flock(1)`; s6's notification pipes.
 *
 * @module
 */
import type { ChildProcess, StdioOptions } from 'node:child_process';
import type { Socket } from 'node:net';

import { hostProcessTable } from '../internal/process/tree-host.ts';
import type { RunPipe } from '../internal/process/stoppable-process.ts';

/** Adds the pipe behind the descriptors that the caller has asked for. */
export function withRunPipe(stdio: StdioOptions): Extract<StdioOptions, readonly unknown[]> {
  const given = Array.isArray(stdio) ? [...stdio] : [stdio, stdio, stdio];
  while (given.length < 3) given.push('pipe'); // Node's own default
  return [...given, 'pipe'];
}

/** Our end of the pipe of one run. */
export class OwnRunPipe implements RunPipe {
  readonly file: string | undefined;
  readonly #socket: Socket | undefined;
  #isHeld: boolean;

  /**
   * @param child Just started, with {@link withRunPipe}.
   * @param onFree Told when nobody holds the other end any more.
   */
  constructor(child: ChildProcess, onFree: () => void) {
    // Where a start failed for want of descriptors, there is no such list.
    const stdio = child.stdio as readonly unknown[] | undefined;
    const descriptor = (stdio?.length ?? 0) - 1;
    this.#socket = (stdio?.[descriptor] ?? undefined) as Socket | undefined;
    this.#isHeld = this.#socket !== undefined && child.pid !== undefined;
    if (this.#socket === undefined) return;
    if (child.pid !== undefined) this.file = hostProcessTable()?.openFileOf(child.pid, descriptor);
    this.#socket.on('error', () => undefined);
    this.#socket.once('close', () => {
      this.#isHeld = false;
      onFree();
    });
    this.#socket.resume();
    this.#socket.unref(); // the command keeps the program alive, not its pipe
  }

  isHeld(): boolean {
    return this.#isHeld;
  }

  /** Closes our end; whoever holds the other takes no notice. */
  release(): void {
    this.#socket?.destroy();
  }
}
