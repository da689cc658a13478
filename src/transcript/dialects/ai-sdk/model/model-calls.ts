/**
 * The calls in messages for a model.
 *
 * @module
 */
import type { TranscriptCall } from '../../../dialect.ts';
import { field } from '../../../reading/fields.ts';
import type { AISDKMessage } from '../message.ts';
import { callIdOf, isServerCall, nameOf, partsOf, wholeInput } from './model-message.ts';

/** The calls that the caller has to run: not those that the provider runs, nor those that the SDK has run already. */
export function callsInModelMessages(messages: readonly AISDKMessage[]): readonly TranscriptCall[] {
  const parts = messages.flatMap(partsOf);
  const answered = new Set(parts.filter(({ type }) => type === 'tool-result').map(callIdOf));
  return parts.flatMap((raw) => {
    const [id, name] = [callIdOf(raw), nameOf(raw)];
    if (raw.type !== 'tool-call' || isServerCall(raw) || id === undefined || name === undefined) return [];
    return answered.has(id) ? [] : [{ id, name, input: wholeInput(raw) ?? field(raw, 'input'), raw }];
  });
}

/** The calls that the SDK asks a person about. */
export function askedInModelMessages(messages: readonly AISDKMessage[]): readonly string[] {
  const asking = messages.flatMap(partsOf).filter(({ type }) => type === 'tool-approval-request');
  return asking.flatMap((part) => callIdOf(part) ?? []);
}
