/**
 * What the model may see of a tool's result, where its framework would have told it something else than the value: only
 * the framework knows that, and one that was stopped does not come to say it. Whoever puts its tools under a turn leaves
 * the answer with the call; the words of the core and of transcripts ask for it.
 *
 * @module
 */
import { isObject } from '../check.ts';

/** A registered symbol, so that several copies of the package mean the same. */
const mark: unique symbol = Symbol.for('desist.modelOutput') as never;

/**
 * What the model may see of a value. Of what a tool had produced when it was stopped (`isWhole` is false) `undefined`
 * says that it may see nothing.
 */
export type Shown = (value: unknown, isWhole: boolean) => unknown;

/** Stands for a result of which nobody can say what the model may see. */
export const notShown = 'This call completed. What it returned could not be put into the form that you may see.';

/** A property for a call, or for the options that a guard makes one of, that says what of its result is shown. */
export function shownAs(shown: Shown): PropertyDescriptorMap {
  return { [mark]: { value: shown } };
}

/**
 * What is shown of a call's value in its place.
 *
 * @param call The call of a row.
 * @param isWhole Whether it is what the call returned, and not what it had produced when it was stopped.
 * @returns `undefined` where the value may be told as it is.
 */
export function shownOf(call: unknown, value: unknown, isWhole: boolean): { readonly value: unknown } | undefined {
  const shown = isObject(call) ? (call as { readonly [mark]?: unknown })[mark] : undefined;
  if (typeof shown !== 'function') return undefined;
  try {
    return { value: (shown as Shown)(value, isWhole) };
  } catch {
    return { value: isWhole ? notShown : undefined };
  }
}
