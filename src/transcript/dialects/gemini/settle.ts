/**
 * Makes a Gemini transcript legal: after the calls of a turn, their responses in one turn of the user that holds nothing
 * else, as many and in their order. Other turns of one side may follow each other.
 * One pass to read, one to write; turns that were legal come out as the same objects.
 *
 * @module
 */
import { answerCall } from '../../words/answers.ts';
import { field, isSameList } from '../../reading/fields.ts';
import type { DialectResult, Note, SettleOptions } from '../rules.ts';
import { settleEntries, type Entry, type Settled, type WriteOptions } from '../../reading/settle-entries.ts';
import { callOf, isModel, partsOf, wholeArguments, withoutThoughts } from './content.ts';
import type { GeminiContent } from './content.ts';
import { separator } from './join-replies.ts';
import { withNames } from './ids.ts';
import { resultFromAnswer, resultFromTranscript } from './results.ts';
import { readSlots, type Part, type Slot } from './slots.ts';
import { callsInGemini } from './speech.ts';

/** What stands before a call that would begin the conversation: the API takes calls only after the user. */
const OPENING = '[The beginning of this conversation is not shown.]';

/** Makes a transcript of the Gemini API legal. */
export function settleGemini(contents: readonly GeminiContent[], options: SettleOptions): DialectResult<GeminiContent> {
  return settleEntries(contents, options, { giveIds: withNames, callsIn: callsInGemini, isReply: isModel, write });
}

