/**
 * The calls in messages for a model.
 *
 * @module
 */
import { Orders } from '../../../conversation/waiting/orders.ts';
import { field } from '../../../reading/fields.ts';
import type { DialectRules, SaidCall } from '../../rules.ts';
import type { AISDKMessage, AISDKPart } from '../message.ts';
import { askedIn, callIdOf, isServerCall, nameOf, partsOf, wholeInput } from './model-message.ts';

/** Answers by which a person lets the provider run a call. It is sent the word alone, and no reason. */
export const aiSDKOrders: NonNullable<DialectRules<AISDKMessage>['orders']> = {
  openIn(messages, reply) {
    const ran = new Set(
      reply.flatMap(partsOf).map((part) => (part.type === 'tool-result' ? callIdOf(part) : undefined)),
    );
    const asked = [...askedIn(messages.flatMap(partsOf))].filter(
      ([call]) => isServerCall(call) && !ran.has(callIdOf(call)),
    );
    return new Set(asked.map(([, question]) => field(question, 'approvalId')));
  },
  refused(message, open, reason) {
    const parts = partsOf(message);
    const isYes = (part: AISDKPart): boolean =>
      part.type === 'tool-approval-response' && open.has(field(part, 'approvalId')) && field(part, 'approved') === true;
    const content = parts.map((part) => (isYes(part) ? { ...part, approved: false, reason } : part));
    return parts.some(isYes) ? { ...message, content } : message;
  },
  isMute: true,
  Orders,
};

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
