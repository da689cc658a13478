/**
 * The reason of a stop that was asked for with anything at all: never throws, and keeps whatever can be read.
 *
 * @module
 */
import { isKind } from './cancel-kind.ts';
import { isObject, requireNames, type OptionNames } from './check.ts';
import { createReason, isError, type CancelReason, type CancelReasonInit, type CancelReasonLike } from './reason.ts';

/**
 * The reason of a stop, whatever somebody asked for it with: a stop must not fail over its label. What cannot be a
 * reason becomes the cause of one of kind `unknown`; a kind that does not exist is `unknown`, and the rest is kept.
 *
 * @param misused Told of what was wrong with it.
 */
export function reasonOfStop(
  given: unknown,
  defaults: CancelReasonInit,
  misused: (error: unknown) => void,
): CancelReason {
  let reason: CancelReason | undefined;
  try {
    reason = createReason(given as CancelReasonLike, defaults);
    // A field that there is not says nothing, and nobody would hear of that.
    if (isPlain(given)) requireNames('reason', given, names);
  } catch (error) {
    misused(error);
  }
  return reason ?? createReason({ ...textsOf(given), cause: fieldOf(given, 'cause') ?? given }, defaults);
}

const names: OptionNames<CancelReasonInit> = { kind: 1, message: 1, by: 1, source: 1, detail: 1, cause: 1, at: 1 };

/** Data, and no error, which has fields of its own. */
function isPlain(given: unknown): boolean {
  return isObject(given) && given.constructor === Object && !isError(given);
}

/** What is text of a reason that is wrong elsewhere. */
function textsOf(given: unknown): CancelReasonInit {
  const text = (name: string): string | undefined => {
    const value = fieldOf(given, name);
    return typeof value === 'string' ? value : undefined;
  };
  // What cannot be read says something, and nobody knows what.
  const kind = fieldOf(given, 'kind', null);
  const saysNoKind = kind === undefined && isObject(given) && fieldOf(given, 'length') === undefined;
  return {
    kind: saysNoKind ? undefined : isKind(kind) ? kind : 'unknown',
    message: text('message'),
    by: text('by'),
    source: text('source'),
  };
}

/** A field of whatever was given; nothing, or what the caller says, where it cannot be read. */
export function fieldOf(given: unknown, name: string, unreadable?: null): unknown {
  try {
    return isObject(given) ? (given as Readonly<Record<string, unknown>>)[name] : undefined;
  } catch {
    return unreadable;
  }
}
