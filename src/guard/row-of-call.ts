/**
 * A guarded call as the ledger keeps it: what was asked for, without what a framework hands over beside it. That holds
 * every message of its step, and a report is stored.
 *
 * @module
 */
import { isObject } from '../core/foundation/check.ts';
import { isAbortSignal } from '../core/token/bridge/signal.ts';
import { callIdIn, signalIn } from './arguments.ts';
import { isPlain } from './shapes.ts';

/** What the row of a guarded call says of it. */
export interface RowCall {
  readonly id: string;
  readonly name: string;
  readonly args: readonly unknown[];
  /** A guard knows of the tools that it was given: of the other calls of a batch the row says nothing. */
  readonly isSingle: true;
}

/** The call of a row. */
export function rowOfCall(id: string, name: string, args: readonly unknown[]): RowCall {
  const kept = args.map((arg, index) => (isObject(arg) && isOfFramework(arg, index) ? shortFieldsOf(arg) : arg));
  return { id, name, args: kept, isSingle: true };
}

/** Whether an argument is a framework's own: options with a signal or the id of the call, or its context. */
function isOfFramework(arg: object, index: number): boolean {
  if (isAbortSignal(arg)) return true;
  if (index > 0 && (signalIn(arg) !== undefined || callIdIn(arg) !== undefined)) return true;
  return !isPlain(arg) && Object.prototype.toString.call(arg) === '[object Object]';
}

/** The fields that are no objects, and those that this package has added. */
function shortFieldsOf(arg: object): object {
  const fields = Object.getOwnPropertyDescriptors(arg) as Record<PropertyKey, PropertyDescriptor>;
  const kept = Reflect.ownKeys(fields).filter((key) => {
    const { value } = fields[key] as { readonly value?: unknown };
    if (typeof key === 'symbol') return Symbol.keyFor(key)?.startsWith('desist.') === true;
    return value !== undefined && !isObject(value) && typeof value !== 'function';
  });
  return Object.defineProperties({}, Object.fromEntries(kept.map((key) => [key, fields[key] as PropertyDescriptor])));
}
