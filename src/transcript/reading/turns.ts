/**
 * Where a turn begins, what its user said, and how the model's side says something.
 *
 * @module
 */
import { field } from './fields.ts';
import type { ReplyReader } from './partials.ts';

/** How one dialect shows a turn. */
export interface TurnReader<M> {
  /** Whether the user wrote this message, or a part of it. */
  readonly isPrompt: (message: M) => boolean;
  /** Whether the model wrote it. */
  readonly isReply: (message: M) => boolean;
  /** A text as the model's own message, to stand behind the last one there is. */
  readonly say: (text: string, last?: M) => M | undefined;
}

const instructions = new Set<unknown>(['system', 'developer']);

/** What a dialect knows of turns already, because it can read a reply. Instructions begin no turn. */
export function turnsOf<M extends object>(reader: ReplyReader<M>): TurnReader<M> {
  return {
    isPrompt: (message) => reader.isPrompt(message) && !instructions.has(field(message, 'role')),
    isReply: (message) => reader.parts(message) !== undefined,
    say: (text) => reader.fromPartial(text),
  };
}
