/**
 * Stopping our own job the way Ctrl+Z stops any other, and going on where the shell lets us.
 *
 * Invariants:
 * - **J1** What must be given back is given back before the job stops, and taken again only in the foreground: a process
 *   in the background that touches the terminal is stopped by the kernel (SIGTTOU).
 * - **J2** The stop is the signal's own default action, so the shell sees a stopped job and not one that handled it.
 * - **J3** All who watch a terminal in this process stop as one: a signal that a single one of them still hears is not the default
 *   action, and by the time it is raised again the shell may have continued the job already, which then stands still in front.
 *
 * Prior art: vim, less; the chapter on job control of the GNU C library's manual.
 *
 * @module
 */
import type { Clock, Releasable } from '../../../core/inside.ts';
import { nodeModule } from '../node-module.ts';
import { onJobSignal } from '../process/process-hooks.ts';

/** The slice of the system that is used. */
export interface JobHost {
  readonly pid: number;
  readonly platform: string;
  kill(pid: number, signal: 'SIGTSTP'): unknown;
  /** Of this process, as the kernel has it; `undefined` where there is none. */
  stat(): string | undefined;
  onSignal(signal: 'SIGTSTP' | 'SIGCONT', fn: () => void): Releasable;
}

/** What a job does around its stop. */
export interface JobOptions {
  readonly clock: Clock;
  /** About to stop, or found in the background. */
  readonly leave: () => void;
  /** In the foreground again. */
  readonly enter: () => void;
  readonly host?: JobHost | undefined;
}

/** A shell that brings a running job to the front sends no signal, so there is nothing but to look. */
const LOOK_MS = 200;

const thisProcess: JobHost = {
  // Read when they are needed: opening the door needs nothing of Node.
  get pid() {
    return process.pid;
  },
  get platform() {
    return process.platform;
  },
  kill: (pid, signal) => process.kill(pid, signal),
  stat: () => {
    try {
      return nodeModule('node:fs').readFileSync('/proc/self/stat', 'latin1');
    } catch {
      return undefined;
    }
  },
  onSignal: onJobSignal,
};

/** Our group, and the one in front at our terminal; the same where the system does not tell. */
export function frontOf(host: JobHost = thisProcess): {
  readonly pid: number;
  readonly group: number;
  readonly front: number;
} {
  const stat = host.stat() ?? '';
  const [, , group = 0, , , front = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ', 6)
    .map(Number);
  return { pid: host.pid, group, front };
}

/** Whether the terminal is ours to touch. Where the system does not tell, it is. */
export function isInForeground(host?: JobHost): boolean {
  const { group, front } = frontOf(host);
  return front === -1 || front === group; // -1: no terminal controls us, so none can stop us
}

/** Who watches a terminal in a process. */
const jobsOf = new WeakMap<JobHost, Set<Job>>();

/** Our job, as long as somebody watches its terminal. */
export class Job implements Releasable {
  readonly #options: JobOptions;
  readonly #host: JobHost;
  readonly #fellows: Set<Job>;
  readonly #continued: Releasable;
  #stopped: Releasable | undefined;
  #look: Releasable | undefined;
  #isInFront: boolean;

  constructor(options: JobOptions) {
    this.#options = options;
    this.#host = options.host ?? thisProcess;
    this.#isInFront = isInForeground(options.host);
    this.#fellows = jobsOf.get(this.#host) ?? new Set();
    jobsOf.set(this.#host, this.#fellows.add(this));
    this.#continued = this.#host.onSignal('SIGCONT', () => this.#resume());
    this.#listen();
  }

  /** Whether the terminal is ours as far as our shell goes: so it is behind a program that has put a group of its own in front. */
  get isInFront(): boolean {
    return this.#isInFront;
  }

  /** Ctrl+Z: stops the whole group, as the terminal would have; a no-op where there are no jobs. */
  stop(): void {
    this.#stop(0);
  }

  /** Takes the terminal as soon as we are in the foreground; at once if we are. */
  enter(): void {
    this.#look?.release();
    this.#look = undefined;
    if (isInForeground(this.#host)) {
      this.#isInFront = true;
      this.#options.enter();
      return;
    }
    this.#leave();
    this.#look = this.#options.clock.setTimer(() => this.enter(), LOOK_MS, { ref: false });
  }

  release(): void {
    this.#fellows.delete(this);
    this.#look?.release();
    this.#stopped?.release();
    this.#continued.release();
  }

  #listen(): void {
    this.#stopped ??= this.#host.onSignal('SIGTSTP', () => this.#stop(this.#host.pid));
  }

  #stop(pid: number): void {
    if (this.#host.platform === 'win32') return;
    for (const job of this.#fellows) job.#prepare(); // J3
    this.#host.kill(pid, 'SIGTSTP');
  }

  #leave(): void {
    this.#isInFront = false;
    this.#options.leave();
  }

  #prepare(): void {
    this.#leave(); // J1
    this.#stopped?.release(); // J2
    this.#stopped = undefined;
    this.#look?.release();
    // The kernel may stop us a moment after the call, and not at all where no shell could continue us: so neither the
    // listener nor the terminal is taken again before SIGCONT, or a while without one.
    this.#look = this.#options.clock.setTimer(() => this.#resume(), LOOK_MS, { ref: false });
  }

  #resume(): void {
    this.#listen();
    this.enter();
  }
}
