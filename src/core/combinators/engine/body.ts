/**
 * Results that are not over when they are returned: a response, a stream, an async iterable. Prior art: none that
 * does it; `fetch` leaves it to the caller.
 *
 * @module
 */
import { isObject } from '../../foundation/check.ts';
import type { Releasable } from '../../foundation/disposable.ts';
import { isBody } from '../../foundation/results/live-body.ts';
import type { Source } from '../../token/source.ts';

/** Lets go of the call's token when nobody can read the body any more. */
const collected = /* @__PURE__ */ new FinalizationRegistry<Releasable>((source) => {
  source.release();
});

/**
 * Whether streams are among its members, as in what `streamText` of the AI SDK returns. They are not read: that starts them,
 * and a result that has been read to its end looks the same.
 */
function holdsStreams(value: unknown): boolean {
  try {
    return isObject(value) && ('textStream' in value || 'fullStream' in value);
  } catch {
    return false;
  }
}

/**
 * Whether a value is work that nobody will do: a generator does nothing until it is read. One that is asynchronous is read by
 * who gets it, unless there is nobody.
 */
export function isUnrun(value: unknown, isLast: boolean): boolean {
  if (!isObject(value)) return false;
  try {
    if (typeof (value as { readonly next?: unknown }).next !== 'function') return false;
    return (isLast ? / (?:Async)?Generator]/ : / Generator]/).test(Object.prototype.toString.call(value));
  } catch {
    // A getter that throws is no generator's.
    return false;
  }
}

/** What to throw at it. */
export function unrunError(name: string): TypeError {
  return new TypeError(`${name} returned a generator: read it inside, or write an async function`);
}

/**
 * Keeps a call's token linked for as long as its body can be read.
 *
 * @returns Whether it was such a value; otherwise the caller releases the token now.
 */
export function keepForBody(source: Source, value: unknown): boolean {
  if (!isBody(value) && !holdsStreams(value)) return false;
  // The limit was for the call, and nobody is left who could say that it was the call's own.
  source.cancelAfter(Infinity);
  collected.register(value as object, source);
  return true;
}
