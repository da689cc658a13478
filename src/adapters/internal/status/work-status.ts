/**
 * What an agent is doing, as somebody who waits for it wants to know: its state, for how long, and how far it is.
 *
 * Invariants:
 * - **W1** Time counts from the start of the turn at hand, and is told anew at each full second and at each change.
 * - **W2** Nothing is armed while nothing runs, and nothing of this keeps the process alive.
 *
 * Prior art: the spinners of coding agents; `ora`.
 *
 * @module
 */
import {
  CancellationToken,
  type Clock,
  isObject,
  type OptionNames,
  type OptionsOnly,
  type Releasable,
  requireFunction,
  requireOptions,
  show,
  type StopReport,
  systemClock,
  type TokenLike,
} from '../../../core/inside.ts';

/**
 * What of an event is read; those of an `InterruptController` fit.
 *
 * @since 0.1.0
 */
export interface StatusEvent {
  readonly type: string;
  readonly instanceId?: string | undefined;
  readonly kind?: string | undefined;
  readonly interrupted?: boolean | undefined;
}

/**
 * Whose work is shown. An `InterruptController` is one.
 *
 * @since 0.1.0
 */
export interface StatusSource {
  readonly name?: string | undefined;
  readonly instanceId?: string | undefined;
  /** What it does. */
  readonly state: 'idle' | 'running' | 'interjecting' | 'cancelling' | 'killing';
  /** What its last stop did. */
  readonly lastReport?: StopReport | undefined;
  /** Tells of changes. */
  onEvent(listener: (event: StatusEvent) => void): { unregister(): unknown };
}

/**
 * How far something is that is waited for.
 *
 * @cleanup `release()`, or the cancel of its token, takes it away.
 * @since 0.1.0
 */
export interface Progress extends Releasable {
  /** How much is done, and of how much if that has changed. */
  update(done: number, total?: number): void;
}

/**
 * Options of a progress.
 *
 * @since 0.1.0
 */
export interface ProgressOptions extends OptionsOnly {
  /** Of how much; nothing where that is not known. */
  readonly total?: number | undefined;
  /** Its cancel takes the progress away. */
  readonly token?: TokenLike | null | undefined;
}

/** One progress as it stands. */
export interface ProgressView {
  readonly label: string;
  readonly done: number | undefined;
  readonly total: number | undefined;
}

/** Everything there is to show. */
export interface StatusView {
  readonly name: string;
  readonly state: StatusSource['state'];
  readonly elapsedMs: number;
  readonly progress: readonly ProgressView[];
}

/** Who is told, and of what. */
export interface StatusListener {
  /** There is something else to show, or nothing any more. */
  readonly changed: (view: StatusView | undefined) => void;
  /** A stop was asked for. */
  readonly cancelled?: (() => void) | undefined;
  /** A turn that was stopped has ended. */
  readonly stopped?: ((report: StopReport) => void) | undefined;
}

const SECOND = 1000;

function requireAmount(name: string, value: unknown): void {
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number, got ${show(value)}`);
  if (!(value >= 0 && value < Infinity))
    throw new RangeError(`${name} must be finite and 0 or more, got ${String(value)}`);
}

const progressNames: OptionNames<ProgressOptions> = { total: 1, token: 1 };

/** Follows one agent. */
export class WorkStatus implements Releasable {
  readonly #source: StatusSource;
  readonly #clock: Clock;
  readonly #listener: StatusListener;
  readonly #registration: { unregister(): unknown };
  #progress: readonly ProgressView[] = [];
  #since: number | undefined;
  #timer: Releasable | undefined;
  #released = false;

  constructor(source: StatusSource, listener: StatusListener, clock: Clock = systemClock) {
    if (!isObject(source)) throw new TypeError(`agent must be an object, got ${show(source)}`);
    requireFunction('agent.onEvent', Reflect.get(source, 'onEvent'));
    this.#source = source;
    this.#listener = listener;
    this.#clock = clock;
    this.#registration = source.onEvent((event) => {
      this.#hear(event);
    });
    this.#refresh();
  }

  /** Nothing while nothing runs and nothing is waited for. */
  get view(): StatusView | undefined {
    if (this.#since === undefined) return undefined;
    const { name = 'The agent', state } = this.#source;
    const elapsedMs = Math.max(0, this.#clock.now() - this.#since);
    return { name, state, elapsedMs, progress: this.#progress };
  }

  progress(label: string, options: ProgressOptions = {}): Progress {
    requireOptions(options, progressNames);
    const { total, token } = options;
    if (typeof label !== 'string') throw new TypeError(`label must be a string, got ${show(label)}`);
    if (total !== undefined) requireAmount('total', total);
    let entry: ProgressView = { label, done: undefined, total };
    const replace = (next: readonly ProgressView[]): void => {
      this.#progress = this.#progress.flatMap((other) => (other === entry ? next : [other]));
      this.#refresh();
    };
    const cancellation = CancellationToken.from(token);
    if (!this.#released && !cancellation.isCancelled) this.#progress = [...this.#progress, entry];
    this.#refresh();
    const registration = cancellation.onCancelled(() => {
      replace([]);
    });
    return {
      update: (done, of = entry.total) => {
        requireAmount('done', done);
        if (of !== undefined) requireAmount('total', of);
        const next = { label, done, total: of };
        replace([next]);
        entry = next;
      },
      release: () => {
        registration.unregister();
        replace([]);
      },
    };
  }

  release(): void {
    this.#released = true;
    this.#registration.unregister();
    this.#progress = [];
    this.#since = undefined;
    this.#timer?.release();
  }

  #hear({ type, instanceId, kind, interrupted }: StatusEvent): void {
    if (this.#released || instanceId !== this.#source.instanceId) return;
    if (type === 'turn-started') this.#since = this.#clock.now(); // W1
    if (type === 'interrupt-requested' && kind === 'cancel' && this.#source.state !== 'idle')
      this.#listener.cancelled?.();
    if (type === 'turn-ended' && interrupted === true) this.#tellStopped();
    this.#refresh();
    // A request is told before the state changes.
    queueMicrotask(() => {
      this.#refresh();
    });
  }

  #tellStopped(): void {
    const { lastReport } = this.#source;
    if (lastReport !== undefined && lastReport.reason?.kind !== 'interjection') this.#listener.stopped?.(lastReport);
  }

  #refresh(): void {
    if (this.#released) return;
    const isBusy = this.#source.state !== 'idle' || this.#progress.length > 0;
    this.#timer?.release();
    this.#timer = undefined;
    if (isBusy) {
      const now = this.#clock.now();
      this.#since ??= now;
      const rest = SECOND - ((now - this.#since) % SECOND);
      this.#timer = this.#clock.setTimer(
        () => {
          this.#refresh();
        },
        rest,
        { ref: false },
      ); // W2
    } else {
      this.#since = undefined;
    }
    this.#listener.changed(this.view);
  }
}
