/**
 * A model call that carries out something for a person: from then on no message cuts it.
 *
 * @module
 */
import { holdKey } from '../../foundation/brand.ts';
import type { ModelContext } from '../calls/model-context.ts';

/** What a context has besides, for the conversation that it is of. */
export interface Holding {
  readonly [holdKey]: () => void;
}

/** From here on no message cuts the call: what it asks for is carried out, whoever speaks meanwhile. */
export function holdMessages(context: ModelContext): void {
  (context as ModelContext & Partial<Holding>)[holdKey]?.();
}
