/**
 * The shape of Anthropic's messages, as far as the rules need it, and how to read a reply from one.
 * Structural: the SDK's `MessageParam` fits, and so does JSON from a file.
 *
 * @module
 */
import { field, isJsonObject, isRecord, parseRecord, textIn } from '../../reading/fields.ts';
import { requireBlocks, requireRoleAndContent } from '../../reading/require-messages.ts';
import type { TurnReader } from '../rules.ts';

/** A content block: only its type is certain. */
export interface AnthropicBlock {
  readonly type: string;
}

/**
 * A message of Anthropic's Messages API; `MessageParam` of `@anthropic-ai/sdk` is one.
 *
 * @since 0.1.0
 */
export interface AnthropicMessage {
  readonly role: 'user' | 'assistant' | 'system';
  /** Only a message of settings, which the beta API has, holds none. */
  readonly content?: string | readonly AnthropicBlock[] | undefined;
}

/** Whether this changes settings and says nothing; the beta API has such messages. */
export function isSettings(message: AnthropicMessage): boolean {
  return message.role === 'system' && message.content === undefined;
}

/** The id of a call that the provider runs. */
export function serverIdOf(block: AnthropicBlock): unknown {
  return isServerCall(block) ? field(block, 'id') : undefined;
}

/** The server tool that made a call, if one did. */
export function callerOf(block: AnthropicBlock): string | undefined {
  const caller = field(block, 'caller');
  return isRecord(caller) ? textIn(field(caller, 'tool_id')) : undefined;
}

/** Whether this is a text without a visible character, which the API refuses wherever it stands. */
export function isBlankText(block: AnthropicBlock): boolean {
  // A summary of what was compacted is a text by another name.
  const text = field(block, block.type === 'compaction' ? 'content' : 'text');
  return (block.type === 'text' || block.type === 'compaction') && (typeof text !== 'string' || text.trim() === '');
}

/** Whether this is reasoning, readable or redacted. */
export function isThinking(block: AnthropicBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** Whether this is a call of a tool that runs on the provider's side. */
export function isServerCall(block: AnthropicBlock): boolean {
  return block.type !== 'tool_use' && block.type.endsWith('_tool_use');
}

/** Whether this is the result of such a call. */
export function isServerResult(block: AnthropicBlock): boolean {
  return block.type !== 'tool_result' && block.type.endsWith('_tool_result');
}

/** What makes a reasoning block replayable; `undefined` for one that was cut before it was sealed. */
export function sealOf(block: AnthropicBlock): string | undefined {
  const seal = field(block, block.type === 'thinking' ? 'signature' : 'data');
  return textIn(seal);
}

/** The arguments of a call as an object, parsed if they came as text; `undefined` if the stream was cut inside them. */
export function wholeInput(block: AnthropicBlock): object | undefined {
  // The SDK's stream helper parses half-streamed JSON leniently and keeps the true text beside it.
  const streamed = field(block, '__json_buf');
  if (typeof streamed === 'string' && streamed !== '' && parseRecord(streamed) === undefined) return undefined;
  const input = field(block, 'input');
  return typeof input === 'string' ? parseRecord(input) : isJsonObject(input) ? input : undefined;
}

/** Whether a call can be answered at all: an id and a name. */
export function isCall(
  block: AnthropicBlock,
): block is AnthropicBlock & { readonly id: string; readonly name: string } {
  return (
    block.type === 'tool_use' && textIn(field(block, 'id')) !== undefined && textIn(field(block, 'name')) !== undefined
  );
}

/** Refuses what is not a message: a result of a tool that is a list holds objects with a type. */
export function requireAnthropicMessage(name: string, message: unknown): void {
  requireRoleAndContent(name, message);
  blocksOf(field(message as object, 'content')).forEach((block, i) => {
    if (block.type === 'tool_result') requireBlocks(`${name}.content[${String(i)}].content`, field(block, 'content'));
  });
}

/** The content as blocks, whatever form it has. */
export function blocksOf(content: unknown): readonly AnthropicBlock[] {
  if (Array.isArray(content)) return content as readonly AnthropicBlock[];
  return typeof content === 'string' ? [textBlock(content)] : [];
}

/** A text block. */
export function textBlock(text: string): AnthropicBlock & { readonly text: string } {
  return { type: 'text', text };
}

/** A text as a message of the user. */
export function askText(text: string): AnthropicMessage {
  return { role: 'user', content: text };
}

/** Who speaks here, and how the model says something. */
export const anthropicTurns: TurnReader<AnthropicMessage> = {
  isPrompt: ({ role, content }) => role === 'user' && blocksOf(content).some(({ type }) => type !== 'tool_result'),
  isReply: ({ role }) => role === 'assistant',
  say: (content) => ({ role: 'assistant', content }),
};

/** A text or a message of the model as a message that a request may hold; `undefined` for everything else. */
export function replyOf(value: unknown): AnthropicMessage | undefined {
  if (typeof value === 'string') return { role: 'assistant', content: value };
  if (!isRecord(value) || field(value, 'role') !== 'assistant') return undefined;
  const content = field(value, 'content');
  if (typeof content !== 'string' && !Array.isArray(content)) return undefined;
  // A response says more than a request may: its id, usage and stop reason are refused on the way back.
  if (typeof content === 'string') return { role: 'assistant', content };
  const blocks = (content as readonly unknown[]).filter(
    (block): block is AnthropicBlock => isRecord(block) && typeof field(block, 'type') === 'string',
  );
  return { role: 'assistant', content: blocks.filter((block) => block.type !== 'tool_result') };
}
