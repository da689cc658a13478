/**
 * Makes some messages of a conversation legal by themselves: before them a person has spoken.
 *
 * @module
 */
import type { Words } from '../words/wording.ts';
import type { DialectRules, SettleOptions } from './rules.ts';

/** How a part is read. */
export type SettlePartOptions = Pick<SettleOptions, 'before' | 'begun' | 'cut' | 'outcomeOf' | 'waits'> & {
  readonly words: Words;
  /** Whether somebody goes on with what the provider had begun. */
  readonly goesOn: boolean;
};

/** The messages as they can be sent. */
export function settlePart<M>(
  { settle, opening }: DialectRules<M>,
  messages: readonly M[],
  { goesOn, ...known }: SettlePartOptions,
): readonly M[] {
  const told = { isOver: !goesOn, reason: known.cut?.by, ids: 'normalise' } as const;
  return settle([opening, ...messages], { ...told, ...known }).messages.slice(1);
}
