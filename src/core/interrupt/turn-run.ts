/**
 * One accepted turn from its start to its one terminal report.
 * In the interrupt room between the controller, which decides what happens, and the turn handle, which the loop holds.
 *
 * Invariants: the body runs at most once, and not at all if the turn was cancelled before its start; the report is made
 * exactly once, after every operation has ended or was left behind.
 *
 * @module
 */
import type { LateOutcome, Outcome } from '../combinators/settle.ts';
import { Work } from '../combinators/work.ts';
import type { Releasable } from '../foundation/disposable.ts';
import { createCancelledError, isCancelledError } from '../foundation/errors.ts';
import type { CancelReason } from '../foundation/reason.ts';
import type { Registration } from '../token/handles.ts';
import { listen, listenKilled } from '../token/listener.ts';
import { Source, childOf, type Token } from '../token/source.ts';
import type { Turn } from './handles.ts';
import type { TurnReport } from './turn-report.ts';
import type { Message } from './interjections.ts';
import { stopReport, type Operation, type OperationList, type OperationOutcome, type StopReport } from './report.ts';
import { turnHandle } from './turn.ts';
import { TurnState, type TurnHost, type TurnSetting } from './turn-state.ts';

/** When and why a turn was told to stop. */
interface StopNote {
  readonly reason: CancelReason;
  readonly requestedAt: number;
  acknowledgedAt: number;
}

/** A turn while it runs. */
export class TurnRun extends TurnState {
  /** Resolves with the report when the turn has ended; never rejects. */
  readonly settled: Promise<StopReport>;
  /** It is over, and something of it may still run. */
  hasLeftBehind = false;
  readonly #registrations: Registration[] = [];
  readonly #above: OperationList | undefined;
  readonly #row: Operation | undefined;
  #stop: StopNote | undefined;
  #settle: (report: StopReport) => void = () => undefined;

  constructor(id: number, host: TurnHost, parents: readonly Token[], setting: TurnSetting) {
    super(id, host, parents, setting);
    this.#above = setting.above?.operations;
    this.#row = this.#above?.start('subagent', host.name);
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get isStopping(): boolean {
    return this.#stop !== undefined;
  }

  /** Hears of stops that did not come through the controller. */
  onStopFromAbove(fn: (kind: 'cancel' | 'kill', reason: CancelReason) => void): void {
    const { token } = this;
    this.#registrations.push(
      // A kill is heard as a cancel first: one stop is told once.
      listen(token, (reason) => {
        fn(token.isKilled ? 'kill' : 'cancel', reason);
      }),
      listenKilled(token, (reason) => {
        fn('kill', reason);
      }),
    );
  }

  /** The first stop counts; from here on the ledger keeps what ends. */
  noteStop(reason: CancelReason): { readonly reason: CancelReason; readonly requestedAt: number } {
    if (this.#stop === undefined) {
      const now = this.clock.now();
      this.#stop = { reason, requestedAt: now, acknowledgedAt: now };
      this.operations.keep();
    }
    return this.#stop;
  }