function write(given: readonly Entry<GeminiContent>[], options: WriteOptions): readonly Settled<GeminiContent>[] {
  const { note, rowOf } = options;
  const entries = given.map((entry) =>
    entry.cut === undefined ? entry : { ...entry, message: withoutThoughts(entry.message) },
  );
  const slots = readSlots(entries, note);
  for (const slot of slots) {
    slot.parts = slot.parts.flatMap((part) => repairCall(slot, part));
    signFirstCall(slot, note);
  }

  const out: Settled<GeminiContent>[] = [];
  /** The turn whose calls are to be answered by what comes next. */
  let open: Slot | undefined;
  for (const slot of slots) {
    if (isModel(slot.entry.message)) sayModel(slot);
    else sayUser(slot);
  }
  if (open !== undefined) answerAlone(open);
  return out;

  function answerAlone(slot: Slot): void {
    out.push({ message: { role: 'user', parts: answers(slot, undefined) }, from: slot.at });
  }

  function sayModel(slot: Slot): void {
    if (open !== undefined) answerAlone(open);
    open = undefined;
    const parts = [...slot.parts.map(({ part }) => part), ...mark(slot)];
    if (parts.length === 0) {
      note(slot.at, 'message-not-empty', 'removed a turn that holds nothing');
      return;
    }
    const hasCalls = slot.parts.some(isCallPart);
    if (hasCalls && out.every(({ message }) => isModel(message))) {
      note(slot.at, 'call-after-user', 'put a turn of the user before the call that began the conversation');
      out.unshift({ message: { role: 'user', parts: [{ text: OPENING }] }, from: 0 });
    }
    const { message, from } = hasCalls
      ? join(slot, parts)
      : { message: rebuild(slot.entry.message, parts), from: slot.at };
    out.push({ message, from });
    if (hasCalls) open = slot;
  }

  /** A turn with calls takes in the turns of the model before it: the API wants one of the user before calls. */
  function join(slot: Slot, parts: readonly object[]): Settled<GeminiContent> {
    let first = out.length;
    while (first > 0 && isModel((out[first - 1] as Settled<GeminiContent>).message)) first -= 1;
    const before = out.splice(first);
    const [head] = before;
    if (head === undefined) return { message: rebuild(slot.entry.message, parts), from: slot.at };
    note(slot.at, 'call-after-user', 'put a turn with calls together with what the model said before it');
    const said = before.flatMap(({ message }) => partsOf(message));
    return { message: { ...head.message, parts: [...said, ...separator(parts), ...parts] }, from: head.from };
  }

  function sayUser(slot: Slot): void {
    const own = slot.parts.map(({ part }) => part);
    const results = open === undefined ? [] : answers(open, slot);
    open = undefined;
    if (results.length + own.length === 0) {
      if (slot.responses.length === 0) note(slot.at, 'message-not-empty', 'removed a turn that holds nothing');
      return;
    }
    if (results.length > 0) {
      const isHere = slot.responses.length > 0;
      if (isHere && own.length > 0) note(slot.at, 'results-alone', 'gave what is no response a turn of its own');
      out.push({
        message: isHere ? rebuild(slot.entry.message, results) : { role: 'user', parts: results },
        from: slot.at,
      });
    }
    if (own.length === 0) return;
    const said = rebuild(slot.entry.message, own);
    if (said.role === 'function')
      note(slot.at, 'function-role', 'gave a turn that holds more than responses to the user');
    out.push({ message: said.role === 'function' ? { ...said, role: 'user' } : said, from: slot.at });
  }

  /** The call with whole arguments, or nothing if it was cut before it could have run. */
  function repairCall(slot: Slot, { part, site }: Part): Part[] {
    const call = callOf(part);
    if (site === undefined || call === undefined) return [{ part, site }];
    const args = wholeArguments(call);
    if (args !== undefined) {
      const given = field(call, 'args') ?? undefined;
      if (given === undefined || given === args) return [{ part, site }];
      note(slot.at, 'call-arguments', `made the arguments of ${site.name} (${site.id}) an object`);
      return [{ part: { ...part, functionCall: { ...call, args } }, site }];
    }
    if (site.results.length === 0 && rowOf(site) === undefined) {
      note(slot.at, 'call-arguments', `removed the call ${site.name} (${site.id}): its arguments were cut off`);
      return [];
    }
    note(slot.at, 'call-arguments', `emptied the arguments of ${site.name} (${site.id}): they were cut off`);
    const { willContinue: _more, partialArgs: _pieces, ...whole } = call as Readonly<Record<string, unknown>>;
    return [{ part: { ...part, functionCall: { ...whole, args: {} } }, site }];
  }

  /** Says at the end of a reply that was cut that it was, unless the responses to its calls say so. */
  function mark({ entry: { cut }, parts }: Slot): readonly object[] {
    if (cut === undefined || cut.isWhole || parts.length === 0 || parts.some(isCallPart)) return [];
    return [{ text: `\n\n${options.words(cut.by.kind, 'cut')}` }];
  }

  /** One response per call of a turn, in the order of the calls; `next` is the turn that they go into, if there is one. */
  function answers(slot: Slot, next: Slot | undefined): readonly object[] {
    const calls = slot.parts.filter(isCallPart);
    let last = -1;
    return calls.map(({ part, site }) => {
      const call = callOf(part) as object;
      const { name, id, results } = site;
      if (results.length > 0) {
        if (results.some((one) => one.at !== next?.at)) {
          note(slot.at, 'result-in-place', `moved the response of ${name} (${id}) directly after its call`);
        } else if ((results[0]?.order ?? 0) < last) {
          note(slot.at, 'result-order', `put the response of ${name} (${id}) into the order of the calls`);
        }
        last = Math.max(last, results[0]?.order ?? 0);
        return resultFromTranscript(call, results, note);
      }
      const answer = answerCall({ name, row: rowOf(site), cutBy: slot.entry.cut?.by }, options);
      note(slot.at, 'call-answered', `answered ${name} (${id}): ${answer.status}`);
      return resultFromAnswer(call, answer);
    });
  }
}

function isCallPart(part: Part): part is Part & { readonly site: NonNullable<Part['site']> } {
  return part.site !== undefined;
}

/** The first call of a turn carries the signature; where it went with a call before it, or never was, it moves there. */
function signFirstCall(slot: Slot, note: Note): void {
  const place = slot.parts.findIndex(isCallPart);
  const first = slot.parts[place];
  if (first === undefined || field(first.part, 'thoughtSignature') !== undefined) return;
  const given = partsOf(slot.entry.message).find(
    (part) => callOf(part) !== undefined && field(part, 'thoughtSignature') !== undefined,
  );
  if (given === undefined) return;
  note(slot.at, 'signature-first', 'moved the signature of the reasoning to the first call');
  const thoughtSignature = field(given, 'thoughtSignature');
  slot.parts = slot.parts.map((one, i) => {
    if (i === place) return { ...one, part: { ...one.part, thoughtSignature } };
    if (one.part !== given) return one;
    const { thoughtSignature: _moved, ...rest } = one.part as Readonly<Record<string, unknown>>;
    return { ...one, part: rest };
  });
}

/** The turn with these parts: the same object if that is what it holds already. */
function rebuild(content: GeminiContent, parts: readonly object[]): GeminiContent {
  const before = content.parts ?? [];
  const isSame = isSameList(before, parts);
  return isSame ? content : { ...content, parts };
}
