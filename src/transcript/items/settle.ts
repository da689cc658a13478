/**
 * Makes a transcript of the Responses API legal: every call has one output of its own kind, and no reasoning stands
 * without what it led to.
 * One pass to read, one to write; items that were legal come out as the same objects.
 *
 * @module
 */
import type { IdPolicy, TranscriptCall } from '../dialect.ts';
import type { ToolOutcome } from '../from-core.ts';
import { answerCall } from '../words/answers.ts';
import { field } from '../reading/fields.ts';
import type { IdRule } from '../reading/ids.ts';
import type { Site } from '../reading/links.ts';
import { rowsOf, type WriteOptions } from '../reading/settle-entries.ts';
import type { DialectResult, SettleOptions } from '../dialects/rules.ts';
import { replayable } from './cut-reply.ts';
import { answerTo, denial, dropOtherAnswers, openQuestionsIn } from './approvals.ts';
import type { ReadHeld } from './held/held-by-server.ts';
import { itemsHosted } from './hosted.ts';
import { itemId, withIds } from './ids.ts';
import {
  callTypeOf,
  hasBlankArguments,
  hasWholeArguments,
  isOutput,
  isPrompt,
  isReply,
  sayText,
  typeOf,
  withoutArguments,
  type OpenAIResponsesItem,
} from './item.ts';
import { callsInItems } from './speech.ts';
import { repliesIn, type Reply } from './replies.ts';
import { resultFromAnswer, resultFromTranscript } from './results.ts';
import { dropLonelyReasoning, readSlots, withoutSharedIds, type Slot } from './slots.ts';

/**
 * Makes a transcript of the Responses API legal, or tells what to send to where one is held.
 *
 * @param naming What ids may be, what gives calls their ids in the end, where a server holds none of them, and the calls of
 *   an item as the caller knows them, if not by this shape.
 */
export function settleOpenAIResponses(
  given: readonly OpenAIResponsesItem[],
  options: SettleOptions,
  { rule = itemId, nameCalls, callsIn = callsInItems }: Naming = {},
): DialectResult<OpenAIResponsesItem> {
  const { held, cut, ids } = options;
  // Of what was cut the server has kept nothing.
  const known = held === undefined ? itemsHosted.settle(given, options.isOver || cut !== undefined) : given;
  const items = cut === undefined ? known : [...given.filter(isPrompt), ...replayable(known)];
  const notes = cut === undefined ? [] : known.filter((item) => isPrompt(item) && !given.includes(item));
  const part = held && (held.read as ReadHeld)(items, held);
  const { items: all, count: heldCount } = part ?? { items, count: 0 };
  const named = withIds(all, ids, { rule, heldCount });
  const rowOf = rowsOf(
    (at) => callsInItems(named.slice(at, at + 1)),
    (at) => callsIn(all.slice(at, at + 1)),
    options.outcomeOf,
  );
  const { settled: written, sent } = write(repliesIn(named, cut), heldCount, { ...options, rowOf });
  const messages = withoutSharedIds([...written, ...notes], part === undefined ? 0 : sent);
  if (part === undefined) return { messages: nameCalls?.(messages, ids) ?? messages };
  return {
    messages: messages.filter((message) => !part.isBorrowed(message)).map(part.back),
    submit: { ...part.target, input: messages.slice(sent) },
  };
}

/** How calls are named. */
export interface Naming {
  readonly rule?: IdRule;
  readonly nameCalls?: (settled: readonly OpenAIResponsesItem[], policy: IdPolicy) => readonly OpenAIResponsesItem[];
  readonly callsIn?: (items: readonly OpenAIResponsesItem[]) => readonly TranscriptCall[];
}

/** What replies become. */
interface Written {
  readonly settled: readonly OpenAIResponsesItem[];
  /** How many of these the server has. */
  readonly sent: number;
}

