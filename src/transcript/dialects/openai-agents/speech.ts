/**
 * What a loop needs of the items of OpenAI Agents besides settling: an answer as items, its calls, and their results.
 *
 * @module
 */
import { Orders } from '../../conversation/waiting/orders.ts';
import { Questions } from '../../conversation/waiting/questions.ts';
import { answerTo, asks, itemOrders } from '../../items/approvals.ts';
import { itemsOf } from '../../items/cut-reply.ts';
import { itemsHosted } from '../../items/hosted.ts';
import { anyItemId } from '../../items/ids.ts';
import { isProduced } from '../../items/item.ts';
import { callsInItems, repliesInItems, resultsForItems } from '../../items/speech.ts';
import { field, isRecord, recordsIn } from '../../reading/fields.ts';
import type { HostedRules } from '../../reading/hosted-calls.ts';
import type { AnsweredCall, DialectRules, SaidCall } from '../rules.ts';
import { plainItem, structuredParts, type OpenAIAgentsItem } from './item.ts';
import { AgentsTranslation, dataOf } from './translate.ts';

/** What a model answered as items, without messages that say nothing. */
export function repliesInAgents(value: unknown): readonly OpenAIAgentsItem[] | undefined {
  const translation = new AgentsTranslation();
  const translated = translation.valueToResponses(value);
  if (itemsOf(translated) === undefined) return undefined;
  const replies = repliesInItems(translated, anyItemId);
  return replies === undefined ? undefined : translation.toAgents(replies).map(plainItem);
}

const inResponses = (items: readonly OpenAIAgentsItem[]) => {
  const translation = new AgentsTranslation();
  return items.map((item) => translation.toResponses(item));
};

const hostedInAgents = (): HostedRules<OpenAIAgentsItem> => ({
  begunIn: () => new Set(), // nothing of a reply goes on in the next one
  hasRun: (items) => itemsHosted.hasRun(inResponses(items)),
  read: (items, isOver) => itemsHosted.read(inResponses(items), isOver),
});
/** What the provider runs itself. */
export const agentsHosted: HostedRules<OpenAIAgentsItem> = /* @__PURE__ */ hostedInAgents();

const questionsInAgents = (): Required<DialectRules<OpenAIAgentsItem>>['questions'] => {
  const own = (item: OpenAIAgentsItem) => new AgentsTranslation().toResponses(item);
  return {
    answerTo: (item) => answerTo(own(item)),
    asks: (item) => asks(own(item)),
    isOfModel: (item) => isProduced(own(item)),
    Questions,
  };
};
/** Answers by which a person lets it run a tool. */
export const agentsOrders: NonNullable<DialectRules<OpenAIAgentsItem>['orders']> = {
  // The SDK keeps a call of the provider's as it came.
  openIn: (items, reply) => itemOrders.openIn(inResponses(items), reply.map(dataOf)),
  refused(item, open, reason) {
    const translation = new AgentsTranslation();
    const [made = item] = translation.toAgents([itemOrders.refused(translation.toResponses(item), open, reason)]);
    return made;
  },
  Orders,
};
/** What a server of MCP asks a person. */
export const agentsQuestions: Required<DialectRules<OpenAIAgentsItem>>['questions'] =
  /* @__PURE__ */ questionsInAgents();

/** The calls among items. A run that asks a person leaves open what it asks about, and nothing else. */
export function callsInAgents(items: readonly OpenAIAgentsItem[], run?: unknown): readonly SaidCall[] {
  const asked = isRecord(run) && recordsIn(field(run, 'interruptions')).length > 0 && ({ isAsked: true } as const);
  const translation = new AgentsTranslation();
  const own = new Map<object, OpenAIAgentsItem>();
  const translated = items.map((item) => {
    const made = translation.toResponses(item);
    own.set(made, item);
    return made;
  });
  return callsInItems(translated).map((call) => ({ ...call, raw: own.get(call.raw) ?? call.raw, ...asked }));
}

/** One result for each call, of the kind that it wants. */
export function resultsForAgents(answered: readonly AnsweredCall[]): readonly OpenAIAgentsItem[] {
  const translation = new AgentsTranslation();
  return answered.flatMap((one) => {
    const { call, name, id } = one.outcome;
    const raw = isRecord(call) ? (field(call, 'raw') ?? call) : undefined;
    const own = isRecord(raw) && typeof field(raw, 'type') === 'string' ? raw : { type: 'function_call', name };
    const translated = { ...translation.toResponses(own), call_id: id };
    const parts = one.answer.status === 'completed' ? structuredParts(one.answer.value) : undefined;
    const answer = parts === undefined ? one.answer : { ...one.answer, value: parts };
    const results = resultsForItems([{ answer, outcome: { ...one.outcome, call: { raw: translated } } }]);
    return translation.toAgents([translated, ...results]).slice(1);
  });
}
