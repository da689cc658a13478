/**
 * Where a turn begins, what its user said, and how the model's side says something.
 *
 * @module
 */
import { field } from './fields.ts';
import type { ReplyReader } from './partials.ts';

/** A message that answers calls and is a prompt as well, as two messages. */
export interface SplitPrompt<M> {
  /** The answers alone; they belong to the turn before. */
  readonly answers: M;
  /** What the user said. */
  readonly prompt: M;
}

/** How one dialect shows a turn. */
export interface TurnReader<M> {
  /** Whether the user wrote this message, or a part of it. */
  readonly isPrompt: (message: M) => boolean;
  /** Whether the model wrote it. */
  readonly isReply: (message: M) => boolean;
  /** A text as the model's own message, to stand behind the last one there is. */
  readonly say: (text: string, last?: M) => M | undefined;
  /** Takes a prompt out of a message that also answers calls; `undefined` for every other message. */
  readonly split: (message: M) => SplitPrompt<M> | undefined;
}

const instructions = new Set<unknown>(['system', 'developer']);

/** What a dialect knows of turns already, because it can read a reply. Instructions begin no turn. */
export function turnsOf<M extends object>(
  reader: ReplyReader<M>,
  split: TurnReader<M>['split'] = () => undefined,
): TurnReader<M> {
  return {
    isPrompt: (message) => reader.isPrompt(message) && !instructions.has(field(message, 'role')),
    isReply: (message) => reader.parts(message) !== undefined,
    say: (text) => reader.fromPartial(text),
    split,
  };
}

/** A transcript without its last turn. */
export interface WithoutTurn<M> {
  readonly messages: readonly M[];
  /** What the user had said in that turn, in order: the prompt, then what was said while it ran. */
  readonly prompts: readonly M[];
}

/**
 * Takes the turn that begins at `start` out of a transcript.
 *
 * @param start The index of its prompt; by default the last prompt there is, and without any nothing is taken.
 */
export function withoutTurn<M>(
  messages: readonly M[],
  start: number | undefined,
  reader: TurnReader<M>,
): WithoutTurn<M> {
  let from = start ?? messages.length - 1;
  if (start === undefined) while (from >= 0 && !reader.isPrompt(messages[from] as M)) from -= 1;
  if (from < 0) return { messages, prompts: [] };
  const turn = messages.slice(from);
  const split = turn[0] === undefined ? undefined : reader.split(turn[0]);
  return {
    messages: [...messages.slice(0, from), ...(split === undefined ? [] : [split.answers])],
    prompts: turn.filter(reader.isPrompt).map((message) => reader.split(message)?.prompt ?? message),
  };
}
