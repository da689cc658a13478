/**
 * Reasons as JSON: written without their cause, and read again also when another version wrote them.
 *
 * @module
 */
import { isKind, type CancelKind } from './cancel-kind.ts';
import { isObject, wrongType } from './check.ts';
import { createReason, type CancelReason, type JsonValue } from './reason.ts';

/**
 * A reason as it may cross a process border.
 *
 * @since 0.1.0
 */
export interface CancelReasonJSON {
  readonly kind: CancelKind;
  readonly message: string;
  readonly at: number;
  readonly source?: string;
  readonly by?: string;
  readonly detail?: JsonValue;
}

/**
 * The reason as plain JSON, without its cause: a cause can hold anything, so it stays in the process.
 *
 * @param reason What to send.
 * @returns A plain object, safe to serialise.
 * @since 0.1.0
 */
export function reasonToJSON(reason: CancelReason): CancelReasonJSON {
  if (!isObject(reason)) throw wrongType('reason', 'a CancelReason', reason);
  const { kind, message, at, source, by, detail } = reason;
  return {
    kind,
    message,
    at,
    ...(source !== undefined && { source }),
    ...(by !== undefined && { by }),
    ...(detail !== undefined && { detail }),
  };
}

/**
 * The reason that {@link reasonToJSON} wrote, perhaps in another version of the package: a kind this version does not
 * know becomes `unknown`, because a stop must not fail over its label.
 *
 * @param json The parsed object.
 * @returns A frozen reason, equal to the one that was written but for its cause.
 * @throws TypeError – not an object with a message and an instant.
 * @since 0.1.0
 */
export function reasonFromJSON(json: unknown): CancelReason {
  if (!isObject(json)) throw wrongType('a reason', 'an object', json);
  const { kind, message, at, source, by, detail } = json as Record<string, unknown>;
  if (typeof message !== 'string') throw wrongType('reason.message', 'a string', message);
  if (typeof at !== 'number') throw wrongType('reason.at', 'a number', at);
  const known = isKind(kind) ? kind : 'unknown';
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const given = { kind: known, message, at, source: text(source), by: text(by) };
  try {
    return createReason({ ...given, detail: detail as JsonValue });
  } catch {
    return createReason(given);
  }
}
