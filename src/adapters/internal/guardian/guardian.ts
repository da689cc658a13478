/**
 * One small process that outlives ours by a moment, for what no exit hook can do: after a SIGKILL, or when memory has run
 * out, it kills the commands that were guarded, and puts a guarded terminal back.
 *
 * Invariant: it is there while something is guarded, for a moment longer, and never keeps our program alive.
 *
 * Prior art: Erlang's port programs; tini.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';

import { type Releasable, systemClock } from '../../../core/inside.ts';
import { nodeModule } from '../node-module.ts';
import { notGuarded, type GuardUnavailable } from './guard-status.ts';
import { guard, type GuardedCommand, type GuardedTerminal } from './guardian-program.ts';

/** How long it waits for the next command, in milliseconds: it costs the start of a process. */
const lingerMs = 500;

/** What is run: the function as text, and what it is given. */
const program = `(${guard.toString()})({
  stdin: process.stdin, fs: require('node:fs'), pid: process.pid,
  kill: (pid, signal) => process.kill(pid, signal), exit: () => process.exit(0),
  stty: (terminal, argument) => require('node:child_process').execFileSync('stty', [argument], {
    stdio: [terminal, 'pipe', 'ignore'], encoding: 'utf8', env: { PATH: '/usr/bin:/bin' }, timeout: 1000,
  }),
})`;

/** What is guarded. */
export interface Guarded extends Releasable {
  /** Why it is not, after all; asked at any time. */
  readonly unavailable: GuardUnavailable | undefined;
}

interface Saying extends Guarded {
  /** Says one more line about it. */
  say(line: string): void;
}

/** A helper process, and what has become of it. */
interface Helper {
  readonly child: ChildProcess | undefined;
  problem?: GuardUnavailable;
}

/** The guardian of this thread. */
class Guardian {
  #helper: Helper | undefined;
  #count = 0;
  #leaving: Releasable | undefined;

  /** Says one line now, more until it is over if there are any, and another one then. */
  guard(begin: string, end: string): Saying {
    this.#count += 1;
    this.#leaving?.release();
    this.#leaving = undefined;
    const helper = this.#helper ?? this.#start();
    this.#helper = helper.problem === undefined ? helper : undefined; // the next one that is guarded tries again
    this.#say(begin);
    let isGuarded = true;
    let problem: GuardUnavailable | undefined;
    return {
      get unavailable() {
        return isGuarded ? helper.problem : problem;
      },
      say: (line) => {
        if (isGuarded) this.#say(line);
      },
      release: () => {
        if (!isGuarded) return;
        isGuarded = false;
        problem = helper.problem; // what becomes of it now is of no concern
        this.#say(end);
        this.#count -= 1;
        if (this.#count === 0) this.#leaving = systemClock.setTimer(() => this.#leave(), lingerMs, { ref: false });
      },
    };
  }

  #start(): Helper {
    let child: ChildProcess | undefined;
    try {
      child = nodeModule('node:child_process').spawn(
        process.execPath,
        ['--input-type=commonjs', '--eval', program],
        // In a session of its own: what kills our group, or our terminal, spares it. Without our options and our marker.
        { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: {}, windowsHide: true },
      );
    } catch (error) {
      return this.#failed({ child: undefined }, `could not be started: ${String(error)}`);
    }
    const helper: Helper = { child };
    child.once('error', (error) => this.#failed(helper, `could not be started: ${error.message}`));
    child.once('exit', () => this.#failed(helper, 'has ended'));
    // Without descriptors there is no pipe, and its error is to come.
    const stdin = child.stdin as (NonNullable<ChildProcess['stdin']> & { unref?(): void }) | null | undefined;
    stdin?.on('error', () => undefined); // it is gone, and its exit tells
    child.unref();
    stdin?.unref?.();
    return stdin ? helper : this.#failed(helper, 'could not be started');
  }

  #failed(helper: Helper, why: string): Helper {
    helper.problem = notGuarded('no-process', why);
    if (this.#helper === helper) this.#helper = undefined;
    return helper;
  }

  #say(line: string): void {
    this.#helper?.child?.stdin?.write(`${line}\n`);
  }

  #leave(): void {
    this.#helper?.child?.stdin?.end();
    this.#helper = undefined;
  }
}

const guardian: Guardian = new Guardian();

/** A command that is guarded. */
export interface GuardedRun extends Guarded {
  /** Tells what there is to know it by besides its marker. */
  knowBy(more: Omit<GuardedCommand, 'marker'>): void;
}

/**
 * Has a command killed, with everything it started, if our process ends without having released it.
 *
 * @param marker What it will have in its environment. Called before it is started: nothing of ours runs between the start
 *   of a process and what would guard it after that.
 * @param file What it will have open.
 * @returns Releases it: it has ended, or somebody else sees to it.
 */
export function guardCommand(marker: string, file?: string): GuardedRun {
  const lineOf = (command: GuardedCommand): string => `+${JSON.stringify(command)}`;
  const run = guardian.guard(lineOf({ marker, file }), `-${marker}`);
  return {
    get unavailable() {
      return run.unavailable;
    },
    release: () => run.release(),
    knowBy: (more) => run.say(lineOf({ marker, ...more })),
  };
}

/**
 * Has a terminal put back into the mode that was found, if our process ends without having released it.
 *
 * @param terminal In our mode by now.
 * @returns Releases it: the mode has been put back.
 */
export function guardTerminal(terminal: GuardedTerminal): Guarded {
  return guardian.guard(`t${JSON.stringify(terminal)}`, 'T');
}
