/**
 * A process tree on Windows, stopped by `taskkill /T /F`. Whatever signal is asked for, this is a forceful end: a
 * console program cannot be asked.
 *
 * Invariants:
 * - **W1** The tool is the system's own, by its full path: a `taskkill` in the working folder or on the PATH may be
 *   anybody's.
 * - **W2** Nobody is told to end after the leader was reaped: its number may be a stranger's, and nothing tells.
 * - **W3** The event loop has its turns while the tool runs; only the end of our own process waits for it. A look waits
 *   for it too: who resists is in its words.
 *
 * Prior art: tree-kill; Jenkins' Windows process killer.
 *
 * @module
 */
import { nodeModule } from '../node-module.ts';
import type { ProcessIdentity } from './process-table.ts';
import type { LiveProcess } from './process-table.ts';
import type { FamilyLook, SignalReach, StoppableFamily } from './process-table.ts';
import { sendSignal } from './send-signal.ts';

/** What a program left behind. */
export interface ToolEnd {
  /** `null` if it could not be run. */
  readonly status: number | null;
  /** Its standard error. */
  readonly errors: string;
}

/** The slice of Windows that is used. */
export interface WindowsHost {
  /** Where `SystemRoot` stands. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Runs a program to its end; never rejects. */
  run(file: string, args: readonly string[]): Promise<ToolEnd>;
  /** The same at once: for the end of our own process. */
  runNow(file: string, args: readonly string[]): ToolEnd;
  /** Ends one process, without its tree. */
  kill(pid: number): void;
  /** Whether a pid belongs to anybody. */
  isAlive(pid: number): boolean;
}

/** Longer than any tree takes; a tool that hangs must not hang us. */
const runLimitMs = 5000;
/** What the tool exits with where there is no such process: its number may soon be a stranger's. */
const notFound = 128;
const toolOptions = { encoding: 'utf8', windowsHide: true, timeout: runLimitMs } as const;

const thisHost: WindowsHost = {
  get environment() {
    return process.env;
  },
  run: (file, args) =>
    new Promise((resolve) => {
      try {
        nodeModule('node:child_process').execFile(file, [...args], toolOptions, (error, _, errors) => {
          const code = error === null ? 0 : error.code;
          resolve({ status: typeof code === 'number' ? code : null, errors });
        });
      } catch {
        resolve({ status: null, errors: '' }); // such as no memory for one more process
      }
    }),
  runNow(file, args) {
    // Without a process there is no output either, whatever the types say.
    const ended: { readonly status: number | null; readonly stderr: string | null } = nodeModule(
      'node:child_process',
    ).spawnSync(file, args, { ...toolOptions, stdio: ['ignore', 'ignore', 'pipe'] });
    return { status: ended.status, errors: ended.stderr ?? '' };
  },
  kill: (pid) => void sendSignal(process.kill.bind(process), pid, 'SIGKILL'),
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
  #running: Promise<void> | undefined;

  /**
   * @param leaderPid Not yet reaped.
   * @param host The machine.
   */
  constructor(leaderPid: number, host: WindowsHost = thisHost) {
    this.#leaderPid = leaderPid;
    this.#host = host;
  }

  /** Who resisted and is alive; the leader is not among them, its exit tells. */
  async look(): Promise<FamilyLook> {
    await this.#running; // W3
    return { alive: this.#alive(), isSure: true };
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

  /** Starts the tool; one that is on its way ends the whole tree, too. */
  signal(): SignalReach {
    if (this.#isReaped) return 'nobody'; // W2
    this.#running ??= this.#end();
    return 'all';
  }

  /** `taskkill` shows nobody: there is nothing by which a newcomer would be known. */
  killNewcomers(): void {}

  killNow(): SignalReach {
    if (this.#isReaped) return 'nobody'; // W2
    return this.#heard(this.#host.runNow(...this.#command())) ? 'all' : 'nobody';
  }

  async #end(): Promise<void> {
    const ended = await this.#host.run(...this.#command());
    this.#running = undefined;
    // The tool was of no use: then at least the process itself.
    if (!this.#heard(ended) && ended.status !== notFound && !this.#isReaped) this.#host.kill(this.#leaderPid);
  }

  #command(): [file: string, args: string[]] {
    return [taskkillPath(this.#host.environment), ['/PID', String(this.#leaderPid), '/T', '/F']];
  }

  #heard({ status, errors }: ToolEnd): boolean {
    this.#resisted = resisting(errors).filter((each) => each !== this.#leaderPid);
    return status === 0;
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
