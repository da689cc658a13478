/**
 * The ids of calls in messages of a user interface: legal for every provider, because that is what they are sent as.
 * Names stay: they are the types by which a page knows its tools.
 *
 * @module
 */
import type { IdPolicy } from '../../../dialect.ts';
import { isSameList } from '../../../reading/fields.ts';
import { anyId, legalId, placeId } from '../../../reading/ids.ts';
import type { CallIds } from '../../../reading/id-book.ts';
import type { AISDKPart, AISDKUIMessage } from '../message.ts';
import { callIdOf, isCall, isFinished, isServerCall, nameOf } from './ui-message.ts';

/** The same messages with an id in every call; those that had them are the same objects. */
export function withIds(messages: readonly AISDKUIMessage[], policy: IdPolicy): readonly AISDKUIMessage[] {
  return messages.map((message) => {
    if (message.role !== 'assistant') return message;
    const parts = partsWithIds(message.parts, policy);
    return parts === message.parts ? message : { ...message, parts };
  });
}

/**
 * The message with the ids that a book says. Those of the provider's calls are its own, and a call without an end keeps
 * its id, by which the page is told the end.
 */
export function named(message: AISDKUIMessage, book: CallIds): AISDKUIMessage {
  if (message.role !== 'assistant') return message;
  const parts = message.parts.map((part) => {
    const name = nameOf(part);
    if (!isCall(part) || name === undefined) return part;
    return withId(
      part,
      book.call(callIdOf(part), name, () => '', isFixed(part)),
    );
  });
  return isSameList(message.parts, parts) ? message : { ...message, parts };
}

/** The ids that stay, wherever they stand. */
export function fixedIds({ parts }: AISDKUIMessage): readonly unknown[] {
  return parts.filter((part) => isCall(part) && isFixed(part)).map(callIdOf);
}

function isFixed(part: AISDKPart): boolean {
  return isServerCall(part) || !isFinished(part);
}

function withId(part: AISDKPart, id: string): AISDKPart {
  if (id === callIdOf(part)) return part;
  const own: AISDKPart & Readonly<Record<string, unknown>> = { ...part, toolCallId: id };
  return own;
}

function partsWithIds(parts: readonly AISDKPart[], policy: IdPolicy): readonly AISDKPart[] {
  const taken = new Set(parts.map(callIdOf));
  let place = 0;
  const made = parts.map((part) => {
    if (!isCall(part) || nameOf(part) === undefined) return part;
    const given = callIdOf(part);
    let id = given === undefined ? placeId(place) : policy === 'keep' ? given : legalId(given, anyId);
    while (given === undefined && taken.has(id)) {
      place += 1;
      id = placeId(place);
    }
    if (given === undefined) place += 1;
    return withId(part, id);
  });
  return isSameList(made, parts) ? parts : made;
}
