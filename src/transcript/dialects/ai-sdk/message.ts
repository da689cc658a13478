/**
 * The two shapes that conversations have in the AI SDK: what a model is sent, and what a page keeps.
 * Structural: `ModelMessage` and `UIMessage` of `ai` fit, and so does JSON from a file.
 *
 * @module
 */
import { wrongType } from '../../../core/foundation/check.ts';
import { field, isRecord, without } from '../../reading/fields.ts';
import { requireBlocks, requireRoleAndContent } from '../../reading/require-messages.ts';
import type { TurnReader } from '../rules.ts';

/** A part of a message: only its type is certain. */
export interface AISDKPart {
  readonly type: string;
}

/**
 * A message for a model; `ModelMessage` of `ai` is one.
 *
 * @since 0.1.0
 */
export interface AISDKMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly AISDKPart[];
}

/**
 * A message of a page; `UIMessage` of `ai` is one.
 *
 * @since 0.1.0
 */
export interface AISDKUIMessage {
  readonly id?: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly AISDKPart[];
}

/** A text as a message of the user. */
export function askText(content: string): AISDKMessage {
  return { role: 'user', content };
}

/** Who speaks here, and how the model says something. */
export const aiSDKTurns: TurnReader<AISDKMessage> = {
  isPrompt: ({ role }) => role === 'user',
  isReply: ({ role }) => role === 'assistant',
  say: (content) => ({ role: 'assistant', content }),
};

/** Whether a value is a part of a message: a reply that was cut may be anything. */
export function isPart(part: unknown): part is AISDKPart {
  return isRecord(part) && typeof field(part, 'type') === 'string';
}

/** Refuses what is no message for a model: one of a page holds all that it says in its parts. */
export function requireAISDKMessage(name: string, message: unknown): void {
  requireRoleAndContent(name, message);
  const { content, parts } = message as { readonly content?: unknown; readonly parts?: unknown };
  if (content === undefined && parts !== undefined) {
    throw wrongType(name, "a message for a model, or the dialect `aiSDKUI` of 'desist/transcript/ai-sdk'", message);
  }
}

/** Refuses what is no message of a page. */
export function requireAISDKUIMessage(name: string, message: unknown): void {
  requireRoleAndContent(name, message);
  const parts = field(message as object, 'parts');
  if (!Array.isArray(parts)) throw wrongType(`${name}.parts`, 'an array', parts);
  requireBlocks(`${name}.parts`, parts);
}

/**
 * Provider options without the ids under which OpenAI stores the items of a reply: those of a reply that was cut were
 * never stored, and a request that refers to them is refused. Sealed reasoning does not need its id.
 */
export function withoutItemIds<P extends AISDKPart>(part: P): P {
  return withoutOption(part, 'itemId');
}

/** The same part without an option of whichever provider; the same object if none has it. */
export function withoutOption<P extends AISDKPart>(part: P, option: string): P {
  const changes: [name: string, options: object | undefined][] = [];
  for (const name of ['providerOptions', 'providerMetadata', 'callProviderMetadata', 'resultProviderMetadata']) {
    const options = field(part, name);
    if (isRecord(options) && Object.values(options).some((own) => isRecord(own) && option in own)) {
      changes.push([name, bareOptions(options, option)]);
    }
  }
  if (changes.length === 0) return part;
  const changed = { ...part, ...Object.fromEntries(changes) };
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined)) as unknown as P;
}

function bareOptions(options: object, option: string): object | undefined {
  const kept = (Object.entries(options) as [string, unknown][]).flatMap(([provider, own]) => {
    if (!isRecord(own)) return [[provider, own]];
    const rest = without(own, option);
    return Object.keys(rest).length === 0 ? [] : [[provider, rest]];
  });
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as object);
}

/** A text or a thought that says nothing, and that no provider needs for anything else. */
export function isBlank(part: AISDKPart): boolean {
  if (part.type !== 'text' && part.type !== 'reasoning') return false;
  if (field(part, 'providerOptions') || field(part, 'providerMetadata')) return false;
  const text = field(part, 'text');
  return typeof text !== 'string' || text.trim() === '';
}

/** Whether this is reasoning, in words or in a file. */
export function isReasoning(part: AISDKPart): boolean {
  return part.type === 'reasoning' || part.type === 'reasoning-file';
}
