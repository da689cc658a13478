/**
 * The one reader of a terminal's keyboard: raw mode while somebody watches, as it was before as soon as nobody does.
 *
 * Invariants:
 * - **T1** The stream is raw and read exactly while it is a terminal, somebody holds a lease, no prompt or program has
 *   it, and our job is in the foreground.
 * - **T2** Whatever ends the process catchably, the mode that was found is put back first.
 * - **T3** Reading keeps no process alive; a lease that wants it does, whoever has the terminal meanwhile, and so does an open prompt.
 * - **T4** What the terminal was asked to tell us is switched off whenever somebody else may read it.
 *
 * @module
 */
import type { Releasable } from '../../../core/inside.ts';
import type { GuardUnavailable } from '../guardian/guard-status.ts';
import { isInForeground, Job } from './job-control.ts';
import { onProcessEnd } from '../process/process-hooks.ts';
import { Fence, fenceAnswer } from './fence.ts';
import { FrontOrder } from './front-order.ts';
import { KeyReader, type KeyReaderOptions, type TerminalInput } from './key-reader.ts';
import { KeyStack, type Arrival } from './key-stack.ts';
import { KeyboardTurns } from './keyboard-turns.ts';
import { InputFlow } from './mode/input-flow.ts';
import { LentTerminal, type LentTerminalOptions } from './mode/lent-terminal.ts';
import { readOwedAnswer } from './mode/owed-answer.ts';
import { ProgramLoans } from './program-loans.ts';
import { KeepAlive } from './prompts/keep-alive.ts';
import { PromptGate } from './prompts/prompt-gate.ts';
import { PromptLoans } from './prompts/prompt-loans.ts';
import { RawMode, type RawModeOptions } from './mode/raw-mode.ts';
import { TerminalSwitches, type TerminalWishes } from './mode/terminal-switches.ts';

/** How the first lease sets the owner up. */
export interface StdinOwnerOptions
  extends Omit<KeyReaderOptions, 'fence' | 'noteArrival'>, RawModeOptions, LentTerminalOptions {}

/** What a share asks for: `beside` listens to a stream that somebody else keeps raw and reads, as Ink does. */
export type StdinUse = 'watch' | 'keep-alive' | 'beside';

/**
 * Why no keys can be read: the input never was a terminal, refuses raw mode, or has ended, or nobody can bring us to the front.
 *
 * @since 0.1.0
 */
export type Degradation = 'no terminal' | 'no raw mode' | 'terminal lost';

/** A share in the keyboard. */
export interface StdinLease extends Releasable {
  readonly owner: StdinOwner;
}

/** Owns one stream. */
export class StdinOwner {
  readonly keys: KeyStack = new KeyStack();
  readonly turns: KeyboardTurns = new KeyboardTurns();
  readonly programs: ProgramLoans = new ProgramLoans(this);
  /** Whom a stop is for, by each of the two keys: a watcher may leave one of them alone. */
  readonly front: Readonly<Record<'escape' | 'interrupt', FrontOrder>> = {
    escape: new FrontOrder(),
    interrupt: new FrontOrder(),
  };
  readonly reader: KeyReader;
  readonly prompts: PromptLoans;
  readonly #input: TerminalInput;
  readonly #options: StdinOwnerOptions;
  readonly #flow: InputFlow;
  readonly #mode: RawMode;
  readonly #lent: LentTerminal;
  readonly #alive = new KeepAlive();
  readonly #leases = new Set<{ readonly use: StdinUse }>();
  readonly #unused: () => void;
  readonly #gate = new PromptGate();
  readonly #switches = new TerminalSwitches();
  /** What the terminal still owes: an answer that the next reader would take for keys. */
  readonly fence: Fence;
  #degraded: Degradation | undefined;
  #focused: boolean | undefined;
  #reading = false;
  /** `undefined` while nobody watches. */
  #job: Job | undefined;
  #endHook: Releasable | undefined;

