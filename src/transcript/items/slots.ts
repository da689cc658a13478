/**
 * Reads a transcript of items into slots: what may stay, which call each output belongs to, and what the server holds.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import { field, isThere, textIn, without } from '../reading/fields.ts';
import { copier } from '../reading/ids.ts';
import { createLinks, type Site } from '../reading/links.ts';
import { answering, answerTo, asks } from './approvals.ts';
import { itemId } from './ids.ts';
import {
  callIdOf,
  isCall,
  isOutput,
  isProduced,
  isPrompt,
  isReasoning,
  isReference,
  isReply,
  nameOf,
  saysSomething,
  type OpenAIResponsesItem,
} from './item.ts';
import type { Reply } from './replies.ts';

/** One item on its way to a legal one. */
export interface Slot {
  /** Its index in the input. */
  readonly at: number;
  /** What it becomes; `undefined` if it does not stay. */
  item: OpenAIResponsesItem | undefined;
  /** What it stands together with. */
  readonly reply: Reply;
  /** Its links, if it is a call. */
  readonly site: Site<Slot> | undefined;
  /** The call it answers, if it is an output. */
  readonly answers: Site<Slot> | undefined;
  /** Whether the server holds it: then nobody can change it. */
  readonly isHeld: boolean;
}

/**
 * Takes a transcript apart, front to back, once.
 *
 * @param heldCount How many of the items the server holds.
 * @param before What stands before them.
 */
export function readSlots(
  replies: readonly Reply[],
  heldCount: number,
  before: readonly object[] = [],
): readonly Slot[] {
  const links = createLinks<Slot>();
  const known = new Map<string, Known>();
  const copyOf = copier(known, itemId.longest);
  /** The last question of each id, as it is known here. */
  const asked = new Map<unknown, string>();
  for (const item of before) known.set(textIn(field(item, 'id')) ?? '', { item, run: undefined });
  const slots: Slot[] = [];
  let here = new Set<string>();
  /** How many calls may stand behind references to what the server has. */
  let behind = 0;
  let run = 0;
  for (const reply of replies) {
    if (here.size > 0) here = new Set();
    // Which of several questions with one id a person has seen nobody knows: none of them keeps it.
    for (const id of sharedIn(reply.at < heldCount ? [] : reply.items)) known.set(id, { item: {}, run: undefined });
    reply.items.forEach((item, i) => {
      const at = reply.at + i;
      const isHeld = at < heldCount;
      if (!isProduced(item)) run += 1;
      const question = asked.get(answerTo(item));
      const unique = question === undefined ? uniqueItem(item, known, run, copyOf) : answering(item, question);
      const own = unique && asks(isHeld ? item : unique);
      if (own !== undefined) asked.set(field(item, 'id'), own);
      const slot: { -readonly [K in keyof Slot]: Slot[K] } = {
        at,
        item: isHeld ? item : unique,
        reply,
        site: undefined,
        answers: undefined,
        isHeld,
      };
      slots.push(slot);
      if (slot.item === undefined) return;
      const callId = callIdOf(item);
      if (isReference(item)) behind += 1;
      if (!isLegal(item, here)) drop(slot);
      else if (isCall(item)) slot.site = links.open(slots.length - 1, callId as string, nameOf(item) as string, item);
      if (!isOutput(item)) return;
      slot.answers = links.close(at, callId, slot);
      if (slot.answers === undefined && behind > 0 && callId !== undefined) {
        behind -= 1;
        links.open(slots.length - 1, callId, '', item);
        slot.answers = links.close(at, callId, slot);
      } else if (slot.answers === undefined) drop(slot);
    });
  }
  return slots;
}

/** Takes an item out, unless the server holds it. */
function drop(slot: Slot): void {
  if (!slot.isHeld) slot.item = undefined;
}

