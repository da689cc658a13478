/**
 * The body of a turn as a piece of work. Its calls stand beside it on the turn's token, and hold its grace by theirs.
 *
 * Invariants: the body runs at most once; it is given up only by its grace, and not while a start that was refused is
 * being answered, for it may be about to unwind.
 *
 * @module
 */
import { Grace, setHolder } from '../../combinators/engine/grace.ts';
import { runNested } from '../../combinators/engine/nesting.ts';
import { Work, type WorkOwner, type WorkSettings } from '../../combinators/engine/work.ts';
import type { LateOutcome, Outcome } from '../../combinators/outcome.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Releasable } from '../../foundation/disposable.ts';
import { Source } from '../../token/source.ts';
import { childOf, type Token } from '../../token/token.ts';
import type { GraceHolder } from '../../token/tree/node.ts';
import type { Operation, OperationList } from '../ledger/operation-list.ts';
import type { OperationOutcome } from '../public-types/stop-report.ts';
import { REFUSALS_WAITED_FOR, type Refusals } from '../stops/refusal-pacing.ts';
import { runAmbient } from './ambient-token.ts';

/** The turn, as its body needs it. */
interface TurnOfBody {
  readonly agent: { readonly name: string; readonly graceMs: number };
  readonly clock: Clock;
  readonly source: Source;
  readonly token: Token;
  readonly operations: OperationList;
  readonly refusals: Refusals;
  endedLate(name: string, status: OperationOutcome): void;
}

/** The body while it runs. */
export class TurnBody<T> implements WorkOwner<T>, GraceHolder {
  readonly name: string;
  readonly settings: WorkSettings;
  readonly ownerDecides = true;
  readonly endsWithValue = true;
  readonly #run: TurnOfBody;
  readonly #body: () => T | PromiseLike<T>;
  readonly #resolve: (outcome: Outcome<T>) => void;
  readonly #work: Work<T>;
  #grace: Grace | undefined;
  #isOver = false;
  /** Its row, once it was given up. */
  #row: Operation | undefined;
  #waited = 0;
  #again: Releasable | undefined;

  constructor(run: TurnOfBody, body: () => T | PromiseLike<T>, resolve: (outcome: Outcome<T>) => void) {
    this.name = run.agent.name;
    this.settings = run.agent;
    this.#run = run;
    this.#body = body;
    this.#resolve = resolve;
    this.#work = new Work<T>(run.source, this);
  }

  start(): void {
    setHolder(this.#run.token, this);
    this.#work.run(begin<T>, this);
  }

  call(): T | PromiseLike<T> {
    return runAmbient(this.#run.token, this.#body);
  }

  /** The turn was told to stop. */
  stopped(): void {
    // A stop that comes after its end is none of the body's.
    if (!this.#isOver) this.#graceOf().start();
  }

  hold(): void {
    this.#graceOf().hold();
  }

  letGo(): void {
    this.#graceOf().letGo();
  }

  #graceOf(): Grace {
    const { clock, token, agent } = this.#run;
    return (this.#grace ??= new Grace(
      clock,
      token,
      agent.graceMs,
      false,
      () => {
        this.#giveUp();
      },
      this,
    ));
  }

  #giveUp(): void {
    if (this.#run.refusals.isAnswering && this.#waited++ < REFUSALS_WAITED_FOR) {
      this.#again = this.#run.clock.setTimer(
        () => {
          this.#giveUp();
        },
        1,
        { ref: true },
      );
    } else this.#work.giveUp();
  }

  done(outcome: Outcome<T>): void {
    const { token, operations } = this.#run;
    this.#isOver = true;
    this.#grace?.end();
    this.#again?.release();
    if (token.extra?.holder === this) token.extra.holder = undefined;
    if (outcome.status === 'abandoned') {
      this.#row = operations.start('turn', this.name);
      // One of its own, for the turn's is released: how a later kill tells that there was something left to kill.
      operations.giveUp(this.#row, new Source(childOf(token)));
    }
    this.#resolve(outcome);
  }

  endedLate({ status }: LateOutcome<T>): void {
    if (this.#row !== undefined) this.#run.operations.endedLate(this.#row, status);
    this.#run.endedLate(this.name, status);
  }
}

function begin<T>(body: TurnBody<T>): T | PromiseLike<T> {
  return runNested(call<T>, body);
}

function call<T>(body: TurnBody<T>): T | PromiseLike<T> {
  return body.call();
}
