/**
 * What a model call is given.
 * In the interrupt room below `model-call.ts`, which makes one per attempt.
 *
 * @module
 */
import type { CancelContext } from '../combinators/context.ts';
import { show } from '../foundation/check.ts';
import { DelegatedContext } from './delegated-context.ts';
import type { ModelContext } from './handles.ts';

/** What the context needs of the attempt it belongs to. */
export interface Generation {
  readonly continuation: ModelContext['continuation'];
  readonly isWrapUp: boolean;
  progress(): void;
  keep(value: unknown): void;
  produced(outputTokens: number): void;
}

/** The context of work, and a place to keep what has come so far. */
export class GenerationContext extends DelegatedContext implements ModelContext {
  readonly #generation: Generation;
  #outputTokens = 0;

  constructor(context: CancelContext, generation: Generation) {
    super(context);
    this.#generation = generation;
  }

  get continuation(): ModelContext['continuation'] {
    return this.#generation.continuation;
  }

  get isWrapUp(): boolean {
    return this.#generation.isWrapUp;
  }

  override get progress(): () => void {
    return () => {
      this.#generation.progress();
    };
  }

  get partial(): (value: unknown) => void {
    return (value) => {
      this.#generation.progress();
      this.#generation.keep(value);
    };
  }

  get usage(): ModelContext['usage'] {
    return ({ outputTokens = 0 }) => {
      if (!(outputTokens >= 0)) throw new RangeError(`outputTokens must be 0 or more, got ${show(outputTokens)}`);
      const more = outputTokens - this.#outputTokens;
      // What is counted was produced, also if a later count says less.
      if (more > 0) this.#generation.produced(more);
      this.#outputTokens = Math.max(this.#outputTokens, outputTokens);
    };
  }
}
