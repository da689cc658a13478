/**
 * The shape of the Responses API's items, as far as the rules need it.
 * Structural: the SDK's `ResponseInputItem` and `ResponseOutputItem` fit, and so does JSON from a file.
 *
 * @module
 */
import { optionalText, show, wrongType } from '../../core/foundation/check.ts';
import { field, isRecord, recordsIn, textIn } from '../reading/fields.ts';
import { requireBlocks, requireRecord } from '../reading/require-messages.ts';

/**
 * An item of the Responses API; `ResponseInputItem` of `openai` is one.
 *
 * @since 0.1.0
 */
export interface OpenAIResponsesItem {
  /** What it is; a message may leave it out. */
  readonly type?: string | null | undefined;
  /** Who says it, where it is a message. */
  readonly role?: string | undefined;
}

/** The calls that our side answers, and what each says in what it asks for. */
const calls: ReadonlyMap<unknown, string> = new Map([
  ['function_call', 'arguments'],
  ['custom_tool_call', 'input'],
  ['shell_call', 'action'],
  ['local_shell_call', 'action'],
  ['apply_patch_call', 'operation'],
  ['tool_search_call', 'arguments'],
  ['computer_call', 'action'],
]);

/** What only the provider's side produces besides calls and messages, each complete in itself. */
const hosted: ReadonlySet<unknown> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'tool_search_call',
  'tool_search_output',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'program',
  'program_output',
  'compaction',
]);

/** What an item is; one without a type is a message. */
export function typeOf(item: OpenAIResponsesItem): string {
  return item.type ?? 'message';
}

/** Whether our side has to answer it. */
export function isCall(item: OpenAIResponsesItem): boolean {
  // A search for tools is ours only where the client runs it.
  return calls.has(item.type) && (item.type !== 'tool_search_call' || field(item, 'execution') === 'client');
}

/** Whether it answers a call. */
export function isOutput(item: OpenAIResponsesItem): boolean {
  if (item.type === 'tool_search_output') return field(item, 'execution') === 'client';
  return typeOf(item).endsWith('_call_output');
}

/** The type of the item that answers a call of this type. */
export function outputTypeOf(type: string): string {
  return type === 'tool_search_call' ? 'tool_search_output' : `${type}_output`;
}

/** The type of the call that an output of this type answers. */
export function callTypeOf(outputType: string): string {
  return outputType === 'tool_search_output' ? 'tool_search_call' : outputType.replace(/_output$/, '');
}

/** Whether it stands for something that only the server has, and that may be a call of ours. */
export function isReference(item: OpenAIResponsesItem): boolean {
  return item.type === 'item_reference' && !/^(?:rs|msg)_/.test(String(field(item, 'id')));
}

/** Whether the provider runs it on a machine of its own, though its kind is one of ours. */
export function isRemote(item: OpenAIResponsesItem): boolean {
  const environment = field(item, 'environment');
  return isRecord(environment) && String(field(environment, 'type')).startsWith('container');
}

/** Whether only the provider's side produces it, and it is neither a call of ours nor a message. */
export function isHosted(item: OpenAIResponsesItem): boolean {
  return hosted.has(item.type) && !isOutput(item);
}

/** Whether it is reasoning. */
export function isReasoning(item: OpenAIResponsesItem): boolean {
  return item.type === 'reasoning';
}

/** Whether it is reasoning that does not carry itself along: only a server that has kept it can find it. */
export function isBareReasoning(item: OpenAIResponsesItem): boolean {
  return isReasoning(item) && textIn(field(item, 'encrypted_content')) === undefined;
}

/** Whether the model wrote it as a message. */
export function isReply(item: OpenAIResponsesItem): boolean {
  return typeOf(item) === 'message' && item.role === 'assistant';
}

/** Whether somebody outside the turn wrote it. */
export function isPrompt(item: OpenAIResponsesItem): boolean {
  return typeOf(item) === 'message' && item.role !== 'assistant';
}

/** Whether the model's side made it; reasoning is, and so is a call. */
export function isProduced(item: OpenAIResponsesItem): boolean {
  return isReply(item) || isCall(item) || isReasoning(item) || isHosted(item);
}

