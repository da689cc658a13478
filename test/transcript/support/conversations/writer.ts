/**
 * What a writer of a dialect is, and what all of them write with. Nothing here is of the repairs.
 *
 * @module
 */
import type { AnyDialect } from '../arbitraries.ts';
import type { Reply, Result, Round, Sight } from './conversation.ts';

/** A message of any dialect. */
export type Json = Readonly<Record<string, unknown>>;

/** How one dialect writes. */
export interface Writer {
  readonly name: string;
  readonly dialect: AnyDialect<object>;
  readonly round: (round: Round) => readonly object[];
  /** A reply: a message, or items. */
  readonly message: (reply: Reply) => object | readonly object[];
  readonly see: (messages: readonly Json[]) => readonly Sight[];
}

/** A field with an id, where there is one. */
export const given = (id: string | undefined, name: string): object => (id === undefined ? {} : { [name]: id });
/** The arguments of a call. */
export const argsOf = (mark: string): object => ({ of: `call<${mark}>` });
/** The same, cut. */
export const half = (mark: string): string => `{"of":"call<${mark}`;
/** The arguments of a call as JSON, cut if they were. */
export const json = (call: { mark: string; isHalf: boolean }): string =>
  call.isHalf ? half(call.mark) : JSON.stringify(argsOf(call.mark));
/** The objects of a list; none of what is no list. */
export const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
/** What the user says, where the dialect says nothing else. */
export const ask = (content: string): object => ({ role: 'user', content });

/** How one dialect writes what its model and its tools say. */
export type Speak = Pick<Writer, 'name' | 'dialect' | 'message' | 'see'> & {
  readonly ask?: (text: string) => object;
  readonly results: (results: readonly Result[]) => readonly object[];
};

/** A writer of a dialect in which prompts, replies and results are messages of their own. */
export function writer({ results, ask: prompt = ask, ...more }: Speak): Writer {
  return {
    ...more,
    round: (round) => [
      prompt(round.prompt),
      ...round.replies.flatMap((reply) => more.message(reply)),
      ...results(round.results),
    ],
  };
}
