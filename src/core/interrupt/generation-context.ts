/**
 * What a model call is given.
 * In the interrupt room below `model-call.ts`, which makes one per attempt.
 *
 * @module
 */
import type { ContextHost } from '../combinators/context.ts';
import type { IdleWatch } from '../combinators/idle.ts';
import { show } from '../foundation/check.ts';
import type { BudgetWatch } from './budget.ts';
import { OperationContext } from './operation-context.ts';
import type { ModelContext } from './handles.ts';
import type { CancelTurn } from './run-operation.ts';

/** One attempt of a model call while it runs. */
export interface Generation {
  readonly turn: { readonly budget: Pick<BudgetWatch, 'produced'> | undefined };
  readonly continuation: ModelContext['continuation'];
  readonly isWrapUp: boolean;
  /** With a limit on silence. */
  readonly watch: Pick<IdleWatch, 'progress'> | undefined;
  /** What has come so far. */
  partial: { readonly value: unknown } | undefined;
  /** How much of it was counted. */
  outputTokens: number;
}

/** The context of work, and a place to keep what has come so far. */
export class GenerationContext extends OperationContext implements ModelContext {
  readonly #generation: Generation;

  constructor(host: ContextHost, cancelTurn: CancelTurn, generation: Generation) {
    super(host, cancelTurn);
    this.#generation = generation;
  }

  get continuation(): ModelContext['continuation'] {
    return this.#generation.continuation;
  }

  get isWrapUp(): boolean {
    return this.#generation.isWrapUp;
  }

  override get progress(): () => void {
    const { watch } = this.#generation;
    return () => {
      watch?.progress();
    };
  }

  get partial(): ModelContext['partial'] {
    const generation = this.#generation;
    return (value) => {
      generation.watch?.progress();
      generation.partial = { value };
    };
  }

  get usage(): ModelContext['usage'] {
    const generation = this.#generation;
    return ({ outputTokens = 0 }) => {
      if (!(outputTokens >= 0)) throw new RangeError(`outputTokens must be 0 or more, got ${show(outputTokens)}`);
      // What is counted was produced, also if a later count says less.
      if (outputTokens <= generation.outputTokens) return;
      generation.turn.budget?.produced(outputTokens - generation.outputTokens);
      generation.outputTokens = outputTokens;
    };
  }
}

/** For the proxy of each. */
export const generationMembers: ProxyHandler<object> = OperationContext.members(GenerationContext);
