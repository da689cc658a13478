/**
 * How to read a message for a model: its parts, its calls, and whether their arguments are whole.
 *
 * @module
 */
import { addTo, field, isJsonObject, isRecord, parseRecord, recordsIn, textIn } from '../../../reading/fields.ts';
import { isPart, type AISDKMessage, type AISDKPart } from '../message.ts';

/** The content as parts, whatever form it has. */
export function partsOf(message: AISDKMessage): readonly AISDKPart[] {
  const { content } = message;
  if (typeof content !== 'string') return Array.isArray(content) ? (content as readonly AISDKPart[]) : [];
  return message.role === 'tool' ? [] : [textPart(content)];
}

/** A text part. */
export function textPart(text: string): AISDKPart & { readonly text: string } {
  return { type: 'text', text };
}

/** The id of a call or of its result. */
export function callIdOf(part: AISDKPart): string | undefined {
  return textIn(field(part, 'toolCallId'));
}

/** The name of a call. */
export function nameOf(part: AISDKPart): string | undefined {
  return textIn(field(part, 'toolName'));
}

/** What a person is asked, by the call that it is about: the first before it that has the id and no question. */
export function askedIn(parts: readonly AISDKPart[]): ReadonlyMap<AISDKPart, AISDKPart> {
  const calls = new Map<unknown, AISDKPart[]>();
  const asked = new Map<AISDKPart, AISDKPart>();
  for (const part of parts) {
    if (part.type === 'tool-call') addTo(calls, callIdOf(part), part);
    const call = part.type === 'tool-approval-request' ? calls.get(callIdOf(part))?.shift() : undefined;
    if (call !== undefined) asked.set(call, part);
  }
  return asked;
}

/** Whether the provider runs this call. */
export function isServerCall(part: AISDKPart): boolean {
  return field(part, 'providerExecuted') === true;
}

/** The provider's call that made a call, if one did: code that runs there calls tools as well. */
export function callerOf(part: AISDKPart): string | undefined {
  const options = field(part, 'providerOptions');
  for (const own of isRecord(options) ? recordsIn(Object.values(options)) : []) {
    const caller = field(own, 'caller');
    if (isRecord(caller)) return textIn(field(caller, 'toolId') ?? field(caller, 'callerId'));
  }
  return undefined;
}

/**
 * The input of a call, parsed if it came as the JSON of an object; `undefined` if the stream was cut inside it. A tool
 * that takes any text has a text that is no JSON, and nobody can see where that was cut.
 */
export function wholeInput(part: AISDKPart): unknown {
  const input = field(part, 'input');
  if (typeof input !== 'string') return isJsonObject(input) ? input : undefined;
  return /^\s*(?:\{|$)/.test(input) ? parseRecord(input) : input;
}

/** A text or a message of the model; `undefined` for everything else. */
export function replyOf(value: unknown): AISDKMessage | undefined {
  if (typeof value === 'string') return { role: 'assistant', content: value };
  if (!isRecord(value) || field(value, 'role') !== 'assistant') return undefined;
  const content = field(value, 'content');
  if (Array.isArray(content)) return { ...value, role: 'assistant', content: content.filter(isPart) };
  return typeof content === 'string' ? (value as AISDKMessage) : undefined;
}