/** Whether an item is legal by itself, and beside the calls of its own reply, which it joins if it is one. */
function isLegal(item: OpenAIResponsesItem, here: Set<string>): boolean {
  if (isReply(item)) return saysSomething(item);
  if (isPrompt(item)) return item.role === undefined || isThere(field(item, 'content'));
  if (!isCall(item)) return true;
  const id = callIdOf(item);
  if (id === undefined || nameOf(item) === undefined || here.has(id)) return false;
  here.add(id);
  return true;
}

/** The ids that several questions have. */
function sharedIn(items: readonly OpenAIResponsesItem[]): readonly string[] {
  const first = new Map<string, string>();
  return items.flatMap((item) => {
    const id = asks(item);
    if (id === undefined) return [];
    const text = JSON.stringify(item);
    if (!first.has(id)) first.set(id, text);
    return first.get(id) === text ? [] : [id];
  });
}

/** What has an id, and where it was said. */
interface Known {
  readonly item: object;
  /** Between two answers, or before this transcript. */
  readonly run: number | undefined;
}

/**
 * An item whose own id nothing before it has: servers number the items of each reply anew, and then it goes on without. The
 * same object where it need not change; nothing for a copy of what stands there.
 */
function uniqueItem(
  item: OpenAIResponsesItem,
  known: Map<string, Known>,
  run: number,
  copyOf: (id: string) => string,
): OpenAIResponsesItem | undefined {
  const id = item.type === 'local_shell_call_output' ? undefined : textIn(field(item, 'id'));
  if (id === undefined) return item;
  const before = known.get(id);
  if (before === undefined) {
    known.set(id, { item, run });
    return item;
  }
  if (item.type === 'item_reference') return undefined;
  // The model may say the same again, and ask for the same, once somebody has answered.
  const isNew = isProduced(item) && !isReasoning(item) && before.run !== run;
  const isCopy = !isNew && (before.item === item || JSON.stringify(before.item) === JSON.stringify(item));
  if (isCopy || item.type !== 'mcp_approval_request') return isCopy ? undefined : without(item, 'id');
  const own = copyOf(id);
  known.set(own, { item, run });
  const renamed: OpenAIResponsesItem & { readonly id: string } = { ...item, id: own };
  return renamed;
}

/**
 * The same items; an output of a local shell whose id is another item's goes by its call alone: it is often that of the call,
 * and servers give those again.
 *
 * @param held How many of them stay as they are, for the server has them.
 */
export function withoutSharedIds(
  settled: readonly OpenAIResponsesItem[],
  held: number,
): readonly OpenAIResponsesItem[] {
  const ids = new Set<string>();
  return settled.map((item, at) => {
    const id = textIn(field(item, 'id'));
    if (id === undefined || item.type === 'item_reference') return item;
    if (item.type !== 'local_shell_call_output' || !ids.has(id) || at < held) {
      ids.add(id);
      return item;
    }
    const named: OpenAIResponsesItem & Readonly<Record<string, unknown>> = {
      ...without(item, 'id'),
      call_id: callIdOf(item),
    };
    return named;
  });
}

/** Takes out the reasoning that has lost what it led to, from the last to the first: one may have led to another. */
export function dropLonelyReasoning(
  slots: readonly Slot[],
  isOpenQuestion: (item: OpenAIResponsesItem | undefined) => boolean,
): void {
  // Behind these their answers are put, before anything else.
  const isUnanswered = ({ site, item }: Slot): boolean => site?.results.length === 0 || isOpenQuestion(item);
  const waiting = new Set(slots.filter(isUnanswered).map(({ reply }) => reply));
  let next: Slot | undefined;
  for (const slot of [...slots].reverse()) {
    // The result is judged: what was removed in between is not there.
    if (slot.item === undefined) continue;
    const isNear = next !== undefined && (next.reply === slot.reply || !waiting.has(slot.reply));
    const leads = isNear && next?.item !== undefined && isProduced(next.item);
    if (isReasoning(slot.item) && !leads && !slot.isHeld) {
      slot.item = undefined;
      continue;
    }
    next = slot;
  }
}
