/**
 * What became of the calls that the ledger could not wait for, until somebody tells the model: calls that did not react
 * to a stop, and calls that were sent to the background.
 *
 * Invariant: each outcome is given out once, in the order of the ends.
 *
 * @module
 */
import { madeInStop } from '../../combinators/engine/commits.ts';
import type { LateOutcome } from '../../combinators/outcome.ts';
import { show } from '../../foundation/check.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { JsonValue } from '../../foundation/reason.ts';
import { shownOf } from '../../foundation/results/shown.ts';
import { fieldsOf } from '../calls/call-identity.ts';
import type { LateToolOutcome, LateToolOutcomeJSON } from '../public-types/outcomes.ts';

/** The late outcomes of one agent. */
export class LateOutcomes {
  readonly #clock: Clock;
  #outcomes: LateToolOutcome[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A call that the ledger did not wait for has ended. */
  add(
    { id, name, call }: { readonly id: string; readonly name: string; readonly call?: unknown },
    turnId: number,
    was: LateToolOutcome['was'],
    outcome: LateOutcome<unknown>,
  ): void {
    const of = call === undefined ? {} : { call };
    const late = { id, name, ...of, turnId, was, ...resultOf(outcome), at: this.#clock.now() };
    this.#outcomes.push(late.status === 'completed' ? withShown(late, call) : late);
  }

  /** Gives out what nobody has taken yet. */
  take(): LateToolOutcome[] {
    return this.#outcomes.splice(0);
  }

  /** What nobody has taken, as JSON. */
  toJSON(): LateToolOutcomeJSON[] {
    return this.#outcomes.map(({ call: _call, value, shown, ...rest }) => ({
      ...rest,
      ...(value === undefined ? {} : { value: jsonOf(value) }),
      ...(shown === undefined ? {} : { shown: jsonOf(shown) }),
    }));
  }

  /** Takes over what another process had not taken. */
  restore(outcomes: readonly LateToolOutcomeJSON[]): void {
    const given: unknown = outcomes;
    if (!Array.isArray(given)) throw new TypeError(`not the late outcomes of a snapshot: ${show(given)}`);
    for (const each of given) {
      if (!isOutcome(each)) throw new TypeError(`not a late outcome of a snapshot: ${show(each)}`);
    }
    this.#outcomes.push(...outcomes);
  }
}

const statuses: readonly unknown[] = ['completed', 'failed', 'stopped'];

/** Whether it is what a note for the model can be made of: read from a disk, it may be anything. */
function isOutcome(value: unknown): boolean {
  const { id, name, status } = fieldsOf(value);
  return typeof id === 'string' && typeof name === 'string' && statuses.includes(status);
}

/** Asked for at once, for the answer may take its time, and read when it is wanted. */
function withShown(late: LateToolOutcome, call: unknown): LateToolOutcome {
  const shown = (): { readonly value: unknown } | undefined => shownOf(call, late.value, true);
  return shown() === undefined
    ? late
    : Object.defineProperty(late, 'shown', { get: () => shown()?.value, enumerable: true });
}

function resultOf(outcome: LateOutcome<unknown>): Pick<LateToolOutcome, 'status' | 'value' | 'message'> {
  if (outcome.status === 'completed') return { status: 'completed', value: outcome.value };
  if (outcome.status === 'failed') return { status: 'failed', message: messageOf(outcome.error) };
  const made = madeInStop(outcome.completed);
  return made === undefined ? { status: 'stopped' } : { status: 'completed', value: made.value };
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return UNREADABLE;
  }
}

/** Such as a revoked proxy. */
const UNREADABLE = 'what cannot be read';

/** What JSON can say of a value: the value itself, or in words. */
function jsonOf(value: unknown): JsonValue {
  try {
    const json: unknown = JSON.parse(JSON.stringify(value));
    return json as JsonValue;
  } catch {
    return messageOf(value);
  }
}
