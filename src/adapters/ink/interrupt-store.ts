/**
 * One agent as a component sees it: follows it from the first subscriber to the last, and is quiet otherwise.
 *
 * Invariant: a snapshot is the same object until something in it has changed, as React asks of a store.
 *
 * @module
 */
import { interruptedLine, type Releasable } from '../../core/inside.ts';
import type { StdinOwner } from '../internal/keyboard/stdin-owner.ts';
import type { NextEscape } from '../internal/presses/press-machine.ts';
import { PressRunner } from '../internal/presses/press-runner.ts';
import { targetOf, type TerminalController } from '../internal/presses/press-target.ts';
import { watchPresses } from '../internal/presses/watch-presses.ts';
import { statusText, stopText } from '../internal/status/status-text.ts';
import {
  WorkStatus,
  type Progress,
  type ProgressOptions,
  type StatusSource,
  type StatusView,
} from '../internal/status/work-status.ts';
import type { ResolvedInterruptOptions } from './interrupt-options.ts';

/**
 * Whom `useInterrupt` stops and shows. An `InterruptController` is one.
 *
 * @since 0.1.0
 */
export type InkController = TerminalController & StatusSource;

/** What the callbacks of the component at hand are. */
export interface StoreCallbacks {
  readonly onIdleDoubleEscape: () => void;
  readonly onLeave: (exitCode: number) => void;
}

/** What there is to show. */
export interface InterruptView {
  readonly state: StatusSource['state'];
  readonly text: string;
  readonly line: string;
  readonly receipt: string;
  readonly hint: string;
}

const EXIT_INTERRUPTED = 130;

const nextPress = {
  cancel: 'esc again to interrupt',
  kill: 'esc again to force',
  idle: 'esc again to go back',
} as const satisfies Record<NextEscape, string>;

/** One per controller and component. */
export class InterruptStore {
  readonly #controller: InkController;
  readonly #owner: StdinOwner | undefined;
  readonly #options: ResolvedInterruptOptions;
  readonly #callbacks: () => StoreCallbacks;
  readonly #subscribers = new Set<readonly [() => void]>();
  #held: readonly Releasable[] = [];
  #status: WorkStatus | undefined;
  #view: StatusView | undefined;
  #nextEscape: NextEscape | undefined;
  #leaves = false;
  #isInterrupted = false;
  #receipt = '';
  #snapshot: InterruptView;

  constructor(
    controller: InkController,
    owner: StdinOwner | undefined,
    options: ResolvedInterruptOptions,
    callbacks: () => StoreCallbacks,
  ) {
    this.#controller = controller;
    this.#owner = owner;
    this.#options = options;
    this.#callbacks = callbacks;
    this.#snapshot = this.#look();
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    const entry = [changed] as const;
    if (this.#subscribers.size === 0) this.#start();
    this.#subscribers.add(entry);
    return () => {
      if (this.#subscribers.delete(entry) && this.#subscribers.size === 0) this.#stop();
    };
  };

  readonly get = (): InterruptView => this.#snapshot;

  readonly progress = (label: string, options?: ProgressOptions): Progress => {
    if (this.#status === undefined) throw new Error('a progress can be shown once the component is mounted');
    return this.#status.progress(label, options);
  };

  #start(): void {
    const status = new WorkStatus(
      this.#controller,
      {
        changed: (view) => {
          if (view !== undefined && this.#view === undefined) this.#forgetStop();
          this.#view = view;
          this.#refresh();
        },
        stopped: (report) => {
          this.#isInterrupted = report.reason?.kind === 'user';
          this.#receipt = stopText(report);
        },
      },
      this.#options.clock,
    );
    this.#status = status;
    this.#held = [status, ...(this.#owner === undefined ? [] : [this.#watch(this.#owner)])];
  }

  #watch(owner: StdinOwner): Releasable {
    const { escape, ctrlC, clock, doubleMs, leaveMs, idleEscape } = this.#options;
    const rules = new PressRunner(targetOf(this.#controller, undefined), {
      clock,
      escape: escape === false ? 'single' : escape,
      doubleMs,
      leaveMs,
      idleEscape,
      leave: () => {
        this.#callbacks().onLeave(EXIT_INTERRUPTED);
      },
      onLeaveArmed: (armed) => {
        this.#leaves = armed;
        this.#refresh();
      },
      onEscapeArmed: (next) => {
        this.#nextEscape = next;
        this.#refresh();
      },
      onIdleDoubleEscape: () => {
        // Who goes back goes behind the stop: what is said of it would stand beside a turn that is not there.
        this.#forgetStop();
        this.#refresh();
        this.#callbacks().onIdleDoubleEscape();
      },
    });
    const presses = { clock, escapes: escape !== false, interrupts: ctrlC !== false, suspends: false };
    const watched = watchPresses(owner, rules, presses);
    return {
      release: () => {
        watched.release();
        rules.close();
      },
    };
  }

  #stop(): void {
    for (const releasable of this.#held) releasable.release();
    this.#held = [];
    this.#status = undefined;
    this.#view = undefined;
  }

  #forgetStop(): void {
    [this.#isInterrupted, this.#receipt] = [false, ''];
  }

  #refresh(): void {
    const next = this.#look();
    const before = this.#snapshot;
    if (Object.entries(next).every(([name, value]) => before[name as keyof InterruptView] === value)) return;
    this.#snapshot = next;
    for (const [changed] of [...this.#subscribers]) changed();
  }

  #look(): InterruptView {
    const { state, name = 'the agent' } = this.#controller;
    const hint = this.#hint(state);
    return {
      state,
      text: this.#view === undefined ? '' : statusText(this.#view, hint),
      line: this.#isInterrupted && state === 'idle' ? interruptedLine(name) : '',
      receipt: this.#receipt,
      hint,
    };
  }

  #hint(state: StatusSource['state']): string {
    const { escape, ctrlC } = this.#options;
    if (this.#leaves) return 'ctrl+c again to leave';
    if (this.#nextEscape !== undefined) return nextPress[this.#nextEscape];
    if (state !== 'running' && state !== 'interjecting') return '';
    if (escape !== false) return escape === 'double' ? 'esc esc to interrupt' : 'esc to interrupt';
    return ctrlC === false ? '' : 'ctrl+c to interrupt';
  }
}
