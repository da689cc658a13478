/**
 * Ids and names as providers take them: what a server made up need not be what the next one accepts.
 *
 * @module
 */

/** What a provider takes for an id or for the name of a tool. */
export interface IdRule {
  readonly pattern: RegExp;
  readonly longest: number;
}

/** Ids that every provider takes. */
export const anyId: IdRule = { pattern: /^[a-zA-Z0-9_-]+$/, longest: 40 };

/**
 * An id as a rule wants it: the same one if it is so already, else one that is derived from it and that every provider
 * takes.
 */
export function legalId(id: string, { pattern, longest }: IdRule): string {
  if (id.length <= longest && pattern.test(id)) return id;
  return shortened(id);
}

/** An id that every provider takes, also with the mark of a copy behind it. */
function shortened(id: string): string {
  const plain = id.replace(/[^a-zA-Z0-9_-]/g, '_');
  // Two ids that differ only in what was replaced, or in what was cut off, stay two.
  return `${plain.slice(0, anyId.longest - 20)}_${hash(id)}`;
}

/**
 * Makes ids for the second and every further call of one id, each derived from it, the same on every run, so prompt
 * caches survive.
 *
 * @param taken The ids that are another call's; whoever uses a copy adds it.
 * @param longest How long an id may be; without it, as long as it gets.
 */
export function copier(taken: { has(id: string): boolean }, longest: number = Infinity): (id: string) => string {
  const counts = new Map<string, number>();
  return (id) => {
    let n = counts.get(id) ?? 1;
    let copy: string;
    do {
      n += 1;
      const mark = `_copy${String(n)}`;
      copy = (id.length + mark.length > longest ? shortened(id) : id) + mark;
    } while (taken.has(copy));
    counts.set(id, n);
    return copy;
  };
}

/** The name of a tool as every provider takes it. */
export function legalName(name: string): string {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name) ? name : name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
}

/** The id that a call without one gets: by its place among the calls of its reply. */
export function placeId(place: number): string {
  return `call_${String(place + 1)}`;
}

/** Eight characters that depend on all of a text (FNV-1a). */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}
