/**
 * What a conversation says, in nobody's format, read from each provider's messages and written in another's: how a program
 * goes over to another model. Written by hand: it shares nothing with the dialects.
 *
 * @module
 */
import { ways } from './ways-of-telling.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A call, with the mark in its arguments. */
export interface ToldCall {
  readonly id: string;
  readonly name: string;
  readonly mark: string;
}

/** One thing that was said. */
export type Told =
  | { readonly who: 'user'; readonly text: string }
  | { readonly who: 'model'; readonly words: string; readonly calls: readonly ToldCall[] }
  | {
      readonly who: 'tools';
      readonly results: readonly { readonly id: string; readonly name: string; readonly text: string }[];
    };

/** One provider's way. */
export interface Telling {
  readonly read: (messages: readonly Fields[]) => readonly Told[];
  readonly write: (told: readonly Told[]) => Fields[];
}

/** Results know their tool by their call, and those of one reply stand together. */
function whole(told: readonly Told[]): readonly Told[] {
  const names = new Map(
    told.flatMap((one) => (one.who === 'model' ? one.calls.map(({ id, name }) => [id, name]) : [])),
  );
  const out: Told[] = [];
  for (const one of told) {
    const last = out.at(-1);
    if (one.who === 'tools') {
      const results = one.results.map((result) => ({ ...result, name: names.get(result.id) ?? result.name }));
      if (last?.who === 'tools') out[out.length - 1] = { ...last, results: [...last.results, ...results] };
      else out.push({ who: 'tools', results });
    } else if (one.who === 'model' && last?.who === 'model') {
      const words = [last.words, one.words].filter((text) => text !== '').join('\n');
      out[out.length - 1] = { who: 'model', words, calls: [...last.calls, ...one.calls] };
    } else out.push(one);
  }
  return out;
}

/** How a provider's messages are read and written. */
export function tellingOf(name: string): Telling {
  const way = ways[name];
  if (way === undefined) throw new RangeError(`nobody reads ${name}`);
  return { read: (messages) => whole(way.read(messages)), write: way.write };
}

/** What any provider behind a framework would refuse: calls and results that do not go together, and empty words. */
export function refuseTold(told: readonly Told[]): string | undefined {
  const ids = new Set<string>();
  let open: string[] = [];
  for (const one of told) {
    if (one.who === 'tools') {
      for (const { id } of one.results) {
        if (!open.includes(id)) return `a result that no call before it waits for: ${id}`;
        open = open.filter((other) => other !== id);
      }
      continue;
    }
    if (open.length > 0) return `no result directly behind its call: ${open.join()}`;
    if (one.who === 'user') continue;
    if (one.words.trim() === '' && one.calls.length === 0) return 'a reply that says nothing';
    open = one.calls.map(({ id }) => id);
    for (const id of open) {
      if (id === '' || ids.has(id)) return `an id that two calls have: ${id}`;
      ids.add(id);
    }
  }
  return open.length > 0 ? `no result at the end: ${open.join()}` : undefined;
}
