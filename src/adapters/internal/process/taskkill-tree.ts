/**
 * A process tree on Windows, stopped by `taskkill /T /F`. Whatever signal is asked for, this is a forceful end: a
 * console program cannot be asked.
 *
 * Invariants:
 * - **W1** The tool is the system's own, by its full path: a `taskkill` in the working folder or on the PATH may be
 *   anybody's.
 * - **W2** Nobody is told to end after the leader was reaped: its number may be a stranger's, and nothing tells.
 *
 * Prior art: tree-kill; Jenkins' Windows process killer.
 *
 * @module
 */
import { nodeModule } from '../node-module.ts';
import type { ProcessIdentity } from './process-tree.ts';
import type { LiveProcess } from './stoppable-process.ts';
import type { FamilyLook, SignalReach, StoppableFamily } from './stoppable-process.ts';
import { sendSignal } from './send-signal.ts';

/** The slice of Windows that is used. */
export interface WindowsHost {
  /** Where `SystemRoot` stands. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Runs a program to its end. `status` is `null` if it could not be run. */
  run(file: string, args: readonly string[]): { readonly status: number | null; readonly errors: string };
  /** Whether a pid belongs to anybody. */
  isAlive(pid: number): boolean;
}

/** Longer than any tree takes; a tool that hangs must not hang us. */
const runLimitMs = 5000;

const thisHost: WindowsHost = {
  get environment() {
    return process.env;
  },
  run(file, args) {
    // Without a process there is no output either, whatever the types say.
    const ended: { readonly status: number | null; readonly stderr: string | null } = nodeModule(
      'node:child_process',
    ).spawnSync(file, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
      timeout: runLimitMs,
    });
    return { status: ended.status, errors: ended.stderr ?? '' };
  },
  isAlive: (pid) => sendSignal(process.kill.bind(process), pid, 0) !== 'gone',
};

/** W1. The name is read in any case, as Windows does itself. */
export function taskkillPath(environment: WindowsHost['environment']): string {
  const root = Object.entries(environment).find(([name]) => name.toLowerCase() === 'systemroot')?.[1];
  return nodeModule('node:path').win32.join(
    root === undefined || root === '' ? 'C:\\Windows' : root,
    'System32',
    'taskkill.exe',
  );
}

/** Who would not end. The words are of the system's language; the number after "PID" is the process, then its parent's. */
export function resisting(errors: string): number[] {
  return errors.split(/\r?\n/).flatMap((line) => {
    const pid = /\bPID\b\D{0,3}(\d+)/i.exec(line)?.[1];
    return pid === undefined ? [] : [Number(pid)];
  });
}

/** The family of one leader, on Windows: the tree is the system's to know, so only who resisted is known here. */
export class TaskkillFamily implements StoppableFamily {
  readonly #leaderPid: number;
  readonly #host: WindowsHost;
  #resisted: readonly number[] = [];
  #isReaped = false;

  /**
   * @param leaderPid Not yet reaped.
   * @param host The machine.
   */
  constructor(leaderPid: number, host: WindowsHost = thisHost) {
    this.#leaderPid = leaderPid;
    this.#host = host;
  }

  /** Who resisted and is alive; the leader is not among them, its exit tells. */
  look(): Promise<FamilyLook> {
    return Promise.resolve({ alive: this.#alive(), isSure: true });
  }

  leaderReaped(): void {
    this.#isReaped = true;
  }

  hasKnownAlive(): boolean {
    return this.#alive().length > 0;
  }

  isLeaderDead(): boolean {
    return false;
  }

  hadLeaderEnded(): boolean {
    return false;
  }

  isLeaderAlive(): boolean {
    return !this.#isReaped && this.#host.isAlive(this.#leaderPid);
  }

  signal(): SignalReach {
    if (this.#isReaped) return 'nobody'; // W2
    const pid = String(this.#leaderPid);
    const { status, errors } = this.#host.run(taskkillPath(this.#host.environment), ['/PID', pid, '/T', '/F']);
    this.#resisted = resisting(errors).filter((each) => each !== this.#leaderPid);
    return status === 0 ? 'all' : 'nobody';
  }

  killNow(): SignalReach {
    return this.signal();
  }

  /** The console tells its processes itself: none has a group of its own there. */
  interrupt(): void {
    return;
  }

  describe(members: readonly ProcessIdentity[]): LiveProcess[] {
    return members.map(({ pid }) => ({ pid, command: '?' }));
  }

  #alive(): ProcessIdentity[] {
    return this.#resisted.filter((pid) => this.#host.isAlive(pid)).map((pid) => ({ pid, startTime: 0 }));
  }
}
