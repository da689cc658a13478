/**
 * What writes a conversation as the messages of one dialect, and what all writers share. None of them reads anything of
 * the repairs, so that no mistake of these can hide in a writer.
 *
 * @module
 */
import type { ConversationCall, ConversationReply, ConversationResult, ConversationRound } from '../conversation.ts';

/** How one dialect writes. */
export interface Writer {
  readonly prompt: (text: string) => object;
  /** A reply as a message, or as items; the results that came, for a dialect whose calls hold their own. */
  readonly reply: (reply: ConversationReply, results: readonly ConversationResult[]) => readonly object[];
  readonly results: (results: readonly ConversationResult[]) => readonly object[];
}

/** The messages of one round. */
export function writeRound({ prompt, reply, results }: Writer, round: ConversationRound): readonly object[] {
  return [
    prompt(round.prompt),
    ...round.replies.flatMap((one) => reply(one, round.results)),
    ...results(round.results),
  ];
}

/** A field with an id, where there is one. */
export const given = (id: string | undefined, name: string): object => (id === undefined ? {} : { [name]: id });

/** The arguments of a call. */
export const argumentsOf = ({ mark }: ConversationCall): object => ({ of: `call<${mark}>` });

/** The arguments of a call as JSON, as far as they came. */
export function textOf(call: ConversationCall): string {
  return call.isHalf ? `{"of":"call<${call.mark}` : JSON.stringify(argumentsOf(call));
}

/** The arguments of a call where they are an object: of a cut one, the text that came. */
export const inputOf = (call: ConversationCall): unknown => (call.isHalf ? textOf(call) : argumentsOf(call));

/** What a tool gave. */
export const outputOf = ({ mark }: ConversationResult): string => `result<${mark}>`;

/** What the user says, in most dialects. */
export const userSays = (content: string): object => ({ role: 'user', content });

/** Each result as a message, or an item, of its own. */
export function each(write: (result: ConversationResult) => object): Writer['results'] {
  return (results) => results.map(write);
}
