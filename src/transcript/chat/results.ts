/**
 * Makes the one legal tool message of a call: from what the transcript holds, or from the answer it is given.
 * Apart from the order of messages, which is another concern.
 *
 * @module
 */
import type { Answer } from '../words/values.ts';
import { completedContent, joinContents, textOfResult } from '../words/text-content.ts';
import type { LinkedResult } from '../reading/links.ts';
import { type OpenAIChatMessage } from './message.ts';

type Content = string | readonly object[];

/** A tool message for a call that has none. */
export function resultFromAnswer(id: string, answer: Answer): OpenAIChatMessage {
  return toolMessage(id, answer.status === 'completed' ? completedContent(answer, worded) : answer.text);
}

/** This API has no mark for a failure but words. */
function worded(failure: string): string {
  return `This call failed: ${failure}`;
}

/**
 * One legal tool message of all that the transcript holds for a call. Different results of one call are joined in their
 * order, because each is something the model was told, or should have been.
 */
export function resultFromTranscript(found: readonly LinkedResult<OpenAIChatMessage>[]): OpenAIChatMessage {
  const [first] = found as readonly [LinkedResult<OpenAIChatMessage>];
  const content = joinContents(found.map(legalContent));
  return content === first.result.content ? first.result : { ...first.result, content };
}

function legalContent({ result: { content } }: LinkedResult<OpenAIChatMessage>): Content {
  return typeof content === 'string' || (Array.isArray(content) && content.length > 0)
    ? content
    : textOfResult(content);
}

function toolMessage(id: string, content: Content): OpenAIChatMessage {
  const message: OpenAIChatMessage & { readonly tool_call_id: string } = { role: 'tool', tool_call_id: id, content };
  return message;
}
