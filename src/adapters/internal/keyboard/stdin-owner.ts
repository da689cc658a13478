/**
 * The one reader of a terminal's keyboard: raw mode while somebody watches, as it was before as soon as nobody does.
 *
 * The owner hangs on the stream itself under a registered symbol, so a second copy of the package finds it.
 *
 * Invariants:
 * - **T1** The stream is raw and read exactly while it is a terminal, somebody holds a lease, and no prompt has it.
 * - **T2** Whatever ends the process catchably, the mode that was found is put back first.
 * - **T3** A lone ESC counts only after the escape timeout *and* one more poll of the kernel: after a stalled event loop
 *   the rest of the sequence is already waiting there.
 * - **T4** Reading keeps the process alive only if a lease wants that or a prompt is open.
 *
 * Prior art: ncurses `ESCDELAY`, Ink's ref-counted raw mode.
 *
 * @module
 */
import type { Clock, Releasable } from '../../../core/inside.ts';
import { FrontOrder } from './front-order.ts';
import { KeyDecoder } from './key-decoder.ts';
import { KeyStack } from './key-stack.ts';
import { onProcessEnd } from '../process/process-hooks.ts';

/**
 * The slice of `process.stdin` that is used.
 *
 * @since 0.1.0
 */
export interface TerminalInput {
  readonly isTTY?: boolean | undefined;
  readonly isRaw?: boolean | undefined;
  setRawMode?(raw: boolean): unknown;
  on(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
  removeListener(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
  /** Puts text back in front of what was not read yet. */
  unshift?(text: string, encoding: 'utf8'): unknown;
  ref?(): unknown;
  unref?(): unknown;
}

/** How the first lease sets the owner up. */
export interface StdinOwnerOptions {
  readonly clock: Clock;
  /** Silence after which an ESC is a key, in milliseconds. */
  readonly escTimeoutMs: number;
  /** Runs `fn` after the event loop has polled for input once more. */
  readonly afterPoll?: ((fn: () => void) => Releasable) | undefined;
}

/** Silence after which a sequence or a paste was cut off for good. */
const HEAL_MS = 1000;

const key = Symbol.for('desist.stdin-owner.v1');

/**
 * `setImmediate` runs in the check phase, right after the poll phase of the same turn of the loop. It stays ref'd: an
 * unref'd one does not keep the poll from blocking, and would wait for whatever wakes the loop next.
 */
function afterPoll(fn: () => void): Releasable {
  const immediate = setImmediate(fn);
  return {
    release: () => {
      clearImmediate(immediate);
    },
  };
}

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
  readonly #decoder = new KeyDecoder();
  readonly #leases = new Set<{ readonly keepAlive: boolean }>();
  #usable: boolean;
  #prompts = 0;
  #gates = 0;
  #reading = false;
  #foundRaw = false;
  #arrivedAt = 0;
  #silence: Releasable | undefined;
  #endHook: Releasable | undefined;

  constructor(input: TerminalInput, options: StdinOwnerOptions) {
    this.#input = input;
    this.#options = options;
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
    return this.#prompts > 0;
  }

  lease(keepAlive: boolean): StdinLease {
    const share = { keepAlive };
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
    this.#settle(); // an ESC from before the prompt is no key of the prompt
    this.enterGate();
    this.#prompts++;
    this.#sync();
    if (this.#usable) {
      this.#input.ref?.();
      if (typed !== '') this.#input.unshift?.(typed, 'utf8');
    }
    let open = true;
    return {
      release: () => {
        if (!open) return;
        open = false;
        this.exitGate();
        this.#prompts--;
        this.#sync();
      },
    };
  }

  /** T1, T2, T4: brings the stream in line with who wants it. */
  #sync(): void {
    const held = this.#usable && this.#leases.size > 0;
    if (held && this.#endHook === undefined) {
      this.#foundRaw = this.#input.isRaw === true;
      // Not only while we read: a prompt may have left the terminal raw when the process ends.
      this.#endHook = onProcessEnd('restore the terminal', this.#restoreMode, 'terminal');
    } else if (!held) {
      this.#endHook?.release();
      this.#endHook = undefined;
    }
    const wanted = held && this.#prompts === 0;
    if (wanted && !this.#reading) this.#start();
    else if (!wanted && this.#reading) this.#stop();
    if (this.#reading) {
      if ([...this.#leases].some((lease) => lease.keepAlive)) this.#input.ref?.();
      else this.#input.unref?.();
    }
  }

  #start(): void {
    try {
      this.#input.setRawMode?.(true);
    } catch {
      this.#onLost(); // the terminal is gone; everything else works without it
      return;
    }
    this.#reading = true;
    this.#input.on('data', this.#onData);
    this.#input.on('end', this.#onLost);
    this.#input.on('error', this.#onLost);
    this.#input.resume();
  }

  #stop(): void {
    this.#reading = false;
    this.#settle();
    this.#input.removeListener('data', this.#onData);
    this.#input.removeListener('end', this.#onLost);
    this.#input.removeListener('error', this.#onLost);
    this.#input.pause();
    this.#input.ref?.();
    this.#restoreMode();
  }

  readonly #restoreMode = (): void => {
    try {
      this.#input.setRawMode?.(this.#foundRaw);
    } catch {
      // There is no terminal left whose mode could matter.
    }
  };

  readonly #onLost = (): void => {
    this.#usable = false;
    this.#sync();
  };

  readonly #onData = (chunk: Uint8Array | string): void => {
    this.#arrivedAt = this.#options.clock.now();
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
    this.#dispatch(this.#decoder.feed(bytes));
    this.#arm();
  };

  /** T3 */
  #arm(): void {
    const { clock, escTimeoutMs } = this.#options;
    this.#disarm();
    const pending = this.#decoder.pending;
    if (pending === false || !this.#reading) return;
    const settle = (): void => {
      this.#silence = (this.#options.afterPoll ?? afterPoll)(() => {
        this.#settle();
      });
    };
    this.#silence = clock.setTimer(settle, pending === 'escape' ? escTimeoutMs : Math.max(HEAL_MS, escTimeoutMs), {
      ref: false,
    });
  }

  #disarm(): void {
    this.#silence?.release();
    this.#silence = undefined;
  }

  /** Nothing more is coming for what was unfinished. */
  #settle(): void {
    this.#disarm();
    this.#dispatch(this.#decoder.flush());
  }

  #dispatch(events: ReturnType<KeyDecoder['feed']>): void {
    for (const event of events) this.keys.dispatch(event, this.#arrivedAt);
  }
}

interface Owned extends TerminalInput {
  [key]?: StdinOwner | undefined;
}

/**
 * Takes a share in a stream's keyboard; the first share sets the owner up, the last one puts the terminal back.
 *
 * @param input The stream; what is no terminal gets an owner too, one that leaves the stream alone.
 * @param options Clock and timeout of the owner, if it is made now.
 * @param keepAlive Whether this share keeps the process alive.
 */
export function acquireStdin(input: TerminalInput, options: StdinOwnerOptions, keepAlive: boolean): StdinLease {
  const owned: Owned = input;
  const owner: StdinOwner | undefined = owned[key];
  return (owner ?? (owned[key] = new StdinOwner(input, options))).lease(keepAlive);
}
