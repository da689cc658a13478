/**
 * The shape of the items of OpenAI Agents, as far as the rules need it.
 * Structural: the SDK's `AgentInputItem` fits, and so does JSON from a file.
 *
 * @module
 */
import { isPartType, isReply } from '../../items/item.ts';
import { responsesTurns } from '../../items/replies.ts';
import { field, isRecord, textIn, without } from '../../reading/fields.ts';
import type { CallIds } from '../../reading/id-book.ts';
import type { TurnReader } from '../rules.ts';

/**
 * An item of a history of OpenAI Agents; `AgentInputItem` of `@openai/agents` is one.
 *
 * @since 0.1.0
 */
export interface OpenAIAgentsItem {
  /** What it is; a message may leave it out. */
  readonly type?: string | undefined;
  /** Who says it, where it is a message. */
  readonly role?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** A text as the model's own message; a reply that was cut is `incomplete`. */
export function sayText(text: string, status: 'completed' | 'incomplete' = 'completed'): OpenAIAgentsItem {
  const item = { type: 'message', role: 'assistant', status, content: textParts(text) } as const;
  return item;
}

/** The item with the id that a book says. */
export function named(item: OpenAIAgentsItem, ids: CallIds): OpenAIAgentsItem {
  const given = textIn(field(item, 'callId'));
  if (given === undefined) return item;
  const isAnswer = item.type?.endsWith('_result') === true || item.type?.endsWith('_output') === true;
  const id = isAnswer ? ids.result(given) : ids.call(given, textIn(field(item, 'name')) ?? '', () => '');
  const made: OpenAIAgentsItem & { readonly callId: string | undefined } = { ...item, callId: id };
  return id === given ? item : made;
}

function textParts(text: string): readonly object[] {
  return [{ type: 'output_text', text }];
}

/**
 * The item as the SDK takes it: the model's messages have a status and a list of parts, and reasoning, whose provider's
 * fields are sent along, has no status; the same if it is so.
 */
export function plainItem(item: OpenAIAgentsItem): OpenAIAgentsItem {
  if (item.type === 'reasoning') return withoutStatus(item);
  if (!isReply(item)) return item;
  const content = field(item, 'content');
  const isList = Array.isArray(content) && content.every((part) => typeof part === 'object');
  if (isList && typeof field(item, 'status') === 'string') return item;
  const parts = isList ? content : typeof content === 'string' && content !== '' ? textParts(content) : [];
  const made = { ...item, status: textIn(field(item, 'status')) ?? 'completed', content: parts };
  return made;
}

function withoutStatus(item: OpenAIAgentsItem): OpenAIAgentsItem {
  const data = field(item, 'providerData');
  if (!isRecord(data) || (field(data, 'status') ?? undefined) === undefined) return item;
  const made: OpenAIAgentsItem & { readonly providerData: object } = { ...item, providerData: without(data, 'status') };
  return made;
}

/** An output of a function as one of its own: a text, or a list of parts. */
export function outputOf(value: unknown): unknown {
  if (typeof value === 'string' || !isRecord(value)) return value;
  const type = field(value, 'type');
  if (type === 'text') return field(value, 'text');
  // What is no content is what a tool returned.
  return isPartType(type) ? [value] : value;
}

/** A part of an output where there are several: only what is meant as input may stand in a list. */
export function listPart(part: object): object {
  const type = field(part, 'type');
  if (type === 'text') return { type: 'input_text', text: field(part, 'text') };
  if (type === 'input_image' || type === 'input_file') return inputPart(part as Readonly<Record<string, unknown>>);
  if (type !== 'image' && type !== 'file') return part;
  const { [type]: held, ...rest } = part as Readonly<Record<string, unknown>>;
  return { ...rest, type: `input_${type}`, [type]: isRecord(held) ? reference(held) : held };
}

/** A part of the Responses API as the SDK has it: what it refers to is in one field. */
function inputPart({ image_url: image, file_data: data, file_url: url, file_id: id, ...part }: Fields): object {
  const held = image ?? data ?? (url === undefined ? undefined : { url }) ?? (id === undefined ? undefined : { id });
  const { detail, ...rest } = part;
  const kept = detail === 'auto' ? rest : part;
  return held === undefined ? part : { ...kept, [part['type'] === 'input_image' ? 'image' : 'file']: held };
}

/**
 * What a tool returned in the SDK's own forms – a text, a picture, a file, or a list of them – as parts of the Responses
 * API; `undefined` for any other value.
 */
export function structuredParts(value: unknown): readonly object[] | undefined {
  const parts = (Array.isArray(value) ? (value as readonly unknown[]) : [value]).map(structuredPart);
  return parts.length > 0 && parts.every((part) => part !== undefined) ? parts : undefined;
}

function structuredPart(value: unknown): object | undefined {
  if (!isRecord(value)) return undefined;
  const { type, text, image, imageUrl, file, fileId, detail } = value as Fields;
  if (type === 'text') return typeof text === 'string' ? { type: 'input_text', text } : undefined;
  if (type !== 'image' && type !== 'file') return undefined;
  const given = (type === 'image' ? (image ?? imageUrl) : file) ?? { id: fileId };
  const { data, url, filename } = (isRecord(given) ? given : {}) as Fields;
  // The SDK takes the bytes of a file only with a name.
  if (type === 'file' && data !== undefined && typeof filename !== 'string') return undefined;
  const held = isRecord(given) ? reference(given) : given;
  const id = isRecord(held) ? field(held, 'id') : undefined;
  if (typeof (id ?? held) !== 'string') return undefined;
  const place = type === 'image' ? 'image_url' : url === undefined ? 'file_data' : 'file_url';
  const more = { ...(detail === undefined ? {} : { detail }), ...(filename === undefined ? {} : { filename }) };
  return { type: `input_${type}`, ...(id === undefined ? { [place]: held } : { file_id: id }), ...more };
}

/** What an output refers to, as an input does: by an address or by an id. */
function reference(held: object): unknown {
  const [id, url, data] = [field(held, 'fileId') ?? field(held, 'id'), field(held, 'url'), field(held, 'data')];
  if (id !== undefined) return { id };
  if (url !== undefined) return url;
  const type = textIn(field(held, 'mediaType')) ?? 'image/png';
  return typeof data === 'string' ? `data:${type};base64,${data}` : held;
}

/** Who speaks here. */
export const agentsTurns: TurnReader<OpenAIAgentsItem> = {
  isPrompt: (item) => responsesTurns.isPrompt(item),
  isReply,
  say: (text) => sayText(text),
};
