/**
 * Makes a transcript of the Responses API legal: every call has one output of its own kind, and no reasoning stands
 * without what it led to.
 * One pass to read, one to write; items that were legal come out as the same objects.
 *
 * @module
 */
import type { ToolOutcome } from '../from-core.ts';
import { answerCall } from '../words/answers.ts';
import { field } from '../reading/fields.ts';
import type { Site } from '../reading/links.ts';
import type { Settled } from '../reading/partials.ts';
import { missingRows, rowsBy, rowsOf } from '../reading/settle-entries.ts';
import type { DialectResult, TurnRecord } from '../dialects/rules.ts';
import { recordedCall } from '../reading/recorded-call.ts';
import { legalName, type IdRule } from '../reading/ids.ts';
import { plainValue } from '../words/values.ts';
import { anyIdBeside, ownId } from './find-reply.ts';
import { denial, openQuestionsIn } from './approvals.ts';
import { findHeldPart, withHeldOutput, withoutLostReasoning } from './held/held-count.ts';
import { itemId, withIds } from './ids.ts';
import {
  askedBy,
  callIdOf,
  callTypeOf,
  functionCall,
  hasBlankArguments,
  hasWholeArguments,
  isAnswerable,
  isCall,
  isOutput,
  isPrompt,
  isReply,
  sayText,
  typeOf,
  withoutArguments,
  type OpenAIResponsesItem,
} from './item.ts';
import { itemBehind } from './speech.ts';
import { layReplies, type LayRepliesOptions, type Reply } from './replies.ts';
import { isPicture, resultFromAnswer, resultFromTranscript } from './results.ts';
import { callsBehind, outputOfRow, resolveReferences } from './references.ts';
import { dropLonelyReasoning, readSlots, withoutSharedIds, type Slot } from './slots.ts';

/**
 * Makes a transcript of the Responses API legal, or tells what to send to where one is held.
 *
 * @param naming What ids may be, and what gives calls their ids in the end, where a server holds none of them.
 */
export function settleOpenAIResponses(
  items: readonly OpenAIResponsesItem[],
  given: TurnRecord,
  { rule = itemId, nameCalls }: Naming = {},
): DialectResult<OpenAIResponsesItem> {
  const { items: resolved, references } = resolveReferences(items, given.held);
  const {
    items: all,
    borrowed,
    turn: placed,
  } = given.held === undefined
    ? { items: resolved, borrowed: undefined, turn: given }
    : withHeldOutput(withoutLostReasoning(resolved, given.held, given.note), given.held, given);
  const held = given.held === undefined ? undefined : findHeldPart(all, given.held);
  const heldCount = held?.count ?? 0;
  const named = withIds(all, given.ids, placed.note, { rule, heldCount });
  // Whoever holds a call knows it by the id that it has.
  const heldIds = new Set(all.slice(0, heldCount).filter(isCall).map(callIdOf));
  const legal = rowsBy(rule)(given, []);
  const outcomes = given.outcomes.map((row, i) => (heldIds.has(row.id) ? row : (legal[i] ?? row)));
  const turn = { ...placed, outcomes };
  const replies = replied(named, heldCount, turn, {
    rule,
    idsOf: nameCalls === undefined ? ownId : anyIdBeside(outcomes),
  });
  const { settled: written, sent } = write(replies, heldCount, turn);
  const settled = withoutSharedIds(written, held === undefined ? 0 : sent, turn.note);
  if (held === undefined) return { messages: (nameCalls?.(settled, turn) ?? settled).map(({ message }) => message) };
  const messages = settled.map(({ message }) => message);
  return {
    messages: messages
      .filter((message) => borrowed?.has(message) !== true)
      .map((message) => references.get(message) ?? message),
    submit: { ...held.target, input: messages.slice(sent) },
  };
}

/** How calls are named. */
export interface Naming {
  readonly rule?: IdRule;
  readonly nameCalls?: NameCalls;
}

type NameCalls = (
  settled: readonly Settled<OpenAIResponsesItem>[],
  turn: TurnRecord,
) => readonly Settled<OpenAIResponsesItem>[];

