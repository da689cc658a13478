/**
 * Ids that calls have for themselves, for frameworks that ask no conversation: marked as a conversation marks a copy.
 *
 * @module
 */

/** Gives a call its id: the given one, or if another call has that, one that is made of it. */
export type OwnIds = (given: string, suffix?: string) => string;

/**
 * Starts with the ids that are known. Each copy counts on from the one before it, so any number of calls may share an id.
 *
 * @param taken The ids of the calls that are there; those that are given are added.
 */
export function ownIds(taken: Set<unknown>): OwnIds {
  const counts = new Map<string, number>();
  return (given, suffix = '') => {
    const key = given + suffix;
    let id = key;
    let n = counts.get(key) ?? 1;
    while (taken.has(id)) id = `${given}_copy${String(++n)}${suffix}`;
    counts.set(key, n);
    taken.add(id);
    return id;
  };
}
