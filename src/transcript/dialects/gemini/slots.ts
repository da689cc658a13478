/**
 * Reads a Gemini transcript into slots: what may stay in each turn, and which response belongs to which call.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import { field, textIn } from '../../reading/fields.ts';
import type { Site } from '../../reading/links.ts';
import type { Entry } from '../../reading/settle-entries.ts';
import type { SettleOptions } from '../rules.ts';
import { stepOf } from './hosted.ts';
import { callOf, isEmptyPart, isModel, keyOf, nameOf, partsOf, responseOf, type GeminiContent } from './content.ts';

/** A part that stays, with its links if it is a call. */
export interface Part {
  readonly part: object;
  readonly site: Site<object> | undefined;
}

/** One turn on its way to a legal one. */
export interface Slot {
  /** The index of its message. */
  readonly at: number;
  readonly entry: Entry<GeminiContent>;
  /** Everything that stays in this turn; responses are not among it, they follow their calls. */
  parts: Part[];
  /** The responses that it held. */
  readonly responses: readonly object[];
}

/** Takes a transcript apart, front to back, once; `begun` is what the API ran before it. */
export function readSlots(entries: readonly Entry<GeminiContent>[], begun?: SettleOptions['begun']): readonly Slot[] {
  const links = createTurnLinks();
  /** What the API runs that has no result yet. */
  const running = new Set<unknown>();
  /** Turns of the model that follow each other are one: where it begins. */
  let run = 0;
  return entries.map((entry, at): Slot => {
    const before = entries[at - 1];
    if (before === undefined || !isModel(before.message) || !isModel(entry.message)) run = at;
    const responses: object[] = [];
    const parts: Part[] = [];
    for (const part of partsOf(entry.message)) {
      const [step] = stepOf(part);
      if (step?.kind === 'begun') running.add(step.id);
      if (step?.kind === 'ended' && !running.delete(step.id) && begun?.has(step.id) !== true) continue;
      const response = responseOf(part);
      const call = callOf(part);
      if (response !== undefined) {
        responses.push(part);
        links.close(at, response, part);
      } else if (call === undefined ? !isEmptyPart(part) : isModel(entry.message) && nameOf(call) !== undefined) {
        parts.push({ part, site: call === undefined ? undefined : links.open(run, at, call) });
      }
    }
    return { at, entry, parts, responses };
  });
}

/** Links responses to calls by id, and where either side has none by name: in the order of the calls of one turn. */
function createTurnLinks() {
  const latest = new Map<string, { readonly run: number; readonly calls: Site<object>[]; next: number }>();
  let order = 0;
  return {
    open(run: number, at: number, call: object): Site<object> {
      const name = nameOf(call) as string;
      const site: Site<object> = { id: keyOf(call) as string, name, at, raw: call, results: [] };
      for (const key of [`id ${site.id}`, `name ${name}`]) {
        const same = latest.get(key);
        if (same?.run === run) same.calls.push(site);
        else latest.set(key, { run, calls: [site], next: 0 });
      }
      return site;
    },
    close(at: number, response: object, part: object): void {
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
    },
  };
}
