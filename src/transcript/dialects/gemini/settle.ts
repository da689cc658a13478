/**
 * Makes a Gemini transcript legal: after the calls of a turn, their responses in one turn of the user that holds nothing
 * else, as many and in their order. Other turns of one side may follow each other.
 * One pass to read, one to write; turns that were legal come out as the same objects.
 *
 * @module
 */
import { answerCall } from '../../words/answers.ts';
import { field, isSameList, without } from '../../reading/fields.ts';
import type { DialectResult, SettleOptions } from '../rules.ts';
import { addAll } from '../../reading/join-messages.ts';
import { settleEntries, type Entry, type WriteOptions } from '../../reading/settle-entries.ts';
import { callOf, isModel, joins, partsOf, wholeArguments, withoutThoughts } from './content.ts';
import type { GeminiContent } from './content.ts';
import { geminiHosted } from './hosted.ts';
import { withNames } from './ids.ts';
import { resultFromAnswer, resultFromTranscript } from './results.ts';
import { readSlots, type Part, type Slot } from './slots.ts';
import { callsInGemini } from './speech.ts';

/** Makes a transcript of the Gemini API legal. */
export function settleGemini(contents: readonly GeminiContent[], options: SettleOptions): DialectResult<GeminiContent> {
  const said = geminiHosted.settle(contents, options.isOver || options.cut !== undefined);
  return settleEntries(said, options, { giveIds: withNames, callsIn: callsInGemini, isReply: isModel, write });
}

function write(given: readonly Entry<GeminiContent>[], options: WriteOptions): readonly GeminiContent[] {
  const { rowOf } = options;
  const entries = given.map((entry) =>
    entry.cut === undefined ? entry : { ...entry, message: withoutThoughts(entry.message) },
  );
  const slots = readSlots(entries, options.begun);
  for (const slot of slots) {
    slot.parts = slot.parts.flatMap(repairCall);
    signFirstCall(slot);
  }

  const out: GeminiContent[] = [];
  /** The turn whose calls are to be answered by what comes next. */
  let open: Slot | undefined;
  for (const slot of slots) {
    if (isModel(slot.entry.message)) sayModel(slot);
    else sayUser(slot);
  }
  answerAlone();
  return out;

  function answerAlone(): void {
    const parts = open === undefined ? [] : answers(open);
    if (parts.length > 0) out.push({ role: 'user', parts });
    open = undefined;
  }

  function sayModel(slot: Slot): void {
    answerAlone();
    const parts = [...slot.parts.map(({ part }) => part), ...mark(slot)];
    if (parts.length === 0) return;
    addAll({ joins }, out, [rebuild(slot.entry.message, parts)]);
    if (slot.parts.some(isCallPart)) open = slot;
  }

  function sayUser(slot: Slot): void {
    const own = slot.parts.map(({ part }) => part);
    const results = open === undefined ? [] : answers(open);
    open = undefined;
    if (results.length > 0) {
      out.push(slot.responses.length > 0 ? rebuild(slot.entry.message, results) : { role: 'user', parts: results });
    }
    if (own.length === 0) return;
    const said = rebuild(slot.entry.message, own);
    out.push(said.role === 'function' ? { ...said, role: 'user' } : said);
  }

  /** The call with whole arguments, or nothing if it was cut before it could have run. */
  function repairCall(own: Part): Part[] {
    const { part, site } = own;
    const call = callOf(part);
    if (site === undefined || call === undefined) return [own];
    const args = wholeArguments(call);
    if (args !== undefined) {
      const given = field(call, 'args') ?? undefined;
      if (given === undefined || given === args) return [own];
      return [{ part: { ...part, functionCall: { ...call, args } }, site }];
    }
    if (site.results.length === 0 && rowOf(site) === undefined) return [];
    const whole = without(call, 'willContinue', 'partialArgs');
    return [{ part: { ...part, functionCall: { ...whole, args: {} } }, site }];
  }

  /** Says at the end of a reply that was cut that it was, unless the responses to its calls say so. */
  function mark({ entry: { cut }, parts }: Slot): readonly object[] {
    if (cut === undefined || cut.isWhole || parts.length === 0 || parts.some(isCallPart)) return [];
    return [{ text: `\n\n${options.words(cut.by.kind, 'cut')}` }];
  }

  /** One response per call of a turn, in the order of the calls. */
  function answers(slot: Slot): readonly object[] {
    return slot.parts.filter(isCallPart).flatMap(({ part, site }) => {
      const call = callOf(part) as object;
      const { name, results } = site;
      if (results.length > 0) return resultFromTranscript(call, results);
      if (options.waits === 'all') return [];
      return resultFromAnswer(call, answerCall({ name, row: rowOf(site), cutBy: slot.entry.cut?.by }, options));
    });
  }
}

function isCallPart(part: Part): part is Part & { readonly site: NonNullable<Part['site']> } {
  return part.site !== undefined;
}

/** The first call of a turn carries the signature; where it went with a call before it, or never was, it moves there. */
function signFirstCall(slot: Slot): void {
  const place = slot.parts.findIndex(isCallPart);
  const first = slot.parts[place];
  if (first === undefined || field(first.part, 'thoughtSignature') !== undefined) return;
  const given = partsOf(slot.entry.message).find(
    (part) => callOf(part) !== undefined && field(part, 'thoughtSignature') !== undefined,
  );
  if (given === undefined) return;
  const thoughtSignature = field(given, 'thoughtSignature');
  slot.parts = slot.parts.map((one, i) => {
    if (i === place) return { ...one, part: { ...one.part, thoughtSignature } };
    return one.part === given ? { ...one, part: without(given, 'thoughtSignature') } : one;
  });
}

/** The turn with these parts: the same object if that is what it holds already. */
function rebuild(content: GeminiContent, parts: readonly object[]): GeminiContent {
  const before = content.parts ?? [];
  const isSame = isSameList(before, parts);
  return isSame ? content : { ...content, parts };
}
