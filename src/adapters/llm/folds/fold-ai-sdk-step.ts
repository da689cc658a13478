/**
 * One step of the AI SDK's full stream: a model call and the results of its tools.
 *
 * @module
 */
import { isCutShort, replyEnd } from '../../../core/inside.ts';
import { isVisible, textIn, type CallFragment } from './fold.ts';
import { ReplyPieces, type Piece, type Written } from './reply-pieces.ts';

/**
 * A tool call of the AI SDK.
 *
 * @since 0.1.0
 */
export interface AISDKToolCall {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
}

/**
 * A message that a step left, as `ModelMessage` of `ai` has it; mutable, as the SDK types its parameters.
 *
 * @since 0.1.0
 */
export interface AISDKStepMessage {
  role: 'assistant' | 'tool';
  // The SDK's part types differ between its versions; what the fold builds, each of them takes.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- `unknown[]` would not be assignable to the SDK's content
  content: any[];
}

type AISDKAssistantMessage = AISDKStepMessage & { role: 'assistant' };

/** A step as it was at one moment, as it can go back to the provider. */
export interface StepMoment {
  readonly isLong: boolean;
  readonly text: string;
  readonly fragments: readonly CallFragment[];
  message(): AISDKAssistantMessage;
  /** The reply and the results of its tools; none if there is nothing to send. */
  messages(reply: AISDKAssistantMessage): AISDKStepMessage[];
  calls(): AISDKToolCall[];
}

type Fields = Readonly<Record<string, unknown>>;

/** A text or a thought on its way. */
interface OpenText {
  readonly place: number;
  readonly type: 'text' | 'reasoning';
  text: string;
  isVisible: boolean;
  metadata: unknown;
  isEnded: boolean;
}

/** A part of a reply: a text on its way, or what came whole. */
interface StepPart extends Piece<Fields, Fields> {
  readonly text?: OpenText;
  readonly whole?: Fields;
  /** Of a call whose input could not be read, as much of it as came. */
  readonly half?: string | undefined;
}

interface StepResult extends Piece<Fields, never> {
  readonly result: Fields;
}

