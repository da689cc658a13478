/**
 * What a reply comes to, taken once when it comes or is cut: messages that are legal by themselves, their calls with ids
 * that no call of the conversation has, and which of those may run.
 *
 * @module
 */
import type { ReplyEnd } from '../../core/foundation/reply-end.ts';
import type { TranscriptCall } from '../dialect.ts';
import { legalReply, type LegalReplyOptions } from '../dialects/legal-reply.ts';
import type { Cause, DialectRules, SaidCall } from '../dialects/rules.ts';
import { wellFormed } from '../words/well-formed.ts';

/** A reply, as the conversation keeps it. */
export interface TakenReply<M> {
  /** Without results; nothing if the reply said nothing. */
  readonly messages: readonly M[];
  /** All calls in `messages`: each object stands for its call from here on. */
  readonly calls: readonly SaidCall[];
  /** Those among them that may run. */
  readonly runnable: readonly TranscriptCall[];
  /** What cut it, if anything did. */
  readonly cutBy: Cause | undefined;
  /** Whether something of the provider's has to follow. */
  readonly isOpen: boolean;
  /** Whether a person is to answer before the model goes on. */
  readonly asks: boolean;
  /** How it ended, where that was inside a call. */
  readonly endedInside: ReplyEnd | undefined;
  /** What the model is told of it besides: of what stands in no message. */
  readonly notes: readonly string[];
}

/** How a reply is taken. */
export interface TakeOptions<M> extends LegalReplyOptions<M> {
  /** Gives a call the id that it goes by from here on. */
  readonly idOf: (given: string) => string;
}

/**
 * Takes a reply.
 *
 * @param value What a model call returned or had kept: a reply of the provider, or a fold.
 * @throws TypeError – it was not cut, and there is no reply in it.
 */
export function takeReply<M>(rules: DialectRules<M>, value: unknown, options: TakeOptions<M>): TakenReply<M> {
  const { messages: legal, calls: said, mayRun, ...rest } = legalReply(rules, value, options);
  // Instances of classes are not looked through as a value is.
  const messages = withNewIds(rules, legal, options.idOf).map((one) => rules.rewrite?.(one, wellFormed) ?? one);
  // A program knows its tools by the names that the model said, which a request may not be able to hold.
  const calls = rules.callsIn(messages).map((call, at): SaidCall => {
    const { name, input, isAsked } = said[at] ?? call;
    return name === call.name && input === call.input && isAsked === call.isAsked
      ? call
      : { ...call, name, input, isAsked };
  });
  const runnable = calls.filter((call, at) => mayRun(said[at] ?? call, at));
  const { cutBy, isOpen, asks, endedInside, notesBy } = rest;
  return { messages, calls, runnable, cutBy, isOpen, asks, endedInside, notes: notesBy(options.words) };
}

/** Whether anything of a reply has run already, also if the model says it all anew: at the provider, or before it was given. */
export function hasRun<M>({ callsIn, hosted }: DialectRules<M>, { messages, calls, notes }: TakenReply<M>): boolean {
  const made = messages.flatMap((one) => callsIn([one]));
  return notes.length > 0 || made.length > calls.length || hosted?.hasRun(messages) === true;
}

function withNewIds<M>(
  { named }: DialectRules<M>,
  messages: readonly M[],
  idOf: (given: string) => string,
): readonly M[] {
  if (named === undefined) return messages;
  const ids = new Map<string, string>();
  return messages.map((message) =>
    named(message, {
      call(given = '', _name, _input, isFixed = false) {
        const id = isFixed ? given : idOf(given);
        ids.set(given, id);
        return id;
      },
      result: (given = '') => ids.get(given) ?? given,
    }),
  );
}
