/**
 * The one reader of a terminal's keyboard: raw mode while somebody watches, as it was before as soon as nobody does.
 *
 * The owner hangs on the stream itself under a registered symbol, so a second copy of the package finds it.
 *
 * Invariants:
 * - **T1** The stream is raw and read exactly while it is a terminal, somebody holds a lease, no prompt or program has
 *   it, and our job is in the foreground.
 * - **T2** Whatever ends the process catchably, the mode that was found is put back first.
 * - **T3** Reading keeps the process alive only if a lease wants that or a prompt is open.
 *
 * @module
 */
import type { Releasable } from '../../../core/inside.ts';
import { isInForeground, Job } from './job-control.ts';
import { onProcessEnd } from '../process/process-hooks.ts';
import { FrontOrder } from './front-order.ts';
import { KeyReader, type KeyReaderOptions, type TerminalInput } from './key-reader.ts';
import { KeyStack } from './key-stack.ts';
import { RawMode, type RawModeOptions } from './raw-mode.ts';

export type { TerminalInput } from './key-reader.ts';

/** How the first lease sets the owner up. */
export interface StdinOwnerOptions extends KeyReaderOptions, RawModeOptions {}

const key = Symbol.for('desist.stdin-owner.v1');

/** What a share asks for: `beside` listens to a stream that somebody else keeps raw and reads, as Ink does. */
export type StdinUse = 'watch' | 'keep-alive' | 'beside';

/** A share in the keyboard. */
export interface StdinLease extends Releasable {
  readonly owner: StdinOwner;
}

/** Owns one stream; made and found by {@link acquireStdin}. */
export class StdinOwner {
  readonly keys: KeyStack = new KeyStack();
  /** Whom a stop is for, by each of the two keys: a watcher may leave one of them alone. */
  readonly front: Readonly<Record<'escape' | 'interrupt', FrontOrder>> = {
    escape: new FrontOrder(),
    interrupt: new FrontOrder(),
  };
  readonly #input: TerminalInput;
  readonly #options: StdinOwnerOptions;
  readonly #reader: KeyReader;
  readonly #mode: RawMode;
  readonly #leases = new Set<{ readonly use: StdinUse }>();
  #usable: boolean;
  #loans = 0;
  #gates = 0;
  #programs = 0;
  #reading = false;
  #listening = false;
  /** `undefined` while nobody watches. */
  #job: Job | undefined;
  #isInFront = true;
  #endHook: Releasable | undefined;

