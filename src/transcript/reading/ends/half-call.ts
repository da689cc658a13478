/**
 * Whether a reply ended inside a call of it, as far as the arguments show it.
 *
 * @module
 */
import type { TranscriptCall } from '../../dialect.ts';
import { field, isRecord, textIn } from '../fields.ts';

/** Where a call stands. */
export interface CallPlace<M> {
  /** The message that it stands in. */
  readonly reply: M;
  readonly isLast: boolean;
  /** Something ended the reply before the model did. */
  readonly isCut: boolean;
}

/** The call that an API refused: a malformed one stands in no reply, and the word for the end says that there was one. */
export function refusedCall(end: unknown, said: unknown, hasCalls: boolean): readonly object[] {
  const word = String(end);
  const isThere = hasCalls && !word.startsWith('MALFORMED');
  return isThere || !/_CALLS?$/.test(word) ? [] : [{ name: `a tool (${textIn(said) ?? word})` }];
}

/** Takes any text: nobody sees where that was cut. */
const custom: ReadonlySet<unknown> = new Set(['custom', 'custom_tool_call']);

/** Of a reply that was cut a call is whole if its arguments are an object; what the model itself wrote wrong is a call. */
export function isHalfCall<M>({ input, raw }: TranscriptCall, { isLast, isCut }: CallPlace<M>): boolean {
  if (!isCut) return false;
  const body = field(raw, 'function');
  const given = field(isRecord(body) ? body : raw, 'arguments');
  const isBlank = typeof given === 'string' && given.trim() === '';
  return isBlank || custom.has(field(raw, 'type')) ? isLast : !isRecord(input);
}
