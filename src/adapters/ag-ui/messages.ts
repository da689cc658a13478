/**
 * The messages of AG-UI as those of Chat Completions, and back, so that they are settled by the same rules.
 *
 * @module
 */
import { isObject } from '../../core/inside.ts';
import type { OpenAIChatMessage } from '../../transcript/dialects/openai-chat/index.ts';

/**
 * A message of the protocol, as far as a stop concerns it.
 *
 * @since 0.1.0
 */
export interface AgUiMessage {
  readonly id: string;
  readonly role: string;
  readonly content?: unknown;
  readonly toolCalls?: readonly object[];
  readonly toolCallId?: string;
}

/** The message, or the part of one, that one of Chat Completions was made of; copies of that have it as well. */
const origin = Symbol('origin');

interface Wire {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
  readonly [origin]?: AgUiMessage;
}

/** A part of a message, and where what it holds is. */
interface Part {
  readonly type: string;
  readonly source?: { readonly type: string; readonly value: string; readonly mimeType?: string };
  readonly [origin]?: unknown;
}

/** A part as Chat Completions has it. */
function wirePart(part: Part): object {
  const { type, source } = part;
  if (!isObject(source)) return part;
  const { type: how, value, mimeType = '' } = source;
  const url = how === 'data' ? `data:${mimeType};base64,${value}` : value;
  const audio = { data: value, format: mimeType.endsWith('wav') ? 'wav' : 'mp3' };
  if (type === 'audio' && how === 'data') return { type: 'input_audio', input_audio: audio, [origin]: part };
  if (type === 'image' && how !== 'file') return { type: 'image_url', image_url: { url }, [origin]: part };
  return { type: 'file', file: how === 'file' ? { file_id: value } : { file_data: url }, [origin]: part };
}

function mapParts(content: unknown, each: (part: Part) => unknown): unknown {
  if (!Array.isArray(content)) return content;
  return (content as readonly unknown[]).map((part) => (isObject(part) ? each(part as Part) : part));
}

/** Those that are shown and never sent to a model. */
const shown = new Set(['activity', 'reasoning']);

/**
 * The two ways for `mapDialect` of `desist/transcript`: its result settles the messages of AG-UI.
 *
 * @example
 * ```ts
 * import { messageMap } from 'desist/ag-ui'
 * import { mapDialect, repair } from 'desist/transcript'
 * import { openaiChat } from 'desist/transcript/openai-chat'
 *
 * const agUi = mapDialect(openaiChat, messageMap)
 * const call = { id: 'c1', type: 'function' as const, function: { name: 'rm', arguments: '{}' } }
 * const messages = [{ id: 'u1', role: 'user', content: 'go' }, { id: 'm1', role: 'assistant', toolCalls: [call] }]
 * repair(messages, { dialect: agUi }).messages.map(({ id, role }) => [id.length > 2, role])
 * // => [[false, 'user'], [false, 'assistant'], [true, 'tool']]
 * ```
 * @source `Message` of `@ag-ui/core`
 * @since 0.1.0
 */
export const messageMap: {
  /** What the provider takes of it. */
  readonly toWire: (message: AgUiMessage) => OpenAIChatMessage;
  /** With an id of its own, where it is new. */
  readonly fromWire: (message: OpenAIChatMessage) => AgUiMessage;
} = {
  toWire: (message) => {
    const { role, content, toolCalls, toolCallId } = message;
    const wire: Wire = {
      role,
      content: mapParts(content, wirePart) ?? null,
      ...(toolCalls !== undefined && toolCalls.length > 0 && { tool_calls: toolCalls }),
      ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
      [origin]: message,
    };
    return wire as OpenAIChatMessage;
  },
  fromWire: (message) => {
    const { role, content, tool_calls: toolCalls, tool_call_id: toolCallId, [origin]: was } = message as Wire;
    const { toolCalls: _calls, ...rest } = (was ?? {}) as Partial<AgUiMessage>;
    return {
      ...(was?.role === role ? rest : { id: crypto.randomUUID() }),
      role,
      ...(content !== null && content !== undefined && { content: mapParts(content, (part) => part[origin] ?? part) }),
      ...(toolCalls !== undefined && { toolCalls }),
      ...(toolCallId !== undefined && { toolCallId }),
    } as AgUiMessage;
  },
};

/**
 * Settles what a model is sent; what is only shown keeps its place behind the message that it stands behind.
 *
 * @param settle Makes messages that can be sent out of those that were.
 */
export function settleSent<M extends AgUiMessage>(
  messages: readonly M[],
  settle: (messages: M[]) => readonly M[],
): M[] {
  const behind = new Map<string | undefined, M[]>();
  const sent: M[] = [];
  for (const message of messages) {
    const before = sent.at(-1)?.id;
    if (shown.has(message.role)) behind.set(before, [...(behind.get(before) ?? []), message]);
    else sent.push(message);
  }
  const settled = settle(sent);
  const kept = new Set(settled.map(({ id }) => id));
  const rest = [...behind].filter(([id]) => id !== undefined && !kept.has(id)).flatMap(([, list]) => list);
  return [
    ...(behind.get(undefined) ?? []),
    ...settled.flatMap((message) => [message, ...(behind.get(message.id) ?? [])]),
    ...rest,
  ];
}
