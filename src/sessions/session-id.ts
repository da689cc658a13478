/**
 * What names a session, over all processes, and the groups that it belongs to.
 *
 * @module
 */
import { quoted, wrongType } from '../core/foundation/check.ts';

/** The longest name of a group, in UTF-16 units: engines keep it beside the id of each of its sessions. */
export const LONGEST_GROUP = 128;
/** How many groups a session belongs to at most: its record names them. */
const MOST_GROUPS = 8;

/** What nobody sees, or what moves what stands beside it: of two ids that look alike, one is not the one that is meant. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|^\s|\s$/u;
/** What climbs out of its folder, where somebody makes a path of an id: an empty part, or one of dots. */
const CLIMBING = /\\|(?:^|\/)\.{0,2}(?:\/|$)/u;

/** Refuses what is no id. */
export function requireId(id: unknown): void {
  if (typeof id !== 'string' || id === '') throw wrongType('id', 'a string that is not empty', id);
  // Engines keep UTF-8, in which all of these are the same.
  if (/\p{Surrogate}/u.test(id)) throw wrongType('id', 'a string without half a surrogate pair', id);
}

/** Whether an id that somebody sends from outside is what it looks like, and leads nowhere else. */
export function isClear(id: string): boolean {
  return !UNSEEN.test(id) && !CLIMBING.test(id);
}

/** Refuses what names no group. */
export function requireGroup(group: unknown): string {
  if (typeof group !== 'string' || group === '') throw wrongType('group', "a string such as 'tenant:acme'", group);
  if (group.length > LONGEST_GROUP)
    throw new RangeError(`group must be at most ${String(LONGEST_GROUP)} characters long, got ${quoted(group)}`);
  if (!isClear(group))
    throw new TypeError(`group must hold nothing invisible, and no part of a path that climbs, got ${quoted(group)}`);
  return group;
}

/** The groups of a session, each once. */
export function requireGroups(groups: unknown): readonly string[] {
  if (groups === undefined) return [];
  if (!Array.isArray(groups)) throw wrongType('groups', "a list such as ['tenant:acme']", groups);
  const named = [...new Set(groups.map(requireGroup))];
  if (named.length > MOST_GROUPS)
    throw new RangeError(`groups must be at most ${String(MOST_GROUPS)}, got ${String(named.length)}`);
  return named;
}
