/**
 * A child process that does what the test says: no process, no time.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';

export class FakeChild extends EventEmitter {
  /** `undefined` for a start that failed. */
  pid: number | undefined;
  readonly spawnfile: string = 'fake';
  readonly stdin: PassThrough = new PassThrough();
  readonly stdout: PassThrough = new PassThrough();
  readonly stderr: PassThrough = new PassThrough();
  readonly kills: string[] = [];
  isReferenced = true;

  constructor(pid = 500) {
    super();
    this.pid = pid;
  }

  kill(signal: string): boolean {
    this.kills.push(signal);
    return true;
  }

  unref(): void {
    this.isReferenced = false;
  }

  /** The leader ends; the pipes stay as they are. */
  exit(code: number | null, signal: NodeJS.Signals | null = null): void {
    this.emit('exit', code, signal);
  }

  /** Nobody holds the pipes any more. */
  close(): void {
    this.emit('close');
  }

  /** As the type that Node's `spawn` returns. */
  get asChild(): ChildProcess {
    return this as unknown as ChildProcess;
  }
}

/** Lets everything that is due happen: promise reactions and what waits for the next turn of the loop. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
