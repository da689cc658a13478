/**
 * Makes one kind of child out of the many that other libraries hand out: Node's, a pseudo-terminal's, or a mere pid.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { constants } from 'node:os';

import { type Clock, isThenable, type Releasable, show } from '../../core/inside.ts';
import { closeStreams } from './output/streams.ts';
import type { SupervisedChild } from './output/streams.ts';

/**
 * What a pseudo-terminal gives for a listener.
 *
 * @since 0.1.0
 */
export interface PtyRegistration {
  /** After this nothing is told. */
  dispose(): void;
}

/**
 * A child of a pseudo-terminal, as node-pty gives it.
 *
 * @since 0.1.0
 */
export interface PtyProcess {
  readonly pid: number;
  /** Calls back once, when it has ended. */
  onExit(listener: (end: { exitCode: number; signal?: number | undefined }) => void): PtyRegistration;
}

/**
 * What can be adopted: a child of `node:child_process` or of execa, a pseudo-terminal's, the promise of zx, tinyexec or
 * nano-spawn, or anything with the `pid` of a running process, such as the stdio transport of an MCP client.
 *
 * @since 0.1.0
 */
export type AdoptableProcess =
  | ChildProcess
  | PtyProcess
  | { readonly child: ChildProcess | undefined }
  | { readonly process: ChildProcess | undefined }
  | { readonly nodeChildProcess: ChildProcess | PromiseLike<ChildProcess> }
  | { readonly pid: number | null | undefined };

type Shape = Partial<Record<'pid' | 'child' | 'process' | 'nodeChildProcess' | 'onExit', unknown>>;

/** What stands behind the handle that a library gave: in a box, because some children are promises as well. */
export type Unwrapped = { readonly now: unknown } | { readonly later: PromiseLike<unknown> };

/** Finds the child in the handle that a library gave. */
export function unwrap(target: AdoptableProcess): Unwrapped {
  const { nodeChildProcess, child, process } = requireObject(target) as Shape;
  for (const inner of [nodeChildProcess, child, process]) if (isChildProcess(inner)) return { now: inner };
  return isThenable(nodeChildProcess) ? { later: nodeChildProcess } : { now: target };
}

function requireObject(target: unknown): object {
  // The handles of tinyexec and zx are functions or objects, depending on the version.
  if ((typeof target === 'object' && target !== null) || typeof target === 'function') return target;
  throw new TypeError(`child must be a child process or something with its pid, got ${show(target)}`);
}

function isChildProcess(value: unknown): value is ChildProcess {
  const shape = value as Partial<Record<'once' | 'kill', unknown>> | null | undefined;
  return (
    value instanceof EventEmitter && typeof shape?.kill === 'function' && 'exitCode' in value && 'signalCode' in value
  );
}

/** How somebody else's process tells that it has ended, and what of it has to be closed after a stop. */
export class AdoptedChild extends EventEmitter implements SupervisedChild {
  readonly pid: number | undefined;
  readonly spawnfile: string;
  // Its output is its owner's: nothing is read here.
  readonly stdin = null;
  readonly stdout = null;
  readonly stderr = null;
  readonly #child: ChildProcess | undefined;
  #watch: Releasable | undefined;

  /**
   * @param target From {@link unwrap}.
   * @throws TypeError – nothing with a pid. RangeError – a pid that cannot be a child's.
   */
  constructor(target: unknown) {
    super();
    this.#child = isChildProcess(target) ? target : undefined;
    const { pid } = requireObject(target) as Shape;
    // A child without a pid tells its error, unless it has.
    if (this.#child === undefined || (pid === undefined && this.hasEnded)) requirePid(pid);
    this.pid = pid as number | undefined;
    this.spawnfile = this.#child?.spawnfile ?? '?';
  }

  /** Whether it ended before it was adopted: then its pid may be anybody's. */
  get hasEnded(): boolean {
    return this.#child !== undefined && (this.#child.exitCode !== null || this.#child.signalCode !== null);
  }

  /**
   * Listens for its end.
   *
   * @param target As in the constructor.
   * @param isAlive Asked at an interval where nobody tells.
   * @param clock Measures the interval.
   */
  watch(target: unknown, isAlive: () => boolean, clock: Clock): void {
    if (this.#child !== undefined) this.#watch = this.#watchChild(this.#child);
    else if (typeof (target as Shape).onExit === 'function') this.#watch = this.#watchPty(target as PtyProcess);
    else this.#poll(isAlive, clock);
  }

  /** Stops listening. */
  release(): void {
    this.#watch?.release();
  }

  /** Closes its pipes, so that whoever waits for their end on its owner's side is not kept by a survivor. */
  closePipes(): void {
    if (this.#child !== undefined) closeStreams(this.#child, 'all');
  }

  kill(signal?: NodeJS.Signals | number): boolean {
    return this.#child?.kill(signal) ?? false;
  }

  unref(): void {
    this.#child?.unref();
  }

  #end(code: number | null, signal: NodeJS.Signals | null): void {
    this.emit('exit', code, signal);
    this.emit('close'); // no pipe of ours
  }

  #watchChild(child: ChildProcess): Releasable {
    const onExit = (code: number | null, signal: NodeJS.Signals | null): void => this.#end(code, signal);
    const onError = (error: Error): void => void this.emit('error', error);
    child.on('exit', onExit);
    child.on('error', onError);
    if (this.hasEnded) queueMicrotask(() => onExit(child.exitCode, child.signalCode));
    return {
      release: () => {
        child.off('exit', onExit);
        child.off('error', onError);
      },
    };
  }

  #watchPty(pty: PtyProcess): Releasable {
    const registration = pty.onExit(({ exitCode, signal }) => {
      const name = signalName(signal ?? 0);
      this.#end(name === null ? exitCode : null, name);
    });
    return { release: () => registration.dispose() };
  }

  #poll(isAlive: () => boolean, clock: Clock): void {
    // Not kept alive: whoever started it decides whether the program waits for it.
    const look = (): void => {
      if (isAlive()) this.#watch = clock.setTimer(look, pollMs, { ref: false });
      else this.#end(null, null);
    };
    this.#watch = clock.setTimer(look, 0, { ref: false });
  }
}

const pollMs = 50;

function requirePid(pid: unknown): void {
  if (typeof pid !== 'number') {
    throw new TypeError(`child has no pid: it was not started or has ended, got ${show(pid)}`);
  }
  if (!Number.isSafeInteger(pid) || pid <= 1 || pid === process.pid || pid === process.ppid) {
    throw new RangeError(`child's pid must be that of another process that may be stopped, got ${String(pid)}`);
  }
}

function signalName(number: number): NodeJS.Signals | null {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return (found?.[0] as NodeJS.Signals | undefined) ?? null;
}
