/**
 * What a model call is given.
 * In the interrupt room below `model-call.ts`, which makes one per attempt.
 *
 * @module
 */
import type { CancelContext } from '../combinators/context.ts';
import { show } from '../foundation/check.ts';
import type { CancelTurn } from './caller.ts';
import { DelegatedContext } from './delegated-context.ts';
import type { ModelContext } from './handles.ts';

/** What the context needs of the attempt it belongs to. */
export interface Generation {
  readonly continuation: ModelContext['continuation'];
  readonly isWrapUp: boolean;
  readonly progress: () => void;
  readonly cancelTurn: CancelTurn;
  keep(value: unknown): void;
  produced(outputTokens: number): void;
}

/** The context of work, and a place to keep what has come so far. */
export class GenerationContext extends DelegatedContext implements ModelContext {
  readonly continuation: ModelContext['continuation'];
  readonly isWrapUp: boolean;
  override readonly progress: () => void;
  readonly partial: (value: unknown) => void;
  readonly usage: ModelContext['usage'];

  constructor(context: CancelContext, generation: Generation) {
    super(context, generation.cancelTurn);
    this.continuation = generation.continuation;
    this.isWrapUp = generation.isWrapUp;
    this.progress = generation.progress;
    this.partial = (value) => {
      generation.progress();
      generation.keep(value);
    };
    let counted = 0;
    this.usage = ({ outputTokens = 0 }) => {
      if (!(outputTokens >= 0)) throw new RangeError(`outputTokens must be 0 or more, got ${show(outputTokens)}`);
      // What is counted was produced, also if a later count says less.
      if (outputTokens <= counted) return;
      generation.produced(outputTokens - counted);
      counted = outputTokens;
    };
  }
}