  /** Everything that listens has been told. */
  acknowledged(): void {
    if (this.#stop !== undefined) this.#stop.acknowledgedAt = this.clock.now();
  }

  /** Runs the body to its outcome, and waits for the calls it made. */
  async run<T>(body: (turn: Turn) => T | PromiseLike<T>): Promise<Outcome<T>> {
    const { token, operations, host } = this;
    const { name, graceMs } = host;
    const early = token.reason;
    if (early !== undefined) return { status: 'cancelled', reason: early };
    const source = new Source(childOf(token));
    const onLateSettle = ({ status }: LateOutcome<T>): void => {
      // A body that was left behind has ended after all.
      this.lateSettled(name, status);
    };
    let timer: Releasable | undefined;
    let isOver = false;
    const outcome = await new Promise<Outcome<T>>((resolve) => {
      const work = new Work<T>(
        source,
        { settle: 'wait', graceMs: 0, idleMs: Infinity, name, onLateSettle, ownerDecides: true },
        resolve,
      );
      const giveUp = (): void => {
        work.giveUp();
      };
      // The body gets its grace when its calls have had theirs: it can only unwind after them.
      const giveUpIn = (ms: number): void => {
        void operations.whenIdle().then(() => {
          if (isOver) return;
          timer?.release();
          timer = this.clock.setTimer(giveUp, ms, { ref: true });
        });
      };
      listen(source.token, () => {
        if (graceMs !== Infinity) giveUpIn(graceMs);
      });
      listenKilled(source.token, () => {
        giveUpIn(0);
      });
      work.run(() => body(turnHandle(this)));
    });
    isOver = true;
    timer?.release();
    if (outcome.status === 'abandoned') operations.end(operations.start('turn', name), 'abandoned');
    await operations.whenIdle();
    await this.endIfExhausted();
    return outcome;
  }

  /** The row of this turn in the list of the turn above it. */
  endRow(outcome: OperationOutcome): void {
    if (this.#row !== undefined) this.#above?.end(this.#row, outcome);
  }

  /** Makes the reports, tells everybody who waits, and lets go of everything. */
  end<T>(outcome: Outcome<T>, undelivered: readonly Message[]): TurnReport<T> {
    for (const registration of this.#registrations) registration.unregister();
    this.isOver = true;
    const stop = this.#stopReport(undelivered);
    this.#settle(stop);
    const report = this.#turnReport(outcome, undelivered, stop);
    // What was left behind hangs on the turn's token, so that a kill of the agent still reaches it.
    this.hasLeftBehind = stop.abandoned.length > 0;
    if (!this.hasLeftBehind) this.letGo();
    return report;
  }

  /** Nothing of the turn is left that a stop could reach. */
  letGo(): void {
    for (const own of [this.source, ...this.guests]) own.release();
  }

  /** The report for one who is part of the turn: it waits neither for them nor for others who ask it too. */
  async settledFor(caller: Operation | undefined, undelivered: () => readonly Message[]): Promise<StopReport> {
    const { operations, host } = this;
    await operations.whenOthersEnded(caller);
    const report = this.#stopReport(undelivered());
    if (caller !== undefined) return report;
    const { name } = host;
    const row = { kind: 'turn', name, agent: name, outcome: 'caller', ms: report.settledMs } as const;
    return { ...report, operations: [...report.operations, row] };
  }

  #stopReport(undelivered: readonly Message[]): StopReport {
    const now = this.clock.now();
    const said = { turnId: this.id, callbackErrors: this.callbackErrors, undelivered };
    if (this.#stop === undefined) return stopReport({ ...said, requestedAt: now });
    const { reason, requestedAt, acknowledgedAt } = this.#stop;
    const operations = this.operations.rowsSince(requestedAt);
    return stopReport({ ...said, reason, requestedAt, acknowledgedMs: acknowledgedAt - requestedAt, operations }, now);
  }

  #turnReport<T>(outcome: Outcome<T>, undelivered: readonly Message[], stop: StopReport): TurnReport<T> {
    const { id, calls, partials, token, budget } = this;
    const common = {
      turnId: id,
      // A call without a row is one whose batch was left behind before it had an outcome.
      calls: calls.filter((call) => call !== undefined),
      partials,
      undelivered,
      ...(this.#stop === undefined ? {} : { stop }),
    };
    // A body that was refused for good fails with the reason for which the turn then ended; a person may have stopped
    // it between the two.
    const refusal = outcome.status === 'failed' && isCancelledError(outcome.error) ? outcome.error.reason : undefined;
    const isRefused = refusal !== undefined && (refusal === token.reason || refusal === budget?.exhausted);
    if (outcome.status === 'failed' && !isRefused) return { ...common, ...outcome, unwrap: () => raise(outcome.error) };
    if (outcome.status === 'completed' && token.reason === undefined)
      return { ...common, ...outcome, unwrap: () => outcome.value };
    const reason = token.reason ?? (outcome as { readonly reason: CancelReason }).reason;
    const completed = outcome.status === 'completed' ? { completed: { value: outcome.value } } : {};
    const error = createCancelledError(reason, completed);
    return { ...common, status: 'cancelled', reason, ...completed, unwrap: () => raise(error) };
  }
}

function raise(error: unknown): never {
  throw error;
}
