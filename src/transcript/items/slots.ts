/**
 * Reads a transcript of items into slots: what may stay, which call each output belongs to, and what the server holds.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import { field, isThere, textIn, without } from '../reading/fields.ts';
import { createLinks, type Site } from '../reading/links.ts';
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
 */
export function readSlots(replies: readonly Reply[], heldCount: number): readonly Slot[] {
  const links = createLinks<Slot>();
  const ids = new Map<string, OpenAIResponsesItem>();
  const slots: Slot[] = [];
  let here = new Set<string>();
  /** How many calls may stand behind references to what the server has. */
  let behind = 0;
  for (const reply of replies) {
    if (here.size > 0) here = new Set();
    reply.items.forEach((item, i) => {
      const at = reply.at + i;
      const isHeld = at < heldCount;
      const unique = uniqueItem(item, ids);
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

/** An item whose own id nothing before it has; the same object where it need not change. */
function uniqueItem(item: OpenAIResponsesItem, ids: Map<string, OpenAIResponsesItem>): OpenAIResponsesItem | undefined {
  const id = item.type === 'local_shell_call_output' ? undefined : textIn(field(item, 'id'));
  if (id === undefined) return item;
  const before = ids.get(id);
  if (before === undefined) {
    ids.set(id, item);
    return item;
  }
  const isCopy = before === item || JSON.stringify(before) === JSON.stringify(item);
  return isCopy ? undefined : withoutId(item);
}

/** What neither somebody says nor a call links is known by its id alone: it does not stay without. */
function withoutId<M extends OpenAIResponsesItem>(item: M): M | undefined {
  const links = item.role ?? field(item, 'call_id') ?? field(item, 'callId');
  return (links ?? undefined) === undefined ? undefined : without(item, 'id');
}

/** What a model said: each an item of its own, whatever its server gave for an id. */
export function apart<M extends OpenAIResponsesItem>(said: readonly M[], before: readonly M[]): readonly M[] {
  const ids = new Set(before.map((item) => field(item, 'id')));
  return said.flatMap((item) => {
    const isShared = textIn(field(item, 'id')) !== undefined && ids.has(field(item, 'id'));
    return isShared ? (withoutId(item) ?? []) : item;
  });
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
