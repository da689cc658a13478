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
interface Guarded extends Releasable {
  /** Says one more line about it. */
  say(line: string): void;
}

/** The guardian of this thread. */
class Guardian {
  #process: ChildProcess | undefined;
  #count = 0;
  #leaving: Releasable | undefined;

  /** Says one line now, more until it is over if there are any, and another one then. */
  guard(begin: string, end: string): Guarded {
    this.#count += 1;
    this.#leaving?.release();
    this.#leaving = undefined;
    this.#process ??= this.#start();
    this.#say(begin);
    let isGuarded = true;
    return {
      say: (line) => {
        if (isGuarded) this.#say(line);
      },
      release: () => {
        if (!isGuarded) return;
        isGuarded = false;
        this.#say(end);
        this.#count -= 1;
        if (this.#count === 0) this.#leaving = systemClock.setTimer(() => this.#leave(), lingerMs, { ref: false });
      },
    };
  }

  #start(): ChildProcess {
    const child = nodeModule('node:child_process').spawn(
      process.execPath,
      ['--input-type=commonjs', '--eval', program],
      // In a session of its own: what kills our group, or our terminal, spares it. Without our options and our marker.
      { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: {}, windowsHide: true },
    );
    child.once('error', () => this.#lose(child));
    child.once('exit', () => this.#lose(child));
    child.stdin.on('error', () => undefined); // it is gone, and its exit tells
    child.unref();
    (child.stdin as typeof child.stdin & { unref?(): void }).unref?.();
    return child;
  }

  #lose(child: ChildProcess): void {
    if (this.#process === child) this.#process = undefined;
  }

  #say(line: string): void {
    this.#process?.stdin?.write(`${line}\n`);
  }

  #leave(): void {
    this.#process?.stdin?.end();
    this.#process = undefined;
  }
}

const guardian: Guardian = new Guardian();

/** A command that is guarded. */
export interface GuardedRun extends Releasable {
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
  return { release: () => run.release(), knowBy: (more) => run.say(lineOf({ marker, ...more })) };
}

/**
 * Has a terminal put back into the mode that was found, if our process ends without having released it.
 *
 * @param terminal In our mode by now.
 * @returns Releases it: the mode has been put back.
 */
export function guardTerminal(terminal: GuardedTerminal): Releasable {
  return guardian.guard(`t${JSON.stringify(terminal)}`, 'T');
}
