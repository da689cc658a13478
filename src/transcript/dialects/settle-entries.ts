/**
 * Settles a transcript together with the cut replies of its turn: once by itself, to see which of them it holds, and then
 * with those that it does not.
 * In one place for all dialects: each says only how to read a reply and how to write what is legal.
 *
 * @module
 */
import { bareEntries, withPartials, type Entry, type ReplyReader, type Settled } from '../partials.ts';
import type { DialectResult, TurnRecord } from './dialect.ts';

/**
 * Writes entries as a legal transcript. Which replies were cut decides what their calls are answered, not which of them
 * stay: else a reply could not be found again where it was found before.
 */
export type WriteEntries<M> = (entries: readonly Entry<M>[], turn: TurnRecord) => readonly Settled<M>[];

/** Settles messages and lays the cut replies beside them that are missing. */
export function settleEntries<M>(
  messages: readonly M[],
  turn: TurnRecord,
  reader: ReplyReader<M>,
  write: WriteEntries<M>,
): DialectResult<M> {
  const bare = bareEntries(messages);
  const { partials } = turn;
  const alone = (): readonly Settled<M>[] => write(bare, { ...turn, partials: [], note: () => undefined });
  const entries = partials.length === 0 ? bare : withPartials(messages, alone(), partials, reader);
  return { messages: write(entries, turn).map(({ message }) => message) };
}
