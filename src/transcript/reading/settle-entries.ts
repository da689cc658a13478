/**
 * Settles messages that stand one beside the other: they get legal ids, the dialect writes them, and whoever knows what
 * became of a call is asked by the call as the caller has it.
 * In one place for all dialects: each says only how its calls are read and how to write what is legal.
 *
 * @module
 */
import type { IdPolicy, TranscriptCall } from '../dialect.ts';
import type { Cut, DialectResult, DialectRules, SettleOptions } from '../dialects/rules.ts';
import type { ToolOutcome } from '../from-core.ts';

/** A message on its way. */
export interface Entry<M> {
  readonly message: M;
  /** How this reply was cut, if it was. */
  readonly cut: Cut | undefined;
}

/** The row of a call without a result, by the index of its message and by the call itself. */
export type RowOf = (site: { readonly at: number; readonly raw: object }) => ToolOutcome | undefined;

/** What is known while messages are written. */
export interface WriteOptions extends SettleOptions {
  readonly rowOf: RowOf;
}

/** Writes entries as a legal transcript. */
export type WriteEntries<M> = (entries: readonly Entry<M>[], options: WriteOptions) => readonly M[];

/** Gives messages the ids by which their calls and results go together; those that had them are the same objects. */
export type GiveIds<M> = (messages: readonly M[], policy: IdPolicy) => readonly M[];

/** What of a dialect settling needs. */
export interface EntryRules<M> {
  readonly giveIds: GiveIds<M>;
  readonly callsIn: DialectRules<M>['callsIn'];
  /** The calls of a message of the input, where the caller knows them in another shape. */
  readonly callsAt?: ((at: number) => readonly TranscriptCall[]) | undefined;
  readonly isReply: (message: M) => boolean;
  readonly write: WriteEntries<M>;
}

/** Settles messages whose calls may have any ids. */
export function settleEntries<M>(
  messages: readonly M[],
  options: SettleOptions,
  { giveIds, callsIn, callsAt = (at) => callsIn(messages.slice(at, at + 1)), isReply, write }: EntryRules<M>,
): DialectResult<M> {
  const named = giveIds(messages, options.ids);
  const cutAt = options.cut === undefined ? -1 : named.map(isReply).lastIndexOf(true);
  const entries = named.map((message, at) => ({ message, cut: at === cutAt ? options.cut : undefined }));
  const rowOf = rowsOf((at) => callsIn(named.slice(at, at + 1)), callsAt, options.outcomeOf);
  return { messages: write(entries, { ...options, rowOf }) };
}

/**
 * Finds rows.
 *
 * @param named The calls of a message with the ids that they got.
 * @param given The same calls as the caller has them: for one that had no id, that it got one says nothing.
 * @param outcomeOf Asked once for each call.
 */
export function rowsOf(
  named: (at: number) => readonly TranscriptCall[],
  given: (at: number) => readonly TranscriptCall[],
  outcomeOf: SettleOptions['outcomeOf'],
): RowOf {
  if (outcomeOf === undefined) return () => undefined;
  const calls = new Map<number, ReadonlyMap<object, TranscriptCall>>();
  const rows = new Map<object, ToolOutcome | undefined>();
  return ({ at, raw }) => {
    if (rows.has(raw)) return rows.get(raw);
    let own = calls.get(at);
    if (own === undefined) {
      const [after, before] = [named(at), given(at)];
      const asked = before.length === after.length ? before : after;
      own = new Map(after.map((call, i) => [call.raw, asked[i] as TranscriptCall]));
      calls.set(at, own);
    }
    const call = own.get(raw);
    const row = call && outcomeOf(call);
    rows.set(raw, row);
    return row;
  };
}
