/**
 * Makes a history of OpenAI Agents legal: in the shape of the Responses API, which its items stand for.
 *
 * @module
 */
import type { HeldByServer } from '../../held-conversation.ts';
import { anyItemId } from '../../items/ids.ts';
import type { OpenAIResponsesItem } from '../../items/item.ts';
import { settleOpenAIResponses } from '../../items/settle.ts';
import { withUniqueCalls } from '../../items/unique-calls.ts';
import type { DialectResult, SettleOptions } from '../rules.ts';
import { plainItem, structuredParts, type OpenAIAgentsItem } from './item.ts';
import { callsInAgents } from './speech.ts';
import { AgentsTranslation } from './translate.ts';

/** Makes a history legal, or tells what to send to where one is held. */
export function settleOpenAIAgents(
  items: readonly OpenAIAgentsItem[],
  options: SettleOptions,
): DialectResult<OpenAIAgentsItem> {
  const translation = new AgentsTranslation();
  const plain = items.map((item) => translation.toResponses(plainItem(item)));
  const record = {
    ...options,
    read: structuredParts,
    held: heldIn(options.held, translation),
    before: () => (options.before?.() ?? []).map((item) => translation.toResponses(item)),
  };
  // Of two calls with one id the SDK sends one, and one of their results: it takes them for the same.
  const { messages, submit } = settleOpenAIResponses(plain, record, {
    rule: anyItemId,
    nameCalls: withUniqueCalls,
    callsIn: (some) => callsInAgents(translation.toAgents(some)),
  });
  const back = (list: readonly OpenAIResponsesItem[]): OpenAIAgentsItem[] => translation.toAgents(list);
  const settled = back(messages);
  if (submit === undefined) return { messages: settled };
  // The outputs that are sent stand behind calls that are not.
  return { messages: settled, submit: { ...submit, input: settled.slice(settled.length - submit.input.length) } };
}

function heldIn(held: HeldByServer | undefined, translation: AgentsTranslation): HeldByServer | undefined {
  if (held === undefined) return undefined;
  const responses = held.responses.map((response) => {
    const output = response.output?.map((item) => translation.toResponses(item));
    return output === undefined ? response : { ...response, output };
  });
  return { ...held, responses };
}
