/**
 * The calls that Anthropic runs itself, in its messages.
 *
 * @module
 */
import { field } from '../../reading/fields.ts';
import { hostedCalls, type HostedCalls, type HostedStep } from '../../reading/hosted-calls.ts';
import {
  anthropicTurns,
  askText,
  blocksOf,
  callerOf,
  isServerCall,
  isServerResult,
  type AnthropicBlock,
  type AnthropicMessage,
} from './message.ts';

/** A result stands in the same reply or in a later one, where Anthropic pauses. */
export const anthropicHosted: HostedCalls<AnthropicMessage> = /* @__PURE__ */ hostedCalls({
  stepsIn: ({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? blocksOf(content).flatMap(stepOf) : [],
  without(message, lost) {
    const content = blocksOf(message.content).filter((block) => !lost.has(block));
    return content.length === 0 ? undefined : { ...message, content };
  },
  turns: anthropicTurns,
  user: askText,
});

function stepOf(block: AnthropicBlock): HostedStep | readonly HostedStep[] {
  if (isServerCall(block))
    return { part: block, id: field(block, 'id'), kind: 'begun', name: String(field(block, 'name')) };
  if (isServerResult(block)) return { part: block, id: field(block, 'tool_use_id'), kind: 'ended' };
  const id = callerOf(block);
  return id === undefined ? [] : { part: block, id, kind: 'made' };
}
