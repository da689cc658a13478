/**
 * Makes an Anthropic transcript legal: every call answered in the user message directly after it, results first.
 * One pass to read, one to write; messages that were legal come out as the same objects.
 *
 * @module
 */
import { answerCall } from '../../words/answers.ts';
import { field, isSameList, without } from '../../reading/fields.ts';
import { createIdBook } from '../../reading/id-book.ts';
import type { Site } from '../../reading/links.ts';
import { settleEntries, type Entry, type WriteOptions } from '../../reading/settle-entries.ts';
import type { DialectResult, SettleOptions } from '../rules.ts';
import { anthropicHosted } from './hosted.ts';
import { anthropicId, named, withIds } from './ids.ts';
import { callerOf, isSettings, isThinking, serverIdOf, textBlock, wholeInput } from './message.ts';
import type { AnthropicBlock, AnthropicMessage } from './message.ts';
import { resultFromAnswer, resultFromTranscript } from './results.ts';
import { readSlots, type Part, type Slot } from './slots.ts';
import { callsInAnthropic } from './speech.ts';

/** Makes a transcript of the Messages API legal. */
export function settleAnthropic(
  messages: readonly AnthropicMessage[],
  options: SettleOptions,
): DialectResult<AnthropicMessage> {
  return settleEntries(anthropicHosted.settle(messages, options.isOver || options.cut !== undefined), options, {
    giveIds: withIds,
    callsIn: callsInAnthropic,
    isReply: ({ role }) => role === 'assistant',
    write,
  });
}

