/**
 * The stops that this node asked of one run: written together, and looked after together.
 *
 * Invariants: one write at a time, of all that wait when its turn comes, and of none that comes later; one look serves all that
 * were there when it began.
 *
 * Prior art: the group commit of databases.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import type { Exchange } from '../node/engine/exchange.ts';
import { NotWantedError } from '../node/engine/send-window.ts';
import type { RunRecord } from '../record/run-record.ts';
import type { Step } from '../record/step-result.ts';
import type { Asked } from '../record/ask-stop.ts';
import { LookOut, type Came } from './look-out.ts';
import type { AskStep } from './pursuit-parts.ts';
import type { PursuedStop } from './pursued-stop.ts';

/** What they are written and looked after with. */
export interface AskedRunParts {
  readonly runId: string;
  readonly clock: Clock;
  readonly exchange: Exchange;
  /** The longest wait between two looks, in milliseconds. */
  readonly longestMs: number;
}

/** One that waits to be written. */
interface Asking {
  readonly step: AskStep;
  readonly isWanted: () => boolean;
  readonly resolve: (asked: Asked) => void;
  readonly reject: (error: unknown) => void;
  /** What became of it with the record that was found last. */
  asked?: Asked;
}

/** The stops of one run. */
export class AskedRun {
  readonly #parts: AskedRunParts;
  readonly #stops = new Set<PursuedStop>();
  readonly #lookOut: LookOut;
  #asking: Asking[] = [];
  #isWriting = false;

  constructor(parts: AskedRunParts) {
    this.#parts = parts;
    this.#lookOut = new LookOut({
      clock: parts.clock,
      longestMs: parts.longestMs,
      isWatched: () => this.#some((stop) => stop.isWatched),
      isWanted: () => this.#some((stop) => stop.isWanted),
      look: () => this.#look(),
      ends: () => this.#drop(),
    });
  }

  get size(): number {
    return this.#stops.size;
  }

  add(stop: PursuedStop): void {
    this.#stops.add(stop);
  }

  /** @returns Whether it was there. */
  delete(stop: PursuedStop): boolean {
    return this.#stops.delete(stop);
  }

  /** Takes a step on the record, with all others that wait for that. */
  write(step: AskStep, isWanted: () => boolean): Promise<Asked> {
    return new Promise((resolve, reject) => {
      this.#asking.push({ step, isWanted, resolve, reject });
      if (!this.#isWriting) this.#writeThose();
    });
  }

  /** One of them has to be looked after from here on. */
  follow(came: Came | undefined): void {
    if (came !== undefined) this.#lookOut.poke(came);
    this.#lookOut.start();
  }

  /** Something may have happened to them, whose record was this then. */
  poke(record: RunRecord | undefined): void {
    let came: Came = 'news';
    for (const stop of this.#stops) if (!stop.learn(record) && !stop.isDone) came = 'hint';
    this.#lookOut.poke(came);
  }

  /** Nobody can look after any of them any more. */
  letGo(): void {
    for (const stop of [...this.#stops]) stop.letGo();
    this.#lookOut.poke('hint');
  }

  #some(is: (stop: PursuedStop) => boolean): boolean {
    for (const stop of this.#stops) if (is(stop)) return true;
    return false;
  }

  #writeThose(): void {
    const those: Asking[] = [];
    const isWanted = (): boolean => {
      for (const one of this.#asking.splice(0)) {
        if (one.isWanted()) those.push(one);
        else one.reject(new NotWantedError());
      }
      return those.length > 0;
    };
    const over = (): void => {
      this.#isWriting = false;
      if (this.#asking.length > 0) this.#writeThose();
    };
    this.#isWriting = true;
    const step = (found: RunRecord | undefined, now: number) => askAll(those, found, now);
    this.#parts.exchange.commit(this.#parts.runId, step, { isUrgent: true, isWanted }).then(
      () => {
        for (const { asked, resolve } of those) resolve(asked as Asked);
        over();
      },
      (error: unknown) => {
        // Where its turn has not come, nobody waits for another one.
        for (const { reject } of those.length > 0 ? those : this.#asking.splice(0)) reject(error);
        over();
      },
    );
  }

  async #look(): Promise<void> {
    const { runId, exchange } = this.#parts;
    // What is asked for meanwhile is not in the record that is read here.
    const wanted = [...this.#stops].filter((stop) => stop.isWanted);
    const { record } = await exchange.read(runId);
    await Promise.allSettled(wanted.map((stop) => stop.look(record)));
    this.#drop();
  }

  #drop(): void {
    for (const stop of this.#stops) if (stop.isDone) stop.leave();
  }
}

/** One after the other; each is told what was there before any of them as well. */
function askAll(those: readonly Asking[], found: RunRecord | undefined, now: number): Step<void> {
  let record: RunRecord | undefined;
  let inboxes: readonly string[] = [];
  for (const one of those) {
    const next = one.step(record ?? found, now, found);
    one.asked = next.result;
    record = next.record ?? record;
    inboxes = unionOf(inboxes, next.inboxes);
  }
  return { record, inboxes, result: undefined };
}

function unionOf(some: readonly string[], more: readonly string[] = []): readonly string[] {
  return some.length === 0 ? more : [...new Set([...some, ...more])];
}
