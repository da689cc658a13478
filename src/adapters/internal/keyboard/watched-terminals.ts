/**
 * Which terminals are watched in this process, for who starts a program that reads one: the watcher lends it for that time.
 * Under a registered symbol of the global object, so that whoever starts programs needs no word of keyboards, and finds the
 * watcher of another copy of the package too.
 *
 * Prior art: the job control of a shell, which gives the terminal to each program in front and takes it back.
 *
 * @module
 */
import { isObject, type Releasable } from '../../../core/inside.ts';
import { nodeModule } from '../node-module.ts';

/** The keyboard of one terminal, as far as a program in between goes. */
export interface WatchedTerminal {
  /** Its file descriptor; `undefined` where that is not known. */
  readonly descriptor: number | undefined;
  /** Why nobody can read it, if nobody can. */
  readonly degraded: string | undefined;
  /** Lends it to a program. */
  handOver(): TerminalLoan;
}

/** A terminal that a program has, to be released when it has ended. */
export interface TerminalLoan extends Releasable {
  /** The program was killed, and could not put the screen back; to be said before the release. */
  killed?(): void;
  /** Resolves when all that was typed for the program has come: only what is typed later is a key of ours. */
  caughtUp(): Promise<void>;
}

const key = Symbol.for('desist.watched-terminals.v1');

interface Home {
  [key]?: Set<WatchedTerminal> | undefined;
}

/** Says of a terminal that it is watched, until it is released. */
export function noteTerminal(terminal: WatchedTerminal): Releasable {
  const home = globalThis as Home;
  const watched = (home[key] ??= new Set());
  watched.add(terminal);
  return {
    release: () => {
      watched.delete(terminal);
      if (watched.size === 0 && home[key] === watched) Reflect.deleteProperty(home, key);
    },
  };
}

/** What is asked of the system. */
export interface DeviceHost {
  /** Which device a descriptor is, or a path; a throw where there is none. */
  device(of: number | string): number;
  isTerminal(descriptor: number): boolean;
}

const thisHost: DeviceHost = {
  device: (of) => {
    const { fstatSync, statSync } = nodeModule('node:fs');
    return (typeof of === 'number' ? fstatSync(of) : statSync(of)).rdev;
  },
  isTerminal: (descriptor) => nodeModule('node:tty').isatty(descriptor),
};

/**
 * Lends a program the terminal that it is started on, if it is watched here.
 *
 * @param stdio What the program is started with, as Node's `spawn` takes it.
 * @returns The loan, to be released when the program has ended; `undefined` where nothing had to be lent.
 */
export function lendTerminal(stdio: unknown, host: DeviceHost = thisHost): TerminalLoan | undefined {
  const watched = (globalThis as Home)[key];
  if (watched === undefined) return undefined;
  const descriptor = inheritedInput(stdio);
  if (descriptor === undefined) return undefined;
  for (const terminal of watched) {
    if (terminal.degraded === undefined && isSameTerminal(terminal.descriptor, descriptor, host)) {
      return terminal.handOver();
    }
  }
  return undefined;
}

/** Which of our descriptors becomes the program's standard input. */
function inheritedInput(stdio: unknown): number | undefined {
  const input: unknown = Array.isArray(stdio) ? stdio[0] : stdio;
  if (input === 'inherit') return 0;
  if (typeof input === 'number') return input;
  if (!isObject(input)) return undefined;
  const { fd, _handle: handle } = input as { readonly fd?: unknown; readonly _handle?: { readonly fd?: unknown } };
  const found = fd ?? handle?.fd; // a stream: Node's standard ones say it, one of `node:tty` does not
  return typeof found === 'number' && found >= 0 ? found : undefined;
}

/** Whether two descriptors mean one terminal. That of `/dev/tty` is whichever controls us, and so the other, if that is one. */
function isSameTerminal(ours: number | undefined, theirs: number, host: DeviceHost): boolean {
  if (ours === undefined) return false;
  if (ours === theirs) return true;
  try {
    if (!host.isTerminal(theirs)) return false;
    const [one, other] = [host.device(ours), host.device(theirs)];
    const own = host.device('/dev/tty');
    return one !== 0 && (one === other || one === own || other === own);
  } catch {
    return false; // no such device, or none that the system knows by a number
  }
}