/** Everything that has to be written: what is there, and what the turn left behind that is not. */
function replied(
  items: readonly OpenAIResponsesItem[],
  heldCount: number,
  turn: TurnRecord,
  naming: Pick<LayRepliesOptions, 'rule' | 'idsOf'>,
): readonly Reply[] {
  const bare = layReplies(items, [], [], turn);
  if (turn.partials.length === 0 && turn.outcomes.length === 0) return bare;
  const alone = write(bare, heldCount, { ...turn, partials: [], note: () => undefined }).settled;
  const replies = layReplies(items, alone, turn.partials, {
    ...turn,
    ...naming,
    heldCount,
  });
  const { turnStart } = turn;
  const own = alone.filter(({ from }) => from >= (turnStart ?? 0)).map(({ message }) => message);
  const behind = callsBehind(own);
  const kept = [
    ...own.map((message) => [message]),
    ...replies.filter(({ added }) => added !== undefined).map(({ items: some }) => some),
  ];
  const rows = missingRows(
    turn.outcomes,
    [...kept.map((some) => some.filter(isCall).flatMap(askedBy)), behind.answered],
    turnStart !== undefined,
  );
  if (rows.length === 0) return replies;
  let place = replies.length;
  // A prompt that was pushed after the turn stays last.
  if (turnStart !== undefined) while (isLaterPrompt(replies[place - 1], turnStart)) place -= 1;
  const at = replies[place]?.at ?? items.length;
  const last = replies[place - 1];
  // A reply that was cut last came after every call that ran.
  if (last?.added !== undefined && last.cutBy?.kind !== 'interjection') place -= 1;
  const added = rows.map((row, i): Reply => {
    if (i < behind.open) {
      const { items: outputs, answer } = outputOfRow(row, turn);
      turn.note(at, 'call-answered', `answered ${row.name} (${row.id}): ${answer.status}`);
      return { items: outputs, at, added: undefined, cutBy: undefined, goesOn: false, row };
    }
    turn.note(at, 'call-recorded', `added the call ${row.name} (${row.id}), which only the ledger has`);
    return { items: [recordedItem(row)], at, added: undefined, cutBy: undefined, goesOn: false, row };
  });
  return [...replies.slice(0, place), ...added, ...replies.slice(place)];
}

/** The call of a row that only the ledger has: of the kind that it was, if it was one of these items. */
function recordedItem(row: ToolOutcome): OpenAIResponsesItem {
  const item = itemBehind(plainValue(row.call));
  const { id, name, input } = recordedCall(row);
  if (item.type === 'function_call' || !hasWholeArguments(item)) {
    return functionCall(id, legalName(name), JSON.stringify(input));
  }
  const { id: _id, caller: _caller, ...rest } = item as OpenAIResponsesItem & Readonly<Record<string, unknown>>;
  const own = { ...rest, call_id: id };
  return own;
}

function isLaterPrompt(reply: Reply | undefined, turnStart: number): boolean {
  const [item] = reply?.items ?? [];
  return reply !== undefined && item !== undefined && isPrompt(item) && reply.at > turnStart;
}

/** What replies become. */
interface Written {
  readonly settled: readonly Settled<OpenAIResponsesItem>[];
  /** How many of these the server has. */
  readonly sent: number;
}