  constructor(input: TerminalInput, options: StdinOwnerOptions) {
    this.#input = input;
    this.#options = options;
    this.#mode = new RawMode(input, options);
    this.#reader = new KeyReader(options, (event, at) => {
      this.keys.dispatch(event, at);
    });
    this.#usable = input.isTTY === true && typeof input.setRawMode === 'function';
  }

  /** There is no terminal to read keys from: a pipe, a CI job, or it went away. */
  get degraded(): boolean {
    return !this.#usable;
  }

  /** A prompt is open, here or with whoever entered the gate: ESC is its key. */
  get isWaitingInput(): boolean {
    return this.#gates > 0;
  }

  /** A prompt has the stream itself, so whatever we still decode came before it and nobody else will see it. */
  get isLent(): boolean {
    return this.#loans > 0;
  }

  /** When the last keys came; `undefined` while none can. */
  get lastBytesAt(): number | undefined {
    return this.#reading ? this.#reader.arrivedAt : undefined;
  }

  /** Another program has the terminal: its keys raise signals here too, and they are its own. */
  get isHandedOver(): boolean {
    return this.#programs > 0 && this.#usable;
  }

  /** Stops our job, as Ctrl+Z does in a terminal that nobody watches; whether there is a job to stop. */
  suspend(): boolean {
    this.#job?.stop();
    return this.#job !== undefined;
  }

  lease(use: StdinUse): StdinLease {
    const share = { use };
    this.#leases.add(share);
    this.#sync();
    return {
      owner: this,
      release: () => {
        if (!this.#leases.delete(share)) return;
        if (this.#leases.size === 0) Reflect.deleteProperty(this.#input, key);
        this.#sync();
      },
    };
  }

  /** Has the mode put back even after a SIGKILL, from now until nobody watches; whether that can be done. */
  guardCrash(): boolean {
    return this.#reading ? this.#mode.guard() : this.#mode.isGuarded;
  }

  /** Counts a prompt in, without touching the stream: for those who read it through us or beside us. */
  enterGate(): void {
    this.#gates++;
  }

  exitGate(): void {
    if (this.#gates === 0) throw new RangeError('gate.exit() was called more often than gate.enter()');
    this.#gates--;
  }

  /**
   * Lends the keyboard to a prompt: cooked, paused, ref'd, as a program without us would find it.
   *
   * @param typed Text that the prompt shall read first.
   */
  lend(typed: string): Releasable {
    const loan = this.#loan(0);
    if (this.#usable) {
      this.#input.ref?.();
      if (typed !== '') this.#input.unshift?.(typed, 'utf8');
    }
    return loan;
  }

  /** Lends the terminal to another program: cooked, and not read by us. */
  handOver(): Releasable {
    return this.#loan(1);
  }

  #loan(programs: number): Releasable {
    this.#reader.settle(); // an ESC from before is no key of the borrower
    this.enterGate();
    this.#loans++;
    this.#programs += programs;
    this.#sync();
    let open = true;
    return {
      release: () => {
        if (!open) return;
        open = false;
        this.exitGate();
        this.#loans--;
        this.#programs -= programs;
        this.#sync();
      },
    };
  }

  /** T1, T2, T3: brings the stream in line with who wants it. */
  #sync(): void {
    const held = this.#usable && this.#has('watch', 'keep-alive');
    if (held && this.#endHook === undefined) {
      this.#mode.note();
      this.#isInFront = isInForeground(this.#options.jobHost);
      this.#job = this.#watchJob();
      // Not only while we read: a prompt may have left the terminal raw when the process ends.
      this.#endHook = onProcessEnd('restore the terminal', this.#end, 'terminal');
      if (!this.#isInFront) this.#job.enter(); // looks until we are
    } else if (!held) {
      for (const hold of [this.#job, this.#endHook]) hold?.release();
      this.#job = this.#endHook = undefined;
      this.#mode.forget();
    }
    const wanted = held && this.#loans === 0 && this.#isInFront;
    const starts = wanted && !this.#reading && this.#setRaw();
    const isBeside = this.#usable && this.#loans === 0 && this.#has('beside');
    const stops = !wanted && this.#reading;
    this.#reading = wanted && (this.#reading || starts);
    this.#listen(this.#reading || isBeside);
    if (starts) this.#input.resume();
    if (stops && !isBeside) {
      this.#input.pause();
      this.#input.ref?.();
      this.#mode.restore();
    }
    if (this.#reading && !isBeside) {
      if (this.#has('keep-alive')) this.#input.ref?.();
      else this.#input.unref?.();
    }
  }

  #has(...uses: readonly StdinUse[]): boolean {
    return [...this.#leases].some(({ use }) => uses.includes(use));
  }

  #watchJob(): Job {
    return new Job({
      clock: this.#options.clock,
      host: this.#options.jobHost,
      leave: () => {
        this.#isInFront = false;
        this.#sync();
      },
      enter: () => {
        const wasReading = this.#reading;
        this.#isInFront = true;
        this.#sync();
        if (wasReading) this.#setRaw();
      },
    });
  }

  #setRaw(): boolean {
    const isRaw = this.#mode.set();
    if (!isRaw) this.#onLost();
    return isRaw;
  }

  #listen(wanted: boolean): void {
    if (wanted === this.#listening) return;
    this.#listening = wanted;
    if (!wanted) this.#reader.settle();
    const change = wanted ? 'on' : 'removeListener';
    this.#input[change]('data', this.#onData);
    for (const event of ['end', 'error'] as const) this.#input[change](event, this.#onLost);
  }

  readonly #end = (): void => {
    this.#mode.restore();
    this.#mode.forget();
  };

  readonly #onLost = (): void => {
    this.#usable = false;
    this.#sync();
  };

  readonly #onData = (chunk: Uint8Array | string): void => {
    this.#reader.feed(chunk);
    if (this.#listening) this.#reader.arm();
  };
}

interface Owned extends TerminalInput {
  [key]?: StdinOwner | undefined;
}

/**
 * Takes a share in a stream's keyboard; the first share sets the owner up, the last one puts the terminal back.
 *
 * @param input The stream; what is no terminal gets an owner too, one that leaves the stream alone.
 * @param options Clock and timeout of the owner, if it is made now.
 * @param use What for; `true` is `keep-alive`, `false` is `watch`.
 */
export function acquireStdin(input: TerminalInput, options: StdinOwnerOptions, use: StdinUse | boolean): StdinLease {
  const owner = ((input as Owned)[key] ??= new StdinOwner(input, options));
  return owner.lease(typeof use === 'string' ? use : use ? 'keep-alive' : 'watch');
}

/** The owner of a stream that somebody watches. */
export function findStdin(input: TerminalInput): StdinOwner | undefined {
  return (input as Owned)[key];
}
