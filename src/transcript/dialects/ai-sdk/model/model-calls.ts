/**
 * The calls in messages for a model.
 *
 * @module
 */
import { field } from '../../../reading/fields.ts';
import type { SaidCall } from '../../rules.ts';
import type { AISDKMessage } from '../message.ts';
import { askedIn, callIdOf, isServerCall, nameOf, partsOf, wholeInput } from './model-message.ts';

/**
 * The calls that the caller has to run, and those that a person is asked about: not what the provider runs by itself, nor what the SDK
 * has run already.
 */
export function callsInModelMessages(messages: readonly AISDKMessage[]): readonly SaidCall[] {
  const parts = messages.flatMap(partsOf);
  const answered = new Set(parts.filter(({ type }) => type === 'tool-result').map(callIdOf));
  const asked = askedIn(parts);
  return parts.flatMap((raw) => {
    const [id, name] = [callIdOf(raw), nameOf(raw)];
    if (raw.type !== 'tool-call' || id === undefined || name === undefined) return [];
    if (answered.has(id) || (isServerCall(raw) && !asked.has(raw))) return [];
    const call = { id, name, input: wholeInput(raw) ?? field(raw, 'input') };
    const question = asked.get(raw);
    if (question === undefined) return [{ ...call, raw }];
    return [{ ...call, isAsked: true, ...(isServerCall(raw) ? { raw: question, isHosted: true } : { raw }) }];
  });
}
