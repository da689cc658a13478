/**
 * The shape of Chat Completions messages, as far as the rules need it, and how to read a reply from one.
 * Structural: the SDK's `ChatCompletionMessageParam` fits, so do the many servers that speak the same dialect.
 *
 * @module
 */
import { field, isRecord, isThere, recordsIn, textIn, without } from '../reading/fields.ts';
import { requireRecords, requireRoleAndContent } from '../reading/require-messages.ts';
import type { TurnReader } from '../dialects/rules.ts';

/**
 * A message of the Chat Completions API; `ChatCompletionMessageParam` of `openai` is one.
 *
 * @since 0.1.0
 */
export interface OpenAIChatMessage {
  readonly role: 'developer' | 'system' | 'user' | 'assistant' | 'tool' | 'function';
  readonly content?: string | readonly object[] | null;
}

/** An entry of `tool_calls`. */
export type ToolCall = object;

/** The calls of a message, as they stand. */
export function callsOf(message: OpenAIChatMessage): readonly ToolCall[] {
  const calls = message.role === 'assistant' ? field(message, 'tool_calls') : undefined;
  return Array.isArray(calls) ? (calls as readonly ToolCall[]) : [];
}

/** Refuses what is not a message: an object with a role, whose parts and calls, where there are any, are objects. */
export function requireChatMessage(name: string, message: unknown): void {
  requireRoleAndContent(name, message);
  const calls = field(message as object, 'tool_calls');
  if (Array.isArray(calls)) requireRecords(`${name}.tool_calls`, calls);
}

/** The id of a call; `undefined` for one that cannot be answered. */
export function idOf(call: ToolCall): string | undefined {
  return textIn(field(call, 'id'));
}

/** What a call is of, a function or a custom tool: what it says, else what it holds. */
export function typeOf(call: ToolCall): 'function' | 'custom' {
  const type = field(call, 'type');
  if (type === 'function' || type === 'custom') return type;
  return isRecord(field(call, 'custom')) ? 'custom' : 'function';
}

/** The name of a call; `undefined` for one the stream did not name. */
export function nameOf(call: ToolCall): string | undefined {
  const body = field(call, typeOf(call));
  return isRecord(body) ? textIn(field(body, 'name')) : undefined;
}

/** Whether the arguments are whole. A custom tool takes any text, so nobody can see where its text was cut. */
export function hasWholeArguments(call: ToolCall): boolean {
  if (typeOf(call) === 'custom') return true;
  const body = field(call, 'function');
  const json = isRecord(body) ? field(body, 'arguments') : undefined;
  if (typeof json !== 'string') return false;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

/** Whether a call of a function has no arguments at all, as servers write it where the tool takes none. */
export function hasBlankArguments(call: ToolCall): boolean {
  const body = typeOf(call) === 'function' ? field(call, 'function') : undefined;
  const given = isRecord(body) ? field(body, 'arguments') : undefined;
  return typeof given === 'string' && given.trim() === '';
}

/** The input of a call: its arguments parsed where they are JSON, else as they came. */
export function inputOf(call: ToolCall): unknown {
  const body = field(call, typeOf(call));
  if (!isRecord(body)) return undefined;
  if (hasBlankArguments(call)) return {};
  const given = typeOf(call) === 'custom' ? field(body, 'input') : field(body, 'arguments');
  if (typeOf(call) === 'custom' || typeof given !== 'string') return given;
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return given;
  }
}

/** Whether a message of anybody but the model, or a tool, has content at all. */
export function isSaid({ role, content }: OpenAIChatMessage): boolean {
  return ['assistant', 'tool', 'function'].includes(role) || isThere(content);
}

/** Whether an assistant message says anything besides its calls. */
export function hasContent(message: OpenAIChatMessage): boolean {
  if (['refusal', 'audio', 'function_call'].some((name) => Boolean(field(message, name)))) return true;
  const { content } = message;
  if (isPictured(message)) return true;
  if (!Array.isArray(content)) return typeof content === 'string' && content !== '';
  return (content as readonly object[]).some((part) => partText(part) !== '');
}

/** Whether the model made pictures: some servers give them beside the content. */
function isPictured(message: OpenAIChatMessage): boolean {
  const images = field(message, 'images');
  return Array.isArray(images) && images.length > 0;
}

/**
 * A reply with what of its speech and its pictures a request may hold: speech by its id, and its words where it was cut, for
 * the server keeps none of that; words in the place of pictures that have none. The same object where it is so.
 */
export function withSpeech(message: OpenAIChatMessage, isCut: boolean): OpenAIChatMessage {
  const audio = field(message, 'audio');
  if (isRecord(audio)) {
    const id = textIn(field(audio, 'id'));
    if (!isCut && id !== undefined) {
      return Object.keys(audio).length === 1 ? message : ({ ...message, audio: { id } } as OpenAIChatMessage);
    }
    const { content, ...rest } = without(message, 'audio');
    return { ...rest, content: content ?? textIn(field(audio, 'transcript')) ?? null };
  }
  const isBare = isPictured(message) && !saysSomething(message) && callsOf(message).length === 0;
  return isBare ? { ...message, content: '[You made a picture here.]' } : message;
}

/** The text of a content part; `undefined` for one that holds something else. */
export function partText(part: object): string | undefined {
  const found = field(part, field(part, 'type') === 'refusal' ? 'refusal' : 'text');
  return typeof found === 'string' ? found : undefined;
}

/** Whether a message says something in words, that a mark can stand below. */
export function saysSomething(message: OpenAIChatMessage): boolean {
  const { content } = message;
  const texts = Array.isArray(content) ? (content as readonly object[]).map(partText) : [content];
  return [field(message, 'refusal'), ...texts].some((one) => typeof one === 'string' && one.trimEnd() !== '');
}

const noUser: ReadonlySet<string> = new Set(['assistant', 'tool', 'function', 'system', 'developer']);

/** Who speaks here, and how the model says something. */
export const openAIChatTurns: TurnReader<OpenAIChatMessage> = {
  isPrompt: ({ role }) => !noUser.has(role),
  isReply: ({ role }) => role === 'assistant',
  say: (content) => ({ role: 'assistant', content }),
};

/** The message that the API wraps: the model's, also where a server does not say so. */
export function choiceIn(value: object): unknown {
  const [choice] = recordsIn(field(value, 'choices'));
  const message = choice && field(choice, 'message');
  return isRecord(message) && field(message, 'role') !== 'assistant' ? { ...message, role: 'assistant' } : message;
}

/** A text or a message of the model as a message that a request may hold; `undefined` for everything else. */
export function replyOf(value: unknown): OpenAIChatMessage | undefined {
  if (typeof value === 'string') return { role: 'assistant', content: value };
  if (!isRecord(value) || field(value, 'role') !== 'assistant') return undefined;
  // What a client's accumulator and its parser add, the API refuses on the way back.
  const message = without(value, 'parsed') as OpenAIChatMessage;
  const calls = field(value, 'tool_calls');
  if (!Array.isArray(calls)) return message;
  const tool_calls = calls.filter(isRecord).map((call) => {
    const own = without(call, 'index');
    const body = field(own, 'function');
    return isRecord(body) ? { ...own, function: without(body, 'parsed_arguments') } : own;
  });
  const made: OpenAIChatMessage & { readonly tool_calls: readonly ToolCall[] } = { ...message, tool_calls };
  return made;
}
