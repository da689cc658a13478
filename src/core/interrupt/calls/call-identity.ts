/**
 * The id and the name of a tool call, whatever SDK it came from.
 *
 * @module
 */
import { isObject, requireFunction, show } from '../../foundation/check.ts';

/**
 * A call as the ledger knows it.
 *
 * @since 0.1.0
 */
export interface CallIdentity {
  readonly id: string;
  readonly name: string;
}

type Fields = Readonly<Record<string, unknown>>;

const noFields: Fields = {};

/** The fields of anything; what is no object has none. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? (value as Fields) : noFields;
}

/** A text that says something. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Reads the identity of a call.
 *
 * @throws TypeError – a shape that neither we nor `identify` know.
 */
export function identify<C>(call: C, own: ((call: C) => CallIdentity) | undefined): CallIdentity {
  if (own !== undefined) requireFunction('identify', own);
  const fields = own === undefined ? fieldsOf(call) : fieldsOf(own(call));
  // In this order: Responses has both an `id` of the item and the `call_id` that is to be answered.
  const id = text(fields['call_id']) ?? text(fields['toolCallId']) ?? text(fields['id']);
  const name =
    text(fields['name']) ??
    text(fields['toolName']) ??
    text(fieldsOf(fields['function'])['name']) ??
    text(fieldsOf(fields['custom'])['name']);
  if (id !== undefined && name !== undefined) return { id, name };
  const what = id === undefined ? 'id' : 'name';
  throw new TypeError(
    `a tool call must have an id and a name (option identify says them); no ${what} in ${show(call)}`,
  );
}
