/** Repairs with the rows of a ledger that somebody looks up by the ids of calls. */
import type { ToolOutcome } from '../../../src/index.ts';
import { heldByServer, repair, type RepairedTranscript, type RepairOptions } from '../../../src/transcript/index.ts';

/** The options of `repair`, and rows in the place of a function that finds them. */
export interface RepairWithOptions<M, A = never> extends Omit<RepairOptions<M, A>, 'held'> {
  readonly held?: Parameters<typeof heldByServer>[0] | undefined;
  readonly outcomes?: readonly ToolOutcome[] | undefined;
}

/** Of rows that share an id the last one is that of a call; one for a call without an id goes by its tool. */
export function repairWith<B, A, const M extends B>(
  messages: readonly M[],
  { outcomes = [], held, ...options }: RepairWithOptions<B, A>,
): RepairedTranscript<M | A> {
  const rows = new Map(outcomes.map((row) => [row.id, row]));
  return repair<B, A, M>(messages, {
    outcomeOf: ({ id, name }) => rows.get(id) ?? rows.get(name),
    held: held && heldByServer(held),
    ...options,
  });
}