/** Whether a type is that of a part of an output's content. */
export function isPartType(type: unknown): boolean {
  return /^(?:(?:in|out)put_)?(?:text|image|file)$/.test(String(type));
}

/** What links a call and its output; a local shell's output may name it as its own id. */
export function callIdOf(item: OpenAIResponsesItem): string | undefined {
  const own = item.type === 'local_shell_call_output' ? textIn(field(item, 'id')) : undefined;
  return textIn(field(item, 'call_id')) ?? own;
}

/** The name of the tool, which the built-in ones carry as their type. */
export function nameOf(item: OpenAIResponsesItem): string | undefined {
  const { type } = item;
  const isNamed = type === 'function_call' || type === 'custom_tool_call';
  return isNamed ? textIn(field(item, 'name')) : type?.slice(0, -'_call'.length);
}

/** What a call asks for, as it stands there; a newer call of the screen asks for several things. */
function askedIn(item: OpenAIResponsesItem): unknown {
  return field(item, calls.get(item.type) ?? 'action') ?? field(item, 'actions');
}

/** Whether nothing of what a call asks for was cut off. A custom tool takes any text, so nobody can see it there. */
export function hasWholeArguments(item: OpenAIResponsesItem): boolean {
  const asked = askedIn(item);
  if (item.type === 'function_call') return isJson(asked);
  if (item.type === 'custom_tool_call') return typeof asked === 'string';
  return isRecord(asked) || Array.isArray(field(item, 'actions'));
}

/** What a call asks for: arguments parsed where they are JSON, else as they came. */
export function inputOf(item: OpenAIResponsesItem): unknown {
  const asked = askedIn(item);
  if (hasBlankArguments(item)) return {};
  return item.type === 'function_call' && isJson(asked) ? (JSON.parse(asked as string) as unknown) : asked;
}

/** Whether a call of a function has no arguments at all, as servers write it where the tool takes none. */
export function hasBlankArguments(item: OpenAIResponsesItem): boolean {
  const given = item.type === 'function_call' ? field(item, 'arguments') : undefined;
  return typeof given === 'string' && given.trim() === '';
}

/** A call that has an answer and half of its arguments, with none; `undefined` where nothing is no arguments. */
export function withoutArguments(item: OpenAIResponsesItem): OpenAIResponsesItem | undefined {
  if (item.type === 'function_call') return { ...item, arguments: '{}' } as OpenAIResponsesItem;
  if (item.type === 'custom_tool_call') return { ...item, input: '' } as OpenAIResponsesItem;
  return undefined;
}

/** The texts of a message, part by part, refusals included; of what is none, its kind. */
export function textsOf(item: OpenAIResponsesItem): readonly string[] {
  const content = field(item, 'content');
  if (typeof content === 'string') return [content];
  return recordsIn(content).map((part) => {
    const type = textIn(field(part, 'type')) ?? '';
    const text = field(part, type === 'refusal' ? type : 'text');
    return typeof text === 'string' ? text : type.replace(/^.*(?:text|refusal)$/, '');
  });
}

/** Whether a message says anything. */
export function saysSomething(item: OpenAIResponsesItem): boolean {
  return textsOf(item).some((text) => text !== '');
}

/** A text as a message of the user. */
export function askText(text: string): OpenAIResponsesItem & { readonly type: string } {
  const item = { type: 'message', role: 'user', content: text } as const;
  return item;
}

/** A text as the model's own message. */
export function sayText(text: string): OpenAIResponsesItem {
  const item = { type: 'message', role: 'assistant', content: text } as const;
  return item;
}

function isJson(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Refuses what is not an item: an object with a type, or with a role where it is a message. */
export function requireItem(name: string, item: unknown): void {
  const { type, role, id, content, data, kwargs } = requireRecord(name, item);
  if (role === undefined && isRecord(data ?? kwargs))
    throw wrongType(name, 'an item, which holds what it says itself', item);
  if (typeof type !== 'string' && typeof role !== 'string' && id === undefined) {
    throw new TypeError(`${name} must have a type or a role, got ${show(type)} and ${show(role)}`);
  }
  optionalText(`${name}.type`, type ?? undefined);
  requireBlocks(`${name}.content`, content);
}
