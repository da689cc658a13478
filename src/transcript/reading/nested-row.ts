/**
 * Rows of calls that no model of this conversation made.
 *
 * @module
 */
import type { ToolOutcome } from '../from-core.ts';
import { field, isRecord } from './fields.ts';

/**
 * Whether a call was made within another one, as by a tool that is itself an agent: what became of it the call around it
 * says.
 */
export function isNested({ call }: ToolOutcome): boolean {
  return isRecord(call) && field(call, 'isSingle') === true && typeof field(call, 'within') === 'string';
}
