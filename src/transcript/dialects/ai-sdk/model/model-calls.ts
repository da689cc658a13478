/**
 * The calls in messages for a model.
 *
 * @module
 */
import { field } from '../../../reading/fields.ts';
import type { SaidCall } from '../../rules.ts';
import type { AISDKMessage } from '../message.ts';
import { askedIn, callIdOf, isServerCall, nameOf, partsOf, wholeInput } from './model-message.ts';

/** The calls that the caller has to run: not those that the provider runs, nor those that the SDK has run already. */
export function callsInModelMessages(messages: readonly AISDKMessage[]): readonly SaidCall[] {
  const parts = messages.flatMap(partsOf);
  const answered = new Set(parts.filter(({ type }) => type === 'tool-result').map(callIdOf));
  const asked = askedIn(parts);
  return parts.flatMap((raw) => {
    const [id, name] = [callIdOf(raw), nameOf(raw)];
    if (raw.type !== 'tool-call' || isServerCall(raw) || id === undefined || name === undefined) return [];
    if (answered.has(id)) return [];
    return [{ id, name, input: wholeInput(raw) ?? field(raw, 'input'), raw, ...(asked.has(id) && { isAsked: true }) }];
  });
}
