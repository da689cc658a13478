/**
 * What one turn may use up, and the refusal of the next start when it has.
 *
 * Invariants: nothing that runs is ever cut; one reason object per turn; what is used up stays used up.
 *
 * @module
 */
import { isObject, requireNames, requireWhole, show, wrongType, type OptionNames } from '../../foundation/check.ts';
import type { Clock } from '../../foundation/clock.ts';
import { createReason, type CancelReason } from '../../foundation/reason.ts';

/**
 * The limits of one turn. The next start beyond one of them is refused, and the turn ends as cancelled, kind `budget`,
 * as soon as nothing of it runs any more; what was running runs to its end.
 *
 * @since 0.1.0
 */
export interface TurnBudget {
  /** Model calls. */
  readonly modelCalls?: number | undefined;
  /** Tool calls that start. */
  readonly toolCalls?: number | undefined;
  /** Output tokens, as `ctx.usage` tells them; the model call that crosses the line is the last. */
  readonly outputTokens?: number | undefined;
  /** Milliseconds from the start of the turn. */
  readonly wallMs?: number | undefined;
  /** Model calls allowed after that, without tools, so that the model can say where it stands; 0 by default. */
  readonly wrapUpCalls?: number | undefined;
}

/** The limits that count something, with the word for what they count. */
const counted = { modelCalls: 'model calls', toolCalls: 'tool calls', outputTokens: 'output tokens' } as const;

const limits: OptionNames<TurnBudget> = { modelCalls: 1, toolCalls: 1, outputTokens: 1, wallMs: 1, wrapUpCalls: 1 };

/**
 * Refuses a budget that makes no sense.
 *
 * @throws TypeError, RangeError – a limit that is no count, or no time.
 */
export function requireBudget(budget: TurnBudget): TurnBudget {
  if (!isObject(budget)) throw wrongType('budget', 'an object', budget);
  requireNames('budget', budget, limits);
  for (const name in limits) {
    const limit: unknown = budget[name as keyof TurnBudget] ?? 0;
    const text = `budget.${name} must be a number, 0 or more, got ${show(limit)}`;
    if (typeof limit !== 'number') throw new TypeError(text);
    if (!(limit >= 0)) throw new RangeError(text);
    if (name.endsWith('Calls') && limit < Infinity) requireWhole(`budget.${name}`, limit, 0);
  }
  return budget;
}

/** The budget of one turn while it runs. */
export class BudgetWatch {
  readonly #budget: TurnBudget;
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #spent = { modelCalls: 0, toolCalls: 0, outputTokens: 0 };
  #wrapUps: number;
  #refusal: CancelReason | undefined;
  #exhausted: CancelReason | undefined;

  constructor(budget: TurnBudget, clock: Clock) {
    this.#budget = budget;
    this.#clock = clock;
    this.#endsAt = clock.now() + (budget.wallMs ?? Infinity);
    this.#wrapUps = budget.wrapUpCalls ?? 0;
  }

  /** Why the turn has to end, once a start was refused for good. */
  get exhausted(): CancelReason | undefined {
    return this.#exhausted;
  }

  /** Asks for a model call: granted, granted as one of the last, or refused. */
  model(): 'granted' | 'wrap-up' | CancelReason {
    const refusal = this.#refuse('wallMs', 'outputTokens', 'modelCalls');
    this.#spent.modelCalls++;
    if (refusal === undefined) return 'granted';
    return this.#wrapUps-- > 0 ? 'wrap-up' : (this.#exhausted = refusal);
  }

  /** Asks for a tool call. */
  tool(): CancelReason | undefined {
    const refusal = this.#refuse('wallMs', 'toolCalls');
    if (refusal === undefined) this.#spent.toolCalls++;
    // The model may still say where it stands.
    else if (this.#wrapUps <= 0) this.#exhausted = refusal;
    return refusal;
  }

  /** Adds what a model call has produced since it last told. */
  produced(outputTokens: number): void {
    this.#spent.outputTokens += outputTokens;
  }

  #refuse(...limits: readonly ('wallMs' | keyof typeof counted)[]): CancelReason | undefined {
    if (this.#refusal !== undefined) return this.#refusal;
    const limit = limits.find((name) =>
      name === 'wallMs' ? this.#clock.now() >= this.#endsAt : this.#spent[name] >= (this.#budget[name] ?? Infinity),
    );
    if (limit === undefined) return undefined;
    const what = `${String(this.#budget[limit])} ${limit === 'wallMs' ? 'ms' : counted[limit]}`;
    const message = `The budget of ${what} is used up`;
    return (this.#refusal = createReason({ kind: 'budget', message, at: this.#clock.now() }));
  }
}
