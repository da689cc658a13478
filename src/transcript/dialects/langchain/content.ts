/**
 * The content of a reply: its texts, its reasoning, and what of it cannot be sent.
 * Apart from the calls, which LangChain keeps beside the content.
 *
 * @module
 */
import { field, isRecord, recordsIn, textIn, without } from '../../reading/fields.ts';
import { change, read, speakerOf, withItems, type LangChainMessage } from './message.ts';

/** Where LangChain keeps the ids that calls have as items of a response. */
const ITEM_IDS = '__openai_function_call_ids__';

/** A text block without a visible character. */
export function isBlankText(block: object): boolean {
  const text = field(block, 'text');
  return field(block, 'type') === 'text' && (typeof text !== 'string' || text.trim() === '');
}

/** Whether this is Anthropic's reasoning, which must be sealed. */
export function isThinking(block: object): boolean {
  const type = field(block, 'type');
  return type === 'thinking' || type === 'redacted_thinking';
}

/** What makes a block of reasoning replayable; `undefined` for one that was cut before it was sealed. */
export function sealOf(block: object): string | undefined {
  return textIn(field(block, field(block, 'type') === 'redacted_thinking' ? 'data' : 'signature'));
}

/** Whether a reply is in LangChain's standard blocks (`outputVersion: 'v1'`): it is sent as they say. */
export function isStandard(message: LangChainMessage): boolean {
  return about(message, 'output_version') === 'v1';
}

function about(message: LangChainMessage, name: string): unknown {
  const metadata = read(message, 'response_metadata');
  return isRecord(metadata) ? field(metadata, name) : undefined;
}

/** The reasoning of a reply that must be sealed: in standard blocks it has another name. */
export function isThinkingOf(message: LangChainMessage): (block: object) => boolean {
  if (!isStandard(message) || about(message, 'model_provider') !== 'anthropic') return isThinking;
  return (block) => isThinking(block) || field(block, 'type') === 'reasoning';
}

/**
 * The standard blocks of a reply with every seal in its thought: a stream leaves it in a block of its own behind it, and so
 * neither can be sent.
 */
export function withSeals(blocks: readonly unknown[]): readonly unknown[] {
  const out: unknown[] = [];
  let thoughtAt = -1;
  for (const block of blocks) {
    const seal = isRecord(block) ? apartSealOf(block) : undefined;
    if (seal === undefined) {
      if (isRecord(block) && field(block, 'type') === 'reasoning') thoughtAt = out.length;
      out.push(block);
      continue;
    }
    const thought = out[thoughtAt];
    if (isRecord(thought) && sealOf(thought) === undefined) out[thoughtAt] = { ...thought, signature: seal };
  }
  return out.length === blocks.length ? blocks : out;
}

function apartSealOf(block: object): string | undefined {
  const value = field(block, 'value');
  if (field(block, 'type') !== 'non_standard' || !isRecord(value)) return undefined;
  const isThought = field(value, 'type') === 'thinking' && textIn(field(value, 'thinking')) === undefined;
  return isThought ? textIn(field(value, 'signature')) : undefined;
}

/**
 * A reply of OpenAI's responses that is made anew, without all that is sent by its id alone: nothing was kept of a response
 * that never ended, and of one that was kept nothing is sent alone.
 */
export function withoutUnkept(message: LangChainMessage): LangChainMessage {
  const isKept = (thought: unknown) => !isRecord(thought) || textIn(field(thought, 'encrypted_content')) !== undefined;
  const more = read(message, 'additional_kwargs');
  const gone = isRecord(more) && !isKept(field(more, 'reasoning')) ? [ITEM_IDS, 'reasoning'] : [ITEM_IDS];
  const rest = isRecord(more) ? without(more, ...gone) : more;
  const own = withItems(rest === more ? message : change(message, { additional_kwargs: rest }), []);
  const content = read(own, 'content');
  if (about(own, 'model_provider') !== 'openai' || !Array.isArray(content)) return own;
  const kept = content.filter((block) => !isRecord(block) || field(block, 'type') !== 'reasoning' || isKept(block));
  return kept.length === content.length ? own : change(own, { content: kept.length === 0 ? '' : kept });
}

/** Whether a reply without calls says anything, in its content or where some providers keep what they say. */
export function saysSomething(message: LangChainMessage): boolean {
  const more = read(message, 'additional_kwargs');
  if (isRecord(more) && ['function_call', 'audio', 'refusal'].some((name) => Boolean(field(more, name)))) return true;
  if (isRecord(more) && recordsIn(field(more, 'tool_outputs')).length > 0) return true;
  const content = read(message, 'content');
  return typeof content === 'string' ? content.trim() !== '' : recordsIn(content).length > 0;
}

/** The content with a text below it. */
export function withText(message: LangChainMessage, text: string): LangChainMessage {
  const content = read(message, 'content');
  if (Array.isArray(content) && content.length > 0) {
    return change(message, { content: [...(content as readonly unknown[]), { type: 'text', text }] });
  }
  const before = typeof content === 'string' ? content.trimEnd() : '';
  return change(message, { content: before === '' ? text : `${before}\n\n${text}` });
}

/** A text or a message of the model; `undefined` for everything else. */
export function replyOf(value: unknown): LangChainMessage | undefined {
  if (typeof value === 'string') return { role: 'assistant', content: value };
  if (typeof value !== 'object' || value === null || speakerOf(value) !== 'ai') return undefined;
  // A provider's own message may have no content beside its calls; LangChain's has.
  return (read(value, 'content') ?? undefined) === undefined ? change(value, { content: '' }) : value;
}
