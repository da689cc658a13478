/**
 * Reads a Gemini transcript into slots: what may stay in each turn, and which response belongs to which call.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import type { ToolOutcome } from '../../from-core.ts';
import { answeredCalls } from '../../reading/assign-rows.ts';
import { field, isRecord, textIn } from '../../reading/fields.ts';
import type { LinkedResult, Site } from '../../reading/links.ts';
import type { Entry } from '../../reading/partials.ts';
import { valueText } from '../../words/values.ts';
import type { Note } from '../rules.ts';
import { callOf, isEmptyPart, isModel, keyOf, nameOf, partsOf, responseOf, type GeminiContent } from './content.ts';

/** A part that stays, with its links if it is a call. */
export interface Part {
  readonly part: object;
  readonly site: Site<object> | undefined;
}

/** One turn on its way to a legal one. */
export interface Slot {
  /** Its place among the entries. */
  readonly at: number;
  readonly entry: Entry<GeminiContent>;
  /** Everything that stays in this turn; responses are not among it, they follow their calls. */
  parts: Part[];
  /** The responses that it held. */
  readonly responses: readonly object[];
  /** Notes a change of this turn; a reply that is added is one change, whatever had to be taken from it. */
  readonly note: Note;
}

/** A transcript taken apart. */
export interface ReadTranscript {
  readonly slots: readonly Slot[];
  /** Every call, in order. */
  readonly sites: readonly Site<object>[];
  /** Gives the responses without ids to those calls that they are of by these rows, not by their order alone. */
  readonly pairByRows: (rowOf: (site: Site<object>) => ToolOutcome | undefined) => void;
}

const silent: Note = () => undefined;

/**
 * Takes a transcript apart, front to back, once.
 *
 * @param note Takes places among the entries.
 */
export function readSlots(entries: readonly Entry<GeminiContent>[], note: Note): ReadTranscript {
  const links = createTurnLinks();
  /** Turns of the model that follow each other are one: where it begins. */
  let run = 0;
  const slots = entries.map((entry, at): Slot => {
    const before = entries[at - 1];
    if (before === undefined || !isModel(before.message) || !isModel(entry.message)) run = at;
    const slotNote = entry.added === undefined ? note : silent;
    const responses: object[] = [];
    const parts: Part[] = [];
    for (const part of partsOf(entry.message)) {
      const response = responseOf(part);
      const call = callOf(part);
      if (response !== undefined) {
        responses.push(part);
        if (!links.close(at, response, part)) {
          slotNote(
            at,
            'result-has-call',
            `removed a response whose call is not in the transcript: ${String(keyOf(response))}`,
          );
        }
      } else if (call !== undefined && !isModel(entry.message)) {
        slotNote(at, 'call-by-model', 'removed a call that the model did not make');
      } else if (call !== undefined && nameOf(call) === undefined) {
        slotNote(at, 'call-name', 'removed a call without a name');
      } else if (isEmptyPart(part)) {
        slotNote(at, 'part-not-empty', 'removed a part that holds nothing');
      } else {
        parts.push({ part, site: call === undefined ? undefined : links.open(run, at, call) });
      }
    }
    return { at, entry, parts, responses, note: slotNote };
  });
  return { slots, sites: links.sites, pairByRows };

  function pairByRows(rowOf: (site: Site<object>) => ToolOutcome | undefined): void {
    for (const calls of links.bare) {
      const results = calls.flatMap((site) => site.results);
      const isUndecided = results.length > 0 && results.length < calls.length && calls.some(rowOf);
      if (!isUndecided || calls.some((site) => site.results.length > 1)) continue;
      const answered = answeredCalls(calls, results, rowOf, ({ result }, value) => isResponse(result, value));
      for (const { results: own } of calls) own.length = 0;
      answered.forEach((site, i) => site.results.push(results[i] as LinkedResult<object>));
    }
  }
}

/** Whether a response says this value, in one of the forms that programs give it. */
function isResponse(part: object, value: unknown): boolean {
  const response = field(responseOf(part) ?? {}, 'response');
  const said = isRecord(response) ? [response, field(response, 'output'), field(response, 'result')] : [response];
  const text = valueText(value);
  return said.some((one) => one !== undefined && valueText(one) === text);
}

/** Links responses to calls by id, and where either side has none by name: in the order of the calls of one turn. */
function createTurnLinks() {
  const sites: Site<object>[] = [];
  /** The calls of one name in one turn that have no ids. */
  const bare: Site<object>[][] = [];
  const latest = new Map<string, { readonly run: number; readonly calls: Site<object>[]; next: number }>();
  let order = 0;
  return {
    sites,
    bare,
    open(run: number, at: number, call: object): Site<object> {
      const name = nameOf(call) as string;
      const site: Site<object> = { id: keyOf(call) as string, name, at, input: field(call, 'args'), results: [] };
      sites.push(site);
      for (const key of new Set([`id ${site.id}`, `name ${name}`])) {
        const same = latest.get(key);
        if (same?.run === run) same.calls.push(site);
        else {
          const calls = [site];
          latest.set(key, { run, calls, next: 0 });
          if (key === `id ${name}`) bare.push(calls);
        }
      }
      return site;
    },
    close(at: number, response: object, part: object): boolean {
      const id = textIn(field(response, 'id'));
      const name = nameOf(response);
      // What has an id is of no call that has another; the id of a call without one is its name.
      const same =
        id === undefined
          ? latest.get(`name ${String(name)}`)
          : (latest.get(`id ${id}`) ?? latest.get(`id ${String(name)}`));
      while (same?.calls[same.next] !== undefined && same.calls[same.next]?.results.length !== 0) same.next += 1;
      const site = same?.calls[same.next] ?? same?.calls.at(-1);
      site?.results.push({ result: part, at, order });
      order += 1;
      return site !== undefined;
    },
  };
}