  /** @param unused Called with the last lease. */
  constructor(input: TerminalInput, options: StdinOwnerOptions, unused: () => void) {
    this.#input = input;
    this.#unused = unused;
    this.#options = options;
    this.#mode = new RawMode(input, options);
    this.#lent = new LentTerminal(input, options, {
      isShared: () => this.#has('beside'),
      setRaw: (raw) => this.#mode.put(raw),
      lost: () => this.#lose('terminal lost'),
    });
    this.prompts = new PromptLoans(input, options, this);
    this.#flow = new InputFlow(input, {
      data: this.#onData,
      lost: () => this.#lose('terminal lost'),
      left: () => this.#takeUp(),
    });
    this.fence = new Fence(options.clock, () => this.#switches.ask());
    const noteArrival = (): Arrival => this.keys.noteArrival(this.isWaitingInput, options.clock.now());
    this.reader = new KeyReader({ ...options, fence: this.fence, noteArrival }, (event, at, arrival) => {
      if (event.type === 'focus') this.#focused = event.focused;
      this.keys.dispatch(event, at, arrival);
    });
    if (input.isTTY !== true || typeof input.setRawMode !== 'function') this.#degraded = 'no terminal';
  }

  /** Why there is no terminal to read keys from, if there is none. */
  get degraded(): Degradation | undefined {
    return this.#degraded;
  }

  /** A prompt is open, here or with whoever entered the gate: ESC is its key. */
  get isWaitingInput(): boolean {
    return this.#gate.isWaitingInput;
  }

  /** The same of the moment when the key came that is being handled. */
  get isPromptsKey(): boolean {
    return this.keys.arrival?.isWaitingInput ?? this.isWaitingInput;
  }

  /** A prompt has the stream itself, so whatever we still decode came before it and nobody else will see it. */
  get isLent(): boolean {
    return this.#gate.isLent;
  }

  /** What the terminal has said of its window since it was asked to; `undefined` while it has said nothing. */
  get focused(): boolean | undefined {
    return this.#focused;
  }

  /** When the last keys came; `undefined` while none can. */
  get lastBytesAt(): number | undefined {
    return this.#reading ? this.reader.arrivedAt : undefined;
  }

  /** Another program has the terminal: its keys raise signals here too, and they are its own. */
  get isHandedOver(): boolean {
    return this.#gate.isHandedOver && this.#degraded === undefined;
  }

  /** Stops our job, as Ctrl+Z does in a terminal that nobody watches; whether there is a job to stop. */
  suspend(): boolean {
    const job = this.#job;
    if (job !== undefined) this.fence.whenClosed(() => job.stop());
    return job !== undefined;
  }

  lease(use: StdinUse, wishes?: TerminalWishes): StdinLease {
    const share = { use };
    const wish = wishes && this.#switches.wish(wishes);
    this.#leases.add(share);
    this.#sync();
    const release = (): void => {
      if (!this.#leases.delete(share)) return;
      wish?.release();
      if (this.#leases.size === 0) this.#unused();
      this.#sync();
    };
    return { owner: this, release };
  }

  /** Has the mode put back even after a SIGKILL, until nobody watches; what is returned says why not, at any time. */
  guardCrash(): () => GuardUnavailable | undefined {
    this.#mode.guard(() => this.#switches.off, this.#reading);
    return () => this.#mode.guardProblem;
  }

  /** Counts a prompt in, without touching the stream: for those who read it through us or beside us. */
  enterGate(): void {
    this.#gate.enter();
  }

  exitGate(): void {
    this.#gate.exit();
  }

  /** Lends the terminal to another program: cooked, and not read by us. The rest is for {@link ProgramLoans}. */
  lendToProgram(): Releasable & { readonly putBack: () => void; readonly clean: () => void } {
    const loan = this.#loan('program');
    const isHeld = this.#degraded === undefined && this.#leases.size > 0;
    const putBack = isHeld ? this.#lent.lend() : () => undefined;
    const isInFront = (): boolean => isInForeground(this.#options.jobHost);
    const clean = (): void => {
      if (isHeld && isInFront()) this.#switches.clean();
    };
    const release = (): void => {
      putBack();
      if (isHeld && !isInFront()) this.#job?.enter(); // not before the shell above us lets us
      loan.release();
    };
    return { putBack, clean, release };
  }

  rest(): void {
    if (!this.#flow.isHeard) this.#flow.rest();
  }

  readonly lendStream = (): Releasable => this.#loan('prompt');

  #loan(to: 'prompt' | 'program'): Releasable {
    this.#lent.takeUp();
    this.reader.settle(); // an ESC from before is no key of the borrower
    const end = this.#gate.lend(to);
    this.#sync();
    return {
      release: () => {
        if (!end()) return;
        this.reader.takeBack();
        this.#sync();
        if (!this.#gate.isLent) this.#flow.returned();
      },
    };
  }

  /** T1, T2, T3: brings the stream in line with who wants it. */
  #sync(): void {
    const held = this.#degraded === undefined && this.#has('watch', 'keep-alive');
    if (held && this.#endHook === undefined) {
      this.#mode.note();
      this.#job = this.#watchJob();
      // Not only while we read: a prompt may have left the terminal raw when the process ends.
      this.#endHook = onProcessEnd('restore the terminal', this.#end, 'terminal');
      if (!this.#job.isInFront) this.#job.enter(); // looks until we are
    } else if (!held) {
      for (const hold of [this.#job, this.#endHook]) hold?.release();
      this.#job = this.#endHook = undefined;
      this.#mode.forget();
    }
    this.#alive.want(held && this.#has('keep-alive'), this.#options.clock);
    const wanted = held && !this.#gate.isLent && this.#job?.isInFront === true;
    const starts = wanted && !this.#reading && this.#setRaw();
    const isBeside = this.#degraded === undefined && !this.#gate.isLent && this.#has('beside');
    const stops = !wanted && this.#reading;
    this.#reading = wanted && (this.#reading || starts);
    if (stops) this.#switch(false);
    const hears = this.#reading || isBeside;
    this.#flow.watchEnd(this.#degraded === undefined && this.#leases.size > 0 && !this.#gate.isHandedOver);
    if (this.#flow.listen(hears) && !hears) this.reader.settle();
    if (starts) this.#input.resume();
    if (this.#reading) this.#switch(true);
    if (stops && !isBeside) {
      this.#flow.putDown();
      this.#mode.restore();
    }
    if (this.#reading && !isBeside) this.#input.unref?.();
  }

  #has(...uses: readonly StdinUse[]): boolean {
    return [...this.#leases].some(({ use }) => uses.includes(use));
  }

  #watchJob(): Job {
    const { clock, jobHost: host } = this.#options;
    const enter = (): void => {
      const wasReading = this.#reading;
      this.#sync();
      if (wasReading) this.#setRaw();
    };
    return new Job({ clock, host, leave: () => this.#sync(), enter });
  }

  #setRaw(): boolean {
    const isRaw = this.#mode.set();
    if (!isRaw) this.#lose('no raw mode');
    return isRaw;
  }

  /** T4: what the terminal was asked to tell is on only while we read it. */
  #switch(isRead: boolean): void {
    if (this.#degraded !== undefined) this.#switches.forget();
    else if (isInForeground(this.#options.jobHost)) this.#switches.set(isRead);
    if (!isRead) this.#focused = undefined; // who has the terminal meanwhile hears what it says
  }

  readonly #end = (): void => {
    this.#switch(false);
    if (this.fence.isOpen && isInForeground(this.#options.jobHost)) readOwedAnswer(fenceAnswer);
    this.#mode.restore();
    this.#mode.forget();
  };

  /** A prompt that read beside us has left the terminal as it likes it. */
  #takeUp(): void {
    if (this.#reading && this.#setRaw()) this.#flow.takeUp();
  }

  #lose(why: Degradation): void {
    this.#degraded ??= why;
    this.fence.giveUp();
    this.#sync();
  }

  readonly #onData = (chunk: Uint8Array | string): void => {
    this.reader.feed(chunk);
    if (this.#flow.isHeard) this.reader.arm();
  };
}
