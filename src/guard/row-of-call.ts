/**
 * A guarded call as the ledger keeps it: what the model asked for, without what a framework or the program hands over
 * beside it. That may be secret, it holds every message of its step, and a report is
 * stored.
 *
 * @module
 */
import { isObject } from '../core/foundation/check.ts';
import { isAbortSignal } from '../core/token/bridge/signal.ts';
import { askedIn, signalIn } from './arguments.ts';
import { isPlain } from './shapes.ts';

/** What the row of a guarded call says of it. */
export interface RowCall {
  readonly id: string;
  readonly name: string;
  /** What was asked for: an object, its JSON, or a single value; several values are in the field `args`. */
  readonly input: unknown;
  /** A guard knows of the tools that it was given: of the other calls of a batch the row says nothing. */
  readonly isSingle: true;
  /** The id of the call that this one was made within, if it was: then no model of this conversation made it. */
  readonly within?: string;
}

/** The call of a row. */
export function rowOfCall(id: string, name: string, args: readonly unknown[], within?: string): RowCall {
  const input = copyOf(inputOf(id, args));
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

/** What the framework says that was asked for; else the first of the arguments that are data. */
function inputOf(id: string, args: readonly unknown[]): unknown {
  for (const [index, arg] of [...args.entries()].reverse()) {
    const asked = askedIn(arg, index);
    if (asked !== undefined) return asked;
  }
  // A tool without parameters: what follows is of the program.
  if (args[0] === undefined) return undefined;
  const start = args.findIndex((arg) => arg !== id && !isOfProgram(arg));
  const given = start < 0 ? [] : args.slice(start);
  const [first] = given;
  if (isRecord(first)) return first;
  // What is an object behind plain values is options, as a rule, and nobody can tell whose.
  const end = given.findIndex((arg) => isRecord(arg) || isOfProgram(arg));
  const values = end < 0 ? given : given.slice(0, end);
  return values.length < 2 ? values[0] : { args: values };
}

/** Whether an argument is no data that a model could have sent: a signal or what holds one, an instance, a function. */
function isOfProgram(arg: unknown): boolean {
  if (arg === undefined || typeof arg === 'function' || isAbortSignal(arg)) return true;
  if (signalIn(arg) !== undefined) return true;
  return (
    isObject(arg) && !isPlain(arg) && !/(?:Array|Buffer|Date|Map|Set|URL)\]$/.test(Object.prototype.toString.call(arg))
  );
}

function isRecord(arg: unknown): arg is object {
  return isObject(arg) && isPlain(arg);
}

/** What this package itself has added to the options of a call. */
function ownMarksOf(arg: object): PropertyDescriptorMap {
  const marks = Object.getOwnPropertySymbols(arg).filter((key) => Symbol.keyFor(key)?.startsWith('desist.') === true);
  return Object.fromEntries(marks.map((key) => [key, Object.getOwnPropertyDescriptor(arg, key) as PropertyDescriptor]));
}