function write(replies: readonly Reply[], heldCount: number, options: WriteOptions): Written {
  const slots = readSlots(replies, heldCount, options.before?.());
  const slotOf = (site: Site<Slot>): Slot => slots[site.at] as Slot;
  /** Whether a row can say what became of a call: not where half of it is left. */
  const isTellable = (site: Site<Slot>): boolean => {
    const { item } = slotOf(site);
    return item !== undefined && (hasWholeArguments(item) || withoutArguments(item) !== undefined);
  };
  const rowOf = (site: Site<Slot>): ToolOutcome | undefined =>
    isTellable(site) ? options.rowOf({ at: slotOf(site).at, raw: site.raw }) : undefined;
  for (const slot of slots) if (slot.site !== undefined && !slot.isHeld) repairCall(slot, slot.site);
  dropOtherAnswers(slots, options.held === undefined);
  const isOpenQuestion = openQuestionsIn(slots.map(({ item }) => item));
  dropLonelyReasoning(slots, isOpenQuestion);

  const out: OpenAIResponsesItem[] = [];
  /** Outputs that wait for the end of what stands together with their calls. */
  let waiting: OpenAIResponsesItem[] = [];
  const flush = (): void => {
    // One by one: the arguments of a call are limited by the stack.
    for (const output of waiting) out.push(output);
    waiting = [];
  };
  let sent = 0;
  const ordered = [...slots.filter((slot) => slot.isHeld), ...slots.filter((slot) => !slot.isHeld)];
  const last = options.waits === 'last' ? ordered.filter(isSaid).at(-1)?.reply : undefined;
  ordered.forEach((slot, i) => {
    const before = ordered[i - 1];
    if (before?.isHeld === true && !slot.isHeld) sent = out.length;
    if (before !== undefined && !slot.isHeld && slot.reply !== before.reply && slot.answers === undefined) flush();
    const item = finalItem(slot);
    if (item !== undefined) out.push(item);
    const isOpen = slot.site?.results.length === 0 && slot.reply !== last && options.waits !== 'all';
    if (slot.site !== undefined && slot.item !== undefined && isOpen) {
      waiting.push(...answer(slot, slot.site));
    }
    if (slot.item !== undefined && isOpenQuestion(slot.item)) waiting.push(denial(slot.item, options));
    if (ordered[i + 1]?.reply !== slot.reply) mark(slot);
  });
  if (ordered.at(-1)?.isHeld === true) sent = out.length;
  flush();
  return { settled: out, sent };

  /** Empties, or removes, a call that was cut inside its arguments. */
  function repairCall(slot: Slot, site: Site<Slot>): void {
    const { item } = slot;
    const { results } = site;
    if (item === undefined || hasWholeArguments(item)) return;
    const wasMissed = !hasBlankArguments(item) && results.length === 0 && rowOf(site) === undefined;
    const emptied = wasMissed ? undefined : withoutArguments(item);
    if (emptied === undefined) remove(slot, results);
    else slot.item = emptied;
  }

  function remove(slot: Slot, results: Site<Slot>['results']): void {
    slot.item = undefined;
    for (const { result } of results) if (!result.isHeld) result.item = undefined;
  }

  /** What a slot says in the end. */
  function finalItem(slot: Slot): OpenAIResponsesItem | undefined {
    const { item, answers, isHeld } = slot;
    if (item === undefined || answers === undefined || isHeld) return item;
    const [first] = answers.results;
    if (first?.result !== slot) return undefined;
    const call = slotOf(answers).item ?? item;
    const type = isOutput(call) ? callTypeOf(typeOf(call)) : typeOf(call);
    const found = answers.results.map(({ result }) => result.item as OpenAIResponsesItem);
    return resultFromTranscript(type, answers.id, found);
  }

  function answer(slot: Slot, site: Site<Slot>): readonly OpenAIResponsesItem[] {
    const { id, name } = site;
    const given = answerCall({ name, row: rowOf(site), cutBy: slot.reply.cut?.by }, options);
    return resultFromAnswer(slot.item as OpenAIResponsesItem, id, given);
  }

  /** Says at the end of a reply that was cut that it was, unless the outputs of its calls say so. */
  function mark({ reply }: Slot): void {
    if (reply.cut === undefined || reply.cut.isWhole) return;
    const left = slots.filter((slot) => slot.reply === reply && slot.item !== undefined);
    if (left.length === 0 || left.some((slot) => slot.site !== undefined)) return;
    const words = options.words(reply.cut.by.kind, 'cut');
    const last = out.at(-1);
    if (last !== undefined && isReply(last)) out[out.length - 1] = withMark(last, words);
    else out.push(sayText(words));
  }
}

/** Whether it is more than an answer to what was said before it. */
function isSaid({ item, answers }: Slot): boolean {
  return item !== undefined && answers === undefined && answerTo(item) === undefined;
}

/** Says below the text that it was cut. */
function withMark(item: OpenAIResponsesItem, words: string): OpenAIResponsesItem {
  const content = field(item, 'content');
  const marked = Array.isArray(content)
    ? [...(content as readonly object[]), { type: 'output_text', text: words, annotations: [] }]
    : `${typeof content === 'string' ? content.trimEnd() : ''}\n\n${words}`;
  return { ...item, content: marked } as OpenAIResponsesItem;
}