function write(entries: readonly Entry<AnthropicMessage>[], options: WriteOptions): readonly AnthropicMessage[] {
  const { rowOf } = options;
  const slots = readSlots(entries, options.begun);
  for (const slot of slots) {
    if (slot.parts.some(isCallPart)) slot.parts = slot.parts.flatMap(repairCall);
  }
  const live = slots.filter(isLive);
  withoutLastThoughts(live);
  const lastSaying = live.filter((slot) => slot.parts.length > 0).at(-1);

  const servers = new Set<unknown>();
  for (const { parts } of live) for (const { block } of parts) servers.add(serverIdOf(block));
  for (const slot of live) {
    if (slot.parts.some(isCallPart)) slot.parts = slot.parts.map((part) => withoutLostCaller(part, servers));
  }
  const said = live.filter((slot) => slot.parts.length > 0 || slot.entry.message.role !== 'assistant');

  const out: AnthropicMessage[] = [];
  /** Messages of the model that follow each other are one turn: it is answered after the last of them. */
  let run: Slot[] = [];
  for (const slot of said) {
    const { message } = slot.entry;
    const own = slot.parts.map((part) => part.block);
    if (message.role === 'assistant') {
      out.push(rebuild(message, reply(slot, own)));
      run.push(slot);
      continue;
    }
    const results = answers(run, slot);
    run = [];
    if (message.role === 'user') {
      if (results.length + own.length > 0) out.push(rebuild(message, [...results, ...own]));
      continue;
    }
    if (results.length > 0) out.push({ role: 'user', content: results });
    out.push(isSettings(message) ? message : rebuild(message, own));
  }
  const rest = answers(run, undefined);
  if (rest.length > 0) out.push({ role: 'user', content: rest });
  const book = createIdBook(anthropicId, options.ids, new Set());
  return out.map((message) => named(message, book));

  /** The call with whole arguments, or nothing if it was cut before it could have run. */
  function repairCall(part: Part): Part[] {
    const { block, site } = part;
    if (site === undefined) return [part];
    const input = wholeInput(block);
    if (input === undefined && site.results.length === 0 && rowOf(site) === undefined) return [];
    if (input !== undefined && input === field(block, 'input')) return [part];
    const whole: AnthropicBlock & Readonly<Record<string, unknown>> = { ...block, input: input ?? {} };
    return [{ block: whole, site }];
  }

  /** Whether anything of a message is left, or may be put there. */
  function isLive({ parts, heldResults, entry: { message } }: Slot): boolean {
    return parts.length > 0 || (message.role === 'user' && heldResults) || isSettings(message);
  }

  /** What an assistant message says in the end. */
  function reply(slot: Slot, own: readonly AnthropicBlock[]): readonly AnthropicBlock[] {
    const { cut } = slot.entry;
    if (cut !== undefined && isMarked(slot)) return [...own, textBlock(options.words(cut.by.kind, 'cut'))];
    const last = own.at(-1) as AnthropicBlock;
    const text = field(last, 'text');
    const isLast = slot === lastSaying && !slot.parts.some(isCallPart);
    if (!isLast || last.type !== 'text' || typeof text !== 'string' || text === text.trimEnd()) return own;
    return [...own.slice(0, -1), { ...last, text: text.trimEnd() } as AnthropicBlock];
  }

  /** One result per call of a turn: in the order of the calls, unless the message after it has them all already. */
  function answers(turnOfModel: readonly Slot[], next: Slot | undefined): readonly AnthropicBlock[] {
    if (turnOfModel.length === 0) return [];
    const calls = turnOfModel.flatMap(({ parts, entry }) =>
      parts.flatMap(({ site }) => (site === undefined ? [] : [{ site, cutBy: entry.cut?.by }])),
    );
    const nextAt = next?.entry.message.role === 'user' ? next.at : undefined;
    const isThere = calls.every(({ site: { results } }) => results.length === 1 && results[0]?.at === nextAt);
    const ordered = isThere ? [...calls].sort((a, b) => placeOf(a.site) - placeOf(b.site)) : calls;
    return ordered.flatMap(({ site, cutBy }) => {
      const { id, name } = site;
      if (site.results.length > 0) return resultFromTranscript(id, site.results);
      if (options.waits === 'all') return [];
      return resultFromAnswer(id, answerCall({ name, row: rowOf(site), cutBy }, options));
    });
  }

  /** A call that a server tool made no longer says so where that is gone: it may have run all the same. */
  function withoutLostCaller(part: Part, servers: ReadonlySet<unknown>): Part {
    const maker = callerOf(part.block);
    if (part.site === undefined || maker === undefined || servers.has(maker) || options.begun?.has(maker) === true)
      return part;
    return { ...part, block: without(part.block, 'caller') };
  }
}

/** Whether a reply says at its end that it was cut; the results of its calls say so as well. */
function isMarked({ entry: { cut }, parts }: Slot): boolean {
  return cut?.isWhole === false && !parts.some(isCallPart);
}

/** No turn of the model may end in a thought: what that led to never came. */
function withoutLastThoughts(slots: readonly Slot[]): void {
  let goesOn = false;
  for (const slot of [...slots].reverse()) {
    const isReply = slot.entry.message.role === 'assistant';
    const end = slot.parts.map(({ block }) => isThinking(block)).lastIndexOf(false) + 1;
    if (isReply && !goesOn && !isMarked(slot)) slot.parts = slot.parts.slice(0, end);
    goesOn = isReply && (goesOn || slot.parts.length > 0);
  }
}

function isCallPart(part: Part): boolean {
  return part.site !== undefined;
}

function placeOf(site: Site<AnthropicBlock>): number {
  return site.results[0]?.order ?? 0;
}

/** The message with this content: the same object if that is what it holds already. */
function rebuild(message: AnthropicMessage, blocks: readonly AnthropicBlock[]): AnthropicMessage {
  const { content = [] } = message;
  if (typeof content === 'string') {
    const text = blocks.length === 1 && blocks[0]?.type === 'text' ? (field(blocks[0], 'text') as string) : undefined;
    return text === content ? message : { ...message, content: text ?? blocks };
  }
  const isSame = isSameList(content, blocks);
  return isSame ? message : { ...message, content: blocks };
}