function write(replies: readonly Reply[], heldCount: number, turn: TurnRecord): Written {
  const slots = readSlots(replies, heldCount, turn.note);
  const sites = slots.flatMap(({ site }) => site ?? []);
  const slotOf = (site: Site<Slot>): Slot => slots[site.at] as Slot;
  /** Whether a row can say what became of a call: not where only a picture could. */
  const isTellable = (site: Site<Slot>): boolean => {
    const { item } = slotOf(site);
    return (
      item !== undefined &&
      (hasWholeArguments(item) || withoutArguments(item) !== undefined) &&
      (isAnswerable(item) || site.results.some(({ result }) => result.item !== undefined && isPicture(result.item)))
    );
  };
  const entries = slots.map(({ reply }) => ({ ...reply, message: undefined }));
  const { rows, batched, recorded: known } = rowsOf(sites.filter(isTellable), entries, turn);
  for (const slot of slots) if (slot.site !== undefined && !slot.isHeld) repairCall(slot, slot.site);
  const isOpenQuestion = openQuestionsIn(slots.map(({ item }) => item));
  dropLonelyReasoning(slots, isOpenQuestion);
  const lastBatch = slots.filter((slot) => slot.site !== undefined && slot.item !== undefined).at(-1)?.reply;

  /** The replies of which the ledger knows the batch. */
  const recorded = new Set([...rows.keys()].filter(batched.has).map((site) => slotOf(site).reply));

  const out: Settled<OpenAIResponsesItem>[] = [];
  /** Outputs that wait for the end of what stands together with their calls. */
  let waiting: Settled<OpenAIResponsesItem>[] = [];
  const flush = (): void => {
    // One by one: the arguments of a call are limited by the stack.
    for (const output of waiting) out.push(output);
    waiting = [];
  };
  let sent = 0;
  const ordered = [...slots.filter((slot) => slot.isHeld), ...slots.filter((slot) => !slot.isHeld)];
  ordered.forEach((slot, i) => {
    const before = ordered[i - 1];
    if (before?.isHeld === true && !slot.isHeld) sent = out.length;
    if (before !== undefined && !slot.isHeld && slot.reply !== before.reply && slot.answers === undefined) flush();
    const item = finalItem(slot);
    if (item !== undefined) out.push({ message: item, from: slot.at });
    if (slot.site !== undefined && slot.item !== undefined && slot.site.results.length === 0) {
      waiting.push({ message: answer(slot, slot.site), from: slot.at });
    }
    if (slot.item !== undefined && isOpenQuestion(slot.item)) {
      waiting.push({ message: denial(slot.item, turn), from: slot.at });
      turn.note(slot.at, 'call-answered', `denied ${String(field(slot.item, 'name'))}: nobody had allowed it`);
    }
    if (ordered[i + 1]?.reply !== slot.reply) mark(slot);
  });
  if (ordered.at(-1)?.isHeld === true) sent = out.length;
  flush();
  return { settled: out, sent };

  /** Empties, or removes, a call that was cut inside its arguments, and removes one that no words can answer. */
  function repairCall(slot: Slot, { id, name, results }: Site<Slot>): void {
    const { item } = slot;
    if (item === undefined) return;
    if (!isAnswerable(item) && !results.some(({ result }) => result.item !== undefined && isPicture(result.item))) {
      slot.note(slot.at, 'call-answered', `removed the call ${name} (${id}): words cannot be its output`);
      remove(slot, results);
      return;
    }
    if (hasWholeArguments(item)) return;
    const site = slot.site as Site<Slot>;
    const isCut = !hasBlankArguments(item);
    const wasMissed = isCut && results.length === 0 && !known.has(site);
    const emptied = wasMissed ? undefined : withoutArguments(item);
    if (emptied !== undefined) {
      slot.item = emptied;
      const why = isCut ? 'they were cut off' : 'there were none';
      slot.note(slot.at, 'call-arguments', `emptied the arguments of ${name} (${id}): ${why}`);
      return;
    }
    slot.note(slot.at, 'call-arguments', `removed the call ${name} (${id}): its arguments were cut off`);
    remove(slot, results);
  }

  function remove(slot: Slot, results: Site<Slot>['results']): void {
    slot.item = undefined;
    for (const { result } of results) if (!result.isHeld) result.item = undefined;
  }

  /** What a slot says in the end. */
  function finalItem(slot: Slot): OpenAIResponsesItem | undefined {
    const { item, answers, isHeld, note } = slot;
    if (item === undefined || answers === undefined || isHeld) return item;
    const [first] = answers.results;
    if (first?.result.item !== undefined && first.result.isHeld) {
      note(first.at, 'one-result-per-call', `removed a second result for ${answers.id}`);
      return undefined;
    }
    if (first?.result !== slot) return undefined;
    const call = slotOf(answers).item ?? item;
    const type = isOutput(call) ? callTypeOf(typeOf(call)) : typeOf(call);
    const found = answers.results.map((one) => ({ ...one, result: one.result.item as OpenAIResponsesItem }));
    return resultFromTranscript(type, answers.id, found, note);
  }

  function answer(slot: Slot, site: Site<Slot>): OpenAIResponsesItem {
    const { reply } = slot;
    const { id, name } = site;
    const inLastBatch = reply === lastBatch;
    const row = rows.get(site);
    const batchHasRows = recorded.has(reply);
    const given = answerCall({ name, row, cutBy: reply.cutBy, batchHasRows, inLastBatch }, turn);
    turn.note(slot.at, 'call-answered', `answered ${name} (${id}): ${given.status}`);
    return resultFromAnswer(slot.item as OpenAIResponsesItem, id, given);
  }

  /** Says at the end of a reply that was missing that it was cut, unless the outputs of its calls say so. */
  function mark({ reply, at }: Slot): void {
    if (reply.added === undefined) return;
    const left = slots.filter((slot) => slot.reply === reply && slot.item !== undefined);
    if (left.length === 0) return;
    turn.note(at, 'partial-kept', `added what model call ${String(reply.added)} had said when it was cut`);
    if (reply.isWhole === true || left.some((slot) => slot.site !== undefined)) return;
    const words = turn.words(reply.cutBy?.kind ?? 'unknown', 'cut');
    const last = out.at(-1);
    if (last !== undefined && isReply(last.message))
      out[out.length - 1] = { ...last, message: withMark(last.message, words) };
    else out.push({ message: sayText(words), from: at });
  }
}

/** Says below the text that it was cut. */
function withMark(item: OpenAIResponsesItem, words: string): OpenAIResponsesItem {
  const content = field(item, 'content');
  const marked = Array.isArray(content)
    ? [...(content as readonly object[]), { type: 'output_text', text: words, annotations: [] }]
    : `${typeof content === 'string' ? content.trimEnd() : ''}\n\n${words}`;
  return { ...item, content: marked } as OpenAIResponsesItem;
}
