/**
 * What the row of a call says about what was asked for: frameworks that run tools themselves hand nothing back when they
 * are stopped, and what was paid is paid.
 *
 * @module
 */
import type { ToolOutcome } from '../from-core.ts';
import { plainValue } from '../words/values.ts';
import { field, isRecord, parseRecord } from './fields.ts';
import type { RecordedCall } from './partials.ts';

/** The call of a row, as far as it says what was asked for. */
export function recordedCall(row: ToolOutcome): RecordedCall {
  const call = field(row, 'call');
  try {
    return { id: row.id, name: row.name, input: isRecord(call) ? inputOf(call) : {} };
  } catch {
    return { id: row.id, name: row.name, input: {} }; // a getter threw: that it was called is known all the same
  }
}

/** What a call was given, in the shape of whichever SDK it came from. */
function inputOf(call: object): object {
  const body = field(call, 'function');
  const given =
    field(call, 'input') ??
    field(call, 'args') ??
    (isRecord(body) ? field(body, 'arguments') : undefined) ??
    field(call, 'arguments');
  const plain = typeof given === 'string' ? parseRecord(given) : plainValue(given);
  return isRecord(plain) ? plain : {};
}