/** Takes in the parts of one step. */
export class Step {
  readonly #content = new ReplyPieces<StepPart, Fields, Fields>({
    write: (part) => (this.#isHalf(part.half) ? halfCall(part) : writePart(part, this.isFinished)),
  });
  readonly #results = new ReplyPieces<StepResult, Fields, never>({
    write: ({ result }) => (this.#isHalf(this.#halves.get(result['toolCallId'])) ? {} : { part: result }),
  });
  readonly #open = new Map<string, OpenText>();
  /** Calls whose input is still on its way, by their id. */
  readonly #inputs = new Map<string, { readonly name: string; json: string }>();
  /** What could not be read of the input of calls, by their id. */
  readonly #halves = new Map<unknown, string>();
  usage: unknown;
  isFinished = false;
  #isCut = false;

  finish({ usage, finishReason }: Fields): void {
    this.isFinished = true;
    this.#isCut = isCutShort(replyEnd(finishReason));
    this.usage = usage;
    this.#content.reset();
    this.#results.reset();
  }

  /** Whether the step ended inside a call: the SDK has an answer of its own to what it could not read. */
  #isHalf(half: string | undefined): boolean {
    return this.#isCut && half !== undefined;
  }

  #push(whole: Fields, half?: string): void {
    this.#content.set(this.#content.last + 1, { whole, half });
  }

  add(type: string, fields: Fields): void {
    switch (type) {
      case 'text-start':
      case 'reasoning-start':
        this.#begin(type === 'text-start' ? 'text' : 'reasoning', fields);
        break;
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end':
        this.#grow(type, fields);
        break;
      case 'tool-input-start':
        this.#inputs.set(String(fields['id']), {
          name: typeof fields['toolName'] === 'string' ? fields['toolName'] : '',
          json: '',
        });
        break;
      case 'tool-input-delta': {
        const input = this.#inputs.get(String(fields['id']));
        if (input !== undefined && typeof fields['delta'] === 'string') input.json += fields['delta'];
        break;
      }
      case 'tool-call': {
        const { toolCallId: id, input, invalid } = fields;
        this.#inputs.delete(String(id));
        // What the model wrote where it is an object; half a text that could not be parsed is no input.
        const isText = typeof input !== 'object' || input === null;
        const half = invalid === true && isText ? textIn(input) : undefined;
        if (half !== undefined) this.#halves.set(id, half);
        const own = half === undefined ? input : {};
        this.#push({ ...named(fields), input: own, ...optionsOf(fields, 'providerMetadata') }, half);
        break;
      }
      case 'tool-approval-request': {
        const { approvalId, toolCall } = fields as { approvalId?: unknown; toolCall?: Fields };
        this.#push({ type, approvalId, toolCallId: toolCall?.['toolCallId'] });
        break;
      }
      case 'tool-result':
      case 'tool-error':
        if (fields['preliminary'] === true) break; // a later one takes its place
        if (fields['providerExecuted'] === true) this.#push(resultOf(type, fields));
        else this.#results.set(this.#results.last + 1, { result: resultOf(type, fields) });
        break;
      case 'file':
      case 'reasoning-file': {
        const { mediaType, base64 } = (fields['file'] ?? {}) as Fields;
        this.#push({ type, mediaType, data: base64, ...optionsOf(fields, 'providerMetadata') });
        break;
      }
      case 'custom':
        this.#push({ type, kind: fields['kind'], ...optionsOf(fields, 'providerMetadata') });
        break;
    }
  }

  #begin(type: OpenText['type'], fields: Fields): void {
    const place = this.#content.last + 1;
    const metadata = fields['providerMetadata'];
    const text: OpenText = { place, type, text: '', isVisible: false, metadata, isEnded: false };
    this.#open.set(`${type} ${String(fields['id'])}`, text);
    this.#content.set(place, { text });
  }

  #grow(type: string, fields: Fields): void {
    const text = this.#open.get(`${type.slice(0, type.lastIndexOf('-'))} ${String(fields['id'])}`);
    if (text === undefined) return;
    const piece = fields['text'];
    if (typeof piece === 'string') {
      text.text += piece;
      text.isVisible ||= isVisible(piece);
    }
    // What was said last counts: a signature comes with the end.
    text.metadata = fields['providerMetadata'] ?? text.metadata;
    if (type.endsWith('-end')) text.isEnded = true;
    this.#content.set(text.place, { text });
  }

  now(): StepMoment {
    const content = this.#content.now();
    const results = this.#results.now();
    return {
      isLong: content.isLong || results.isLong,
      text: content.text,
      fragments: [...content.fragments(), ...Array.from(this.#inputs, ([id, input]) => ({ id, ...input }))],
      message: () => ({ role: 'assistant', content: content.parts() }),
      messages: (reply) => {
        const answers = results.parts();
        return [
          ...(reply.content.length === 0 ? [] : [reply]),
          ...(answers.length === 0 ? [] : [{ role: 'tool' as const, content: answers }]),
        ];
      },
      calls: () => content.calls() as unknown as AISDKToolCall[],
    };
  }
}

function named({ toolCallId, toolName, providerExecuted }: Fields): Fields {
  const executed = providerExecuted === true ? { providerExecuted } : {};
  return { type: 'tool-call', toolCallId, toolName, ...executed };
}

function resultOf(type: string, { toolCallId, toolName, output, error }: Fields): Fields {
  const base = { type: 'tool-result', toolCallId, toolName };
  if (type === 'tool-result') {
    const value =
      typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null };
    return { ...base, output: value };
  }
  const value = error instanceof Error ? error.message : String(error);
  return { ...base, output: { type: 'error-text', value } };
}

/** What only the provider understands, under the name that it has in a message. */
function optionsOf(fields: Fields, name: string): Fields {
  return fields[name] === undefined ? {} : { providerOptions: fields[name] };
}

function halfCall({ whole = {}, half: json = '' }: StepPart): Written<Fields, Fields> {
  return { fragment: { id: textIn(whole['toolCallId']), name: textIn(whole['toolName']), json } };
}

/** What a part comes to, if it may go back to the provider. */
function writePart({ text, whole }: StepPart, isFinished: boolean): Written<Fields, Fields> {
  const made = text === undefined ? whole : finishedText(text, isFinished);
  if (made === undefined) return {};
  const part = isFinished ? made : withoutItemIds(made);
  if (part['type'] === 'text') return { part, text: String(part['text']) };
  return part['type'] === 'tool-call' && part['providerExecuted'] !== true ? { part, call: part } : { part };
}

function finishedText(
  { type, text, isVisible: isShown, metadata, isEnded }: OpenText,
  isFinished: boolean,
): Fields | undefined {
  if (type === 'reasoning' && !isEnded && !isFinished) return undefined;
  if (!isShown && metadata === undefined) return undefined;
  if (!isShown && !isFinished && type === 'text') return undefined;
  return { type, text, ...(metadata === undefined ? {} : { providerOptions: metadata }) };
}

/** The provider did not store the items of a reply that was cut; a request that refers to them would be refused. */
function withoutItemIds(part: Fields): Fields {
  const { providerOptions, ...rest } = part;
  if (typeof providerOptions !== 'object' || providerOptions === null) return part;
  const kept = Object.entries(providerOptions as Fields).flatMap(([provider, own]) => {
    if (typeof own !== 'object' || own === null || !('itemId' in own)) return [[provider, own] as const];
    const { itemId: _gone, ...options } = own as Fields;
    return Object.keys(options).length === 0 ? [] : [[provider, options] as const];
  });
  return kept.length === 0 ? rest : { ...rest, providerOptions: Object.fromEntries(kept) };
}
