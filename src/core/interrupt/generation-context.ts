/**
 * What a model call is given.
 * In the interrupt room below `model-call.ts`, which makes one per attempt.
 *
 * @module
 */
import type { CancelContext } from '../combinators/context.ts';
import type { IdleWatch } from '../combinators/idle.ts';
import { show } from '../foundation/check.ts';
import type { BudgetWatch } from './budget.ts';
import { DelegatedContext } from './delegated-context.ts';
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
}

/** The context of work, and a place to keep what has come so far. */
export class GenerationContext extends DelegatedContext implements ModelContext {
  readonly continuation: ModelContext['continuation'];
  readonly isWrapUp: boolean;
  override readonly progress: () => void;
  readonly partial: (value: unknown) => void;
  readonly usage: ModelContext['usage'];

  constructor(context: CancelContext, cancelTurn: CancelTurn, generation: Generation) {
    super(context, cancelTurn);
    const { turn, continuation, isWrapUp, watch } = generation;
    this.continuation = continuation;
    this.isWrapUp = isWrapUp;
    this.progress = () => {
      watch?.progress();
    };
    this.partial = (value) => {
      watch?.progress();
      generation.partial = { value };
    };
    let counted = 0;
    this.usage = ({ outputTokens = 0 }) => {
      if (!(outputTokens >= 0)) throw new RangeError(`outputTokens must be 0 or more, got ${show(outputTokens)}`);
      // What is counted was produced, also if a later count says less.
      if (outputTokens <= counted) return;
      turn.budget?.produced(outputTokens - counted);
      counted = outputTokens;
    };
  }
}
