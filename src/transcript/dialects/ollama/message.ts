/**
 * The shape of the messages of Ollama's chat API, as far as the rules need it.
 * Structural: the client's `Message` fits, and so does JSON from a file.
 *
 * @module
 */
import { requireText } from '../../../core/foundation/check.ts';
import { field, isRecord, isSameList, parseRecord, recordsIn, textIn } from '../../reading/fields.ts';
import { requireRecord, requireRecords } from '../../reading/require-messages.ts';
import { valueText } from '../../words/values.ts';
import type { TurnReader } from '../rules.ts';

/**
 * A message of Ollama's chat API; `Message` of `ollama` is one.
 *
 * @since 0.1.0
 */
export interface OllamaChatMessage {
  readonly role: string;
  /** A text; the API takes no list of parts. */
  readonly content?: string | undefined;
}

/** The calls of a message, as they stand. */
export function callsOf(message: OllamaChatMessage): readonly object[] {
  return message.role === 'assistant' ? recordsIn(field(message, 'tool_calls')) : [];
}

/** What a call asks for by its name; `undefined` for one without. */
export function nameOf(call: object): string | undefined {
  return textIn(field(bodyOf(call), 'name'));
}

/** The arguments of a call: an object, by the API; a text where other code wrote them and they are not whole. None are `{}`. */
export function argumentsOf(call: object): unknown {
  const given = field(bodyOf(call), 'arguments') ?? {};
  return typeof given === 'string' ? (parseRecord(given) ?? given) : given;
}

function bodyOf(call: object): object {
  const body = field(call, 'function');
  return isRecord(body) ? body : {};
}

/** The message with an object for the arguments of each of its calls and a text for its content; the same if it has them. */
export function plainMessage(message: OllamaChatMessage): OllamaChatMessage {
  const calls = callsOf(message);
  const made = calls.map((call) => {
    const given = argumentsOf(call);
    const body = bodyOf(call);
    // The API gives arguments whole: what is no object was never one of its own.
    return isRecord(field(body, 'arguments') ?? given)
      ? call
      : { ...call, function: { ...body, arguments: isRecord(given) ? given : {} } };
  });
  const isSame = isSameList(made, calls);
  const named = isSame ? message : changed(message, { tool_calls: made });
  const { content } = message as { readonly content?: unknown };
  if (typeof content === 'string' || content === undefined) return named;
  return changed(named, { content: contentText(content) });
}

/** What a content says as one text: the API takes nothing else. */
export function contentText(content: unknown): string {
  // A list of anything else is what a tool returned.
  if (!Array.isArray(content) || !content.every(isPart)) return content === null ? '' : valueText(content);
  return recordsIn(content)
    .map((part) => textIn(field(part, 'text')) ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

const partTypes = /^(?:(?:in|out)put_)?(?:text|image|image_url|file|audio|video|media|thinking|reasoning)$/;

/** Whether this is a part of a content, as other APIs have it. */
function isPart(part: unknown): boolean {
  if (!isRecord(part)) return false;
  const type = field(part, 'type');
  if (type === undefined) return Object.keys(part).join() === 'text';
  return partTypes.test(textIn(type) ?? '');
}

/** A message with other fields. */
export function changed(message: OllamaChatMessage, changes: Readonly<Record<string, unknown>>): OllamaChatMessage {
  return { ...message, ...changes };
}

/** The reply in a value: a message, or what carries one, as the API's answer and the fold of a stream do. */
export function replyOf(value: unknown): OllamaChatMessage | undefined {
  if (typeof value === 'string') return { role: 'assistant', content: value };
  if (!isRecord(value)) return undefined;
  if (field(value, 'role') === 'assistant') return value as OllamaChatMessage;
  const message = field(value, 'message');
  return message === undefined ? undefined : replyOf(message);
}

/** Refuses what is not a message: an object with a role, whose calls, where there are any, are objects. */
export function requireOllamaMessage(name: string, message: unknown): void {
  const { role, content, tool_calls: calls } = requireRecord(name, message);
  requireText(`${name}.role`, role);
  if ((calls ?? undefined) !== undefined) requireRecords(`${name}.tool_calls`, calls);
  // A tool may return anything.
  if (Array.isArray(content) && role !== 'tool') requireRecords(`${name}.content`, content);
}

/** Who speaks here. */
export const ollamaTurns: TurnReader<OllamaChatMessage> = {
  isPrompt: ({ role }) => role === 'user',
  isReply: ({ role }) => role === 'assistant',
  say: (content) => ({ role: 'assistant', content }),
};
