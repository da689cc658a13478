/**
 * A guarded call as the ledger keeps it: what the model asked for, without what a framework or the program hands over
 * beside it. That may be secret, it holds every message of its step, and a report is
 * stored.
 *
 * @module
 */
import { isObject } from '../core/foundation/check.ts';
import { askedIn, isOfProgram } from './arguments.ts';
import { isPlain } from './shapes.ts';

/** What the row of a guarded call says of it. */
export interface RowCall {
  readonly id: string;
  readonly name: string;
  /** What was asked for: an object, its JSON, or a single value. */
  readonly input: unknown;
  /** A guard knows of the tools that it was given: of the other calls of a batch the row says nothing. */
  readonly isSingle: true;
  /** The id of the call that this one was made within, if it was: then no model of this conversation made it. */
  readonly within?: string;
}

/** What a row is made of; `identified` is the id that its user has found among the arguments. */
export interface CallOfRow extends Pick<RowCall, 'id' | 'name'> {
  readonly args: readonly unknown[];
  readonly within?: string | undefined;
  readonly identified?: string | undefined;
}

/** The call of a row. */
export function rowOfCall({ id, name, args, within, identified }: CallOfRow): RowCall {
  const input = copyOf(inputOf(args, identified));
  const row = { id, name, input, isSingle: true, ...(within !== undefined && { within }) } as const;
  for (const arg of args) if (isObject(arg)) Object.defineProperties(row, ownMarksOf(arg));
  return row;
}

/**
 * A copy, without what the program has put into it: it may be secret, and so may be what a tool fills in, such as a token,
 * when it runs.
 */
function copyOf(input: unknown): unknown {
  const copies = new Map<object, object>();
  const open: object[] = [];
  const own = (value: unknown): unknown => {
    if (!isObject(value) || !(Array.isArray(value) || isPlain(value))) return value;
    let copy = copies.get(value);
    if (copy === undefined) {
      copy = Array.isArray(value) ? [] : {};
      copies.set(value, copy);
      open.push(value);
    }
    return copy;
  };
  const copied = own(input);
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    const to = copies.get(from) as object;
    if (Array.isArray(from)) for (const item of from.filter(isOfModel)) (to as unknown[]).push(own(item));
    else {
      const fields: [string, PropertyDescriptor][] = Object.entries(Object.getOwnPropertyDescriptors(from));
      for (const [name, field] of fields) {
        if (!isOfModel(field.value)) continue;
        Object.defineProperty(to, name, 'value' in field ? { ...field, value: own(field.value) } : field);
      }
    }
  }
  return copied;
}

/** Whether a field or an item may be of the model. */
function isOfModel(value: unknown): boolean {
  return value === undefined || !isOfProgram(value);
}

/** What the framework says that was asked for; else the first argument, or the one behind the id, if that is data. */
function inputOf(args: readonly unknown[], identified: string | undefined): unknown {
  for (const [index, arg] of [...args.entries()].reverse()) {
    const asked = askedIn(arg, index);
    if (asked !== undefined) return asked;
  }
  const input = args[identified !== undefined && args[0] === identified ? 1 : 0];
  return isOfProgram(input) ? undefined : input;
}

/** What this package itself has added to the options of a call. */
function ownMarksOf(arg: object): PropertyDescriptorMap {
  const marks = Object.getOwnPropertySymbols(arg).filter((key) => Symbol.keyFor(key)?.startsWith('desist.') === true);
  return Object.fromEntries(marks.map((key) => [key, Object.getOwnPropertyDescriptor(arg, key) as PropertyDescriptor]));
}
