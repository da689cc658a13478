/**
 * A terminal while programs have it: the settings that they found, and that we are in front again behind them.
 *
 * Invariants:
 * - **L1** Of several programs at the same time the first notes the settings, and the last puts them back; so does our own end before that.
 * - **L2** We are taken to the front only where our shell has left us there: not after Ctrl+Z and `bg`.
 *
 * Prior art: a shell between two jobs.
 *
 * @module
 */
import type { Clock, Releasable } from '../../../../core/inside.ts';
import { onProcessEnd } from '../../process/process-hooks.ts';
import { takeFront, type FrontHost } from '../front-group.ts';
import { isInForeground, Job, type JobHost } from '../job-control.ts';
import type { TerminalInput } from '../key-reader.ts';
import { onPrograms } from '../started-programs.ts';
import { descriptorOf } from './input-flow.ts';
import { noteSettings, type Stty } from './terminal-settings.ts';

/** What it depends on. */
export interface LentTerminalOptions {
  readonly clock: Clock;
  readonly jobHost?: JobHost | undefined;
  /** Reads and writes the terminal's settings; for tests. */
  readonly stty?: Stty | undefined;
  /** Who else lives, and who is in front; for tests. */
  readonly frontHost?: FrontHost | undefined;
}

/** What is asked of the owner of the stream. */
export interface LentTerminalHost {
  /** Whether somebody beside us sets the mode: where it is raw by that, it is in line mode meanwhile. */
  isShared(): boolean;
  setRaw(raw: boolean): unknown;
  /** A program has left a terminal at which nobody is in front, nobody can be, and no key will be heard any more. */
  lost(): void;
}

/** From the first program to the last. */
interface Found {
  programs: number;
  readonly job: Job;
  readonly putBack: (() => void) | undefined;
  readonly held: readonly Releasable[];
}

/** One per owner of a stream. */
export class LentTerminal {
  readonly #input: TerminalInput;
  readonly #options: LentTerminalOptions;
  readonly #host: LentTerminalHost;
  #found: Found | undefined;

  constructor(input: TerminalInput, options: LentTerminalOptions, host: LentTerminalHost) {
    this.#input = input;
    this.#options = options;
    this.#host = host;
  }

  /** For one more program; the function ends that, once. */
  lend(): () => void {
    this.takeUp();
    const found = (this.#found ??= this.#note());
    found.programs++;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      found.programs--;
      if (found.programs > 0) return;
      this.#found = undefined;
      if (this.#isFront(found, false)) found.putBack?.();
      for (const held of found.held) held.release();
    };
  }

  /** Between two programs: where the first has left nobody in front, we are, with the settings that it found. */
  takeUp(): void {
    const found = this.#found;
    if (found === undefined || isInForeground(this.#options.jobHost)) return;
    if (this.#isFront(found, true)) found.putBack?.();
  }

  #note(): Found {
    const { clock, jobHost } = this.#options;
    const job = new Job({ clock, host: jobHost, leave: () => undefined, enter: () => undefined });
    // Called when all that ends with us has ended: what a program that is killed then has set would stay.
    const atEnd = (): (() => void) => () => {
      if (this.#found === found && this.#front(found, false) === 'ours') found.putBack?.();
    };
    const held = [
      job,
      onProcessEnd('the settings of the terminal', atEnd, 'terminal'),
      onPrograms(() => this.takeUp()),
    ];
    const putBack = job.isInFront ? this.#noteSettings() : undefined;
    const found: Found = { programs: 0, job, putBack, held };
    if (!job.isInFront) job.enter(); // looks until it is
    return found;
  }

  #front(found: Found, spare: boolean): ReturnType<typeof takeFront> {
    const { jobHost, frontHost } = this.#options;
    if (isInForeground(jobHost)) return 'ours';
    const fd = found.job.isInFront ? descriptorOf(this.#input) : undefined;
    return fd === undefined ? 'others' : takeFront(fd, spare, jobHost, frontHost);
  }

  #isFront(found: Found, spare: boolean): boolean {
    const front = this.#front(found, spare);
    if (front === 'nobody') found.job.stop(); // the shell above us has the terminal then, and gives it to us
    if (front === 'lost') this.#host.lost();
    return front === 'ours';
  }

  #noteSettings(): () => void {
    const host = this.#host;
    const wasRaw = host.isShared() && this.#input.isRaw === true;
    if (wasRaw) host.setRaw(false);
    const fd = descriptorOf(this.#input);
    const putBack = fd === undefined ? undefined : noteSettings(fd, this.#options.stty);
    return () => {
      putBack?.();
      if (wasRaw && host.isShared()) host.setRaw(true);
    };
  }
}
