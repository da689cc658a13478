/**
 * The mode of one terminal: ours while somebody watches, and the one that was found afterwards.
 *
 * Invariant: a terminal that is another job's by now is left alone. It was given back before it became so, and touching
 * it would have us stopped.
 *
 * Prior art: Ink's ref-counted raw mode.
 *
 * @module
 */
import { notGuarded, type GuardUnavailable } from '../../guardian/guard-status.ts';
import type { Guarded } from '../../guardian/guardian.ts';
import { guardMode } from './crash-guard.ts';
import { descriptorOf } from './input-flow.ts';
import { isInForeground, type JobHost } from '../job-control.ts';
import type { TerminalInput } from '../key-reader.ts';

/** What the mode depends on. */
export interface RawModeOptions {
  readonly jobHost?: JobHost | undefined;
  /** Guards the mode; for tests. */
  readonly guardMode?: typeof guardMode | undefined;
}

/** One per owner of a stream. */
export class RawMode {
  readonly #input: TerminalInput;
  readonly #options: RawModeOptions;
  #foundRaw = false;
  #guard: Guarded | undefined;
  #guardedOff = '';
  /** Set while a guard is wanted. */
  #off: (() => string) | undefined;

  constructor(input: TerminalInput, options: RawModeOptions) {
    this.#input = input;
    this.#options = options;
  }

  /** What is there now is what will be put back. */
  note(): void {
    this.#foundRaw = this.#input.isRaw === true;
  }

  /** Makes it ours; whether that could be done. */
  set(): boolean {
    const isRaw = this.put(true);
    if (isRaw && this.#guard === undefined && this.#off !== undefined) this.#guardNow(this.#off());
    return isRaw;
  }

  /** For somebody else. Off first: a shell may have changed the mode meanwhile, and a stream that thinks it is raw does nothing. */
  put(raw: boolean): boolean {
    return (!raw || this.#input.isRaw !== true || this.#set(false)) && this.#set(raw);
  }

  #set(raw: boolean): boolean {
    try {
      this.#input.setRawMode?.(raw);
      return true;
    } catch {
      return false; // the terminal is gone; everything else works without it
    }
  }

  restore(): void {
    if (isInForeground(this.#options.jobHost)) this.#set(this.#foundRaw);
  }

  /**
   * Has it put back even after a SIGKILL, from when it is ours – which it may be – until `forget`.
   *
   * @param off What is written to the terminal then.
   */
  guard(off: () => string, isOurs: boolean): void {
    this.#off = off;
    if (isOurs) this.#guardNow(off());
  }

  /** Why it would not be put back; asked at any time. */
  get guardProblem(): GuardUnavailable | undefined {
    return this.#guard === undefined ? notGuarded('no-terminal') : this.#guard.unavailable;
  }

  #guardNow(off: string): void {
    if (this.#guard?.unavailable === undefined && this.#guard !== undefined && this.#guardedOff === off) return;
    this.#guard?.release();
    this.#guardedOff = off;
    const fd = descriptorOf(this.#input);
    const setMode = (watched: boolean): void => {
      if (watched) this.put(true);
      else this.restore();
    };
    if (fd === undefined) this.#guard = { unavailable: notGuarded('no-descriptor'), release: () => undefined };
    else this.#guard = (this.#options.guardMode ?? guardMode)(fd, setMode, off);
  }

  /** Ends the guard. */
  forget(): void {
    this.#guard?.release();
    this.#guard = this.#off = undefined;
  }
}
