/**
 * The calls that a provider runs itself, in messages for a model.
 *
 * @module
 */
import { hostedCalls, type HostedCalls, type HostedStep } from '../../../reading/hosted-calls.ts';
import { aiSDKTurns, askText, type AISDKMessage } from '../message.ts';
import { askedIn, callerOf, callIdOf, isServerCall, nameOf, partsOf } from './model-message.ts';

/** A result stands in a reply, the same or a later one, or in a tool message. */
export const aiSDKHosted: HostedCalls<AISDKMessage> = /* @__PURE__ */ hostedCalls({
  stepsIn,
  without(message, lost) {
    const content = partsOf(message).filter((part) => !lost.has(part));
    return content.length === 0 ? undefined : { ...message, content };
  },
  turns: aiSDKTurns,
  user: askText,
});

function stepsIn(message: AISDKMessage): readonly HostedStep[] {
  if ((message.role !== 'assistant' && message.role !== 'tool') || typeof message.content === 'string') return [];
  const parts = partsOf(message);
  const asked = askedIn(parts);
  return parts.flatMap((part): HostedStep | readonly HostedStep[] => {
    const id = callIdOf(part);
    if (part.type === 'tool-result') return { part, id, kind: 'ended' };
    if (part.type !== 'tool-call') return [];
    const maker = callerOf(part);
    // What a person is asked about waits as a call of ours does: the provider runs it once that was allowed, and not before.
    if (!isServerCall(part) || asked.has(part)) {
      const own: HostedStep = { part, id, kind: 'own' };
      return maker === undefined ? own : [own, { part, id: maker, kind: 'made' }];
    }
    return { part, id, kind: 'begun', name: nameOf(part) };
  });
}
