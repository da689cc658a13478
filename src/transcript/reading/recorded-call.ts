/**
 * What the row of a call says about what was asked for: frameworks that run tools themselves hand nothing back when they
 * are stopped, and what was paid is paid.
 *
 * @module
 */
import type { ToolOutcome } from '../from-core.ts';
import { plainValue, valueText } from '../words/values.ts';
import { field, isRecord, parseRecord } from './fields.ts';
import type { RecordedCall } from './partials.ts';

/** The call of a row, as far as it says what was asked for. */
export function recordedCall(row: ToolOutcome): RecordedCall {
  const call = field(row, 'call');
  try {
    return { id: row.id, name: row.name, input: isRecord(call) ? plainInput(inputOf(call)) : {} };
  } catch {
    return { id: row.id, name: row.name, input: {} }; // a getter threw: that it was called is known all the same
  }
}

/** One text for everything that asks for the same, as an object or as JSON. */
export function askedFor(input: unknown): string {
  return valueText(plainInput(input));
}

/** What the call of a row asked for, as such a text. */
export function askedIn(row: ToolOutcome): string {
  return valueText(recordedCall(row).input);
}

/** What a call was given, in the shape of whichever SDK it came from. */
function inputOf(call: object): unknown {
  const body = field(call, 'function');
  return (
    field(call, 'input') ??
    firstOf(field(call, 'args')) ??
    (isRecord(body) ? field(body, 'arguments') : undefined) ??
    field(call, 'arguments')
  );
}

/**
 * Whether a row says nothing of the other calls of its batch: a guard knows of the tools that it was given alone, and says
 * so. Rows of guards that were stored before they did have the three fields and no other.
 */
export function isSingle({ call }: ToolOutcome): boolean {
  if (!isRecord(call)) return false;
  if (field(call, 'isSingle') === true) return true;
  return Array.isArray(field(call, 'args')) && Object.keys(call).sort().join() === 'args,id,name';
}

/**
 * Whether a call was made within another one, as by a tool that is itself an agent: no model of this conversation made
 * it, and what became of it the call around it says.
 */
export function isNested({ call }: ToolOutcome): boolean {
  return isRecord(call) && field(call, 'isSingle') === true && typeof field(call, 'within') === 'string';
}

/** Whether the id of a row is one that a guard made, such as `pay-1`, because its framework had none: no transcript has it. */
export function hasMadeId({ call }: ToolOutcome): boolean {
  if (!isRecord(call) || field(call, 'isSingle') !== true) return false;
  const [id, name] = [String(field(call, 'id')), `${String(field(call, 'name'))}-`];
  return id.startsWith(name) && /^\d+$/.test(id.slice(name.length));
}

/** Rows that a guard made before it said what was asked for: the input comes first, or as JSON behind a context. */
function firstOf(args: unknown): unknown {
  if (!Array.isArray(args)) return args;
  const [first, second] = args as readonly unknown[];
  return isRecord(first) && typeof second === 'string' ? second : first;
}

function plainInput(given: unknown): object {
  // A custom tool takes any text: elsewhere it is an argument. Half an object is that of a function, and was cut.
  if (typeof given === 'string' && /^\s*[^{\s]/.test(given)) return { input: given };
  const plain = typeof given === 'string' ? parseRecord(given) : plainValue(given);
  if (isRecord(plain)) return plain;
  return (plain ?? undefined) === undefined ? {} : { input: plain };
}
