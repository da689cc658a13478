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
import { takeFront, type FrontHost } from '../front-group.ts';
import { isInForeground, type JobHost } from '../job-control.ts';
import type { TerminalInput } from '../key-reader.ts';
import { noteSettings, type Stty } from './terminal-settings.ts';

/** What the mode depends on. */
export interface RawModeOptions {
  readonly jobHost?: JobHost | undefined;
  /** Guards the mode; for tests. */
  readonly guardMode?: typeof guardMode | undefined;
  /** Reads and writes the terminal's settings; for tests. */
  readonly stty?: Stty | undefined;
  /** Who else lives, and who is in front; for tests. */
  readonly frontHost?: FrontHost | undefined;
}

/** What programs that have the terminal at the same time have found. */
interface Found {
  programs: number;
  readonly wasInFront: boolean;
  putBack: (() => void) | undefined;
}

/** One per owner of a stream. */
export class RawMode {
  readonly #input: TerminalInput;
  readonly #options: RawModeOptions;
  #foundRaw = false;
  #found: Found | undefined;
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
    const isRaw = this.#setRaw();
    if (isRaw && this.#guard === undefined && this.#off !== undefined) this.#guardNow(this.#off());
    return isRaw;
  }

  /** Off first: a shell may have changed the mode meanwhile, and a stream that thinks it is raw does nothing. */
  #setRaw(): boolean {
    return (this.#input.isRaw !== true || this.#set(false)) && this.#set(true);
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
   * Notes the settings that another program finds; the function puts them back, whatever that one has left. Of several at the same time
   * the first notes, and the last puts back, in front again if we were.
   *
   * @param isShared Whether somebody beside us sets the mode: where it is raw by that, it is in line mode meanwhile.
   * @param onLost Called if the program leaves a terminal at which nobody is in front, and we cannot be.
   */
  lend(isShared: () => boolean, onLost: () => void): () => void {
    const wasInFront = isInForeground(this.#options.jobHost);
    const found = (this.#found ??= { programs: 0, wasInFront, putBack: this.#noteSettings(isShared) });
    found.programs++;
    let isOpen = true;
    return () => {
      if (isOpen) found.programs--;
      isOpen = false;
      if (found.programs > 0) return;
      if (this.#found === found) this.#found = undefined;
      const isInFront = this.#isInFront(found.wasInFront);
      if (isInFront === 'lost') onLost();
      if (isInFront !== true) return;
      found.putBack?.();
      found.putBack = undefined;
    };
  }

  #isInFront(wasInFront: boolean): boolean | 'lost' {
    const { jobHost, frontHost } = this.#options;
    const fd = wasInFront ? descriptorOf(this.#input) : undefined;
    return fd === undefined ? isInForeground(jobHost) : takeFront(fd, jobHost, frontHost);
  }

  #noteSettings(isShared: () => boolean): (() => void) | undefined {
    if (!isInForeground(this.#options.jobHost)) return undefined;
    const wasRaw = isShared() && this.#input.isRaw === true;
    if (wasRaw) this.#set(false);
    const fd = descriptorOf(this.#input);
    const putBack = fd === undefined ? undefined : noteSettings(fd, this.#options.stty);
    return () => {
      putBack?.();
      if (wasRaw && isShared()) this.#setRaw();
    };
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
      if (watched) this.#setRaw();
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
