/**
 * Makes a history of OpenAI Agents legal: in the shape of the Responses API, which its items stand for.
 *
 * @module
 */
import type { HeldState } from '../../held-conversation.ts';
import { answersIn, heldBefore } from '../../items/held/held-before.ts';
import { anyItemId } from '../../items/ids.ts';
import type { OpenAIResponsesItem } from '../../items/item.ts';
import { settleOpenAIResponses } from '../../items/settle.ts';
import { withUniqueCalls } from '../../items/unique-calls.ts';
import type { DialectResult, TurnRecord } from '../rules.ts';
import { plainItem, structuredParts, type OpenAIAgentsItem } from './item.ts';
import { AgentsTranslation } from './translate.ts';

/** Makes a history legal, or tells what to send to where one is held. */
export function settleOpenAIAgents(
  items: readonly OpenAIAgentsItem[],
  turn: TurnRecord,
): DialectResult<OpenAIAgentsItem> {
  const translation = new AgentsTranslation();
  const plain = items.map((item, at) => {
    const made = plainItem(item);
    if (made !== item && item.type === 'reasoning') {
      turn.note(at, 'reasoning-status', 'removed the status of reasoning, which a request may not hold');
    } else if (made !== item) {
      turn.note(at, 'message-shape', 'gave a message of the model a status and a list of parts');
    }
    return translation.toResponses(made);
  });
  const record = {
    ...turn,
    read: structuredParts,
    held: heldIn(turn.held, translation),
    partials: turn.partials.map((one) => ({ ...one, value: translation.valueToResponses(one.value) })),
  };
  // Of two calls with one id the SDK sends one, and one of their results: it takes them for the same.
  const { messages, submit } = settleOpenAIResponses(plain, record, {
    rule: anyItemId,
    nameCalls: withUniqueCalls,
  });
  const back = (list: readonly OpenAIResponsesItem[]): OpenAIAgentsItem[] => translation.toAgents(list);
  const settled = back(messages);
  if (submit === undefined) return { messages: settled };
  // The outputs that are sent stand behind calls that are not.
  return { messages: settled, submit: { ...submit, input: settled.slice(settled.length - submit.input.length) } };
}

/** What the server holds without a turn; `undefined` if it is not known what came before it. */
export function agentsHeldBefore(
  held: HeldState,
  kept: readonly OpenAIAgentsItem[],
  dropped: readonly OpenAIAgentsItem[],
): HeldState | undefined {
  const translation = new AgentsTranslation();
  const [before, turn] = [kept, dropped].map((items) => items.map((item) => translation.toResponses(item)));
  const found = heldBefore(heldIn(held, translation) as HeldState, before ?? [], turn ?? []);
  const outputs = new Map(held.responses.map(({ id, output }) => [id, output]));
  return found && { ...found, responses: found.responses.map((one) => ({ ...one, output: outputs.get(one.id) })) };
}

/** The answers to what is not in this input. */
export function agentsAnswersIn(input: readonly OpenAIAgentsItem[]): OpenAIAgentsItem[] {
  const translation = new AgentsTranslation();
  const items = input.map((item) => translation.toResponses(item));
  const answers = new Set(answersIn(items));
  return input.filter((_item, at) => answers.has(items[at] as OpenAIResponsesItem));
}

function heldIn(held: HeldState | undefined, translation: AgentsTranslation): HeldState | undefined {
  if (held === undefined) return undefined;
  const responses = held.responses.map((response) => {
    const output = response.output?.map((item) => translation.toResponses(item));
    return output === undefined ? response : { ...response, output };
  });
  return { ...held, responses };
}
