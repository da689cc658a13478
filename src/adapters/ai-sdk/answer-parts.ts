/**
 * The parts of an answer, as the parts of a message.
 *
 * @module
 */
import { isObject } from '../../core/inside.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A part of an answer: a text, a thought, a call; as the provider's adapter gives it. */
export interface AnswerPart {
  readonly type: string;
  readonly providerMetadata?: unknown;
}

/** A part of a message. */
export type MessagePart = Fields & { readonly type: string };

/** Providers give the arguments of a call as text. */
function inputOf(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input.trim() === '' ? '{}' : input) as unknown;
  } catch {
    return {};
  }
}

/** A part of an answer as the part of a message; none for what a request cannot hold. */
export function messagePart(given: AnswerPart): MessagePart[] {
  const part = given as AnswerPart & Fields;
  const { type, providerMetadata } = part;
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  switch (type) {
    case 'text':
    case 'reasoning':
      return part['text'] === '' && providerMetadata === undefined ? [] : [{ type, text: part['text'], ...options }];
    case 'tool-call': {
      const { toolCallId, toolName, input, providerExecuted } = part;
      const executed = providerExecuted === true ? { providerExecuted } : {};
      return [{ type, toolCallId, toolName, input: inputOf(input), ...executed, ...options }];
    }
    case 'tool-result': {
      const { toolCallId, toolName, result, preliminary } = part;
      if (preliminary === true) return []; // a later one takes its place
      return [{ type, toolCallId, toolName, output: { type: 'json', value: result ?? null }, ...options }];
    }
    case 'tool-approval-request':
      return [{ type, approvalId: part['approvalId'], toolCallId: part['toolCallId'] }];
    case 'file':
      return [{ type, mediaType: part['mediaType'], data: part['data'], ...options }];
    default:
      return [];
  }
}

/** The names that providers gave to an item of theirs. */
export function itemIdsOf(options: unknown): string[] {
  if (!isObject(options)) return [];
  return Object.values(options).flatMap((own: unknown) => {
    const itemId = isObject(own) ? (own as Fields)['itemId'] : undefined;
    return typeof itemId === 'string' ? [itemId] : [];
  });
}

/** Whether an item of a thought carries itself along, so that it can go back to a provider that did not store it. */
function isSealed(options: object): boolean {
  return Object.values(options).some(
    (own: unknown) => isObject(own) && typeof (own as Fields)['reasoningEncryptedContent'] === 'string',
  );
}

/** A part without the name of its item, which no provider has; none for a thought that is nothing but its name. */
export function unnamedPart(part: MessagePart): MessagePart[] {
  const { providerOptions, ...rest } = part;
  if (itemIdsOf(providerOptions).length === 0) return [part];
  const given = providerOptions as object;
  if (part.type === 'reasoning' && !isSealed(given)) return [];
  const options = Object.entries(given).flatMap(([provider, own]: [string, unknown]) => {
    if (!isObject(own)) return [[provider, own] as const];
    const { itemId: _, ...more } = own as Fields;
    return Object.keys(more).length === 0 ? [] : [[provider, more] as const];
  });
  const bare = rest as MessagePart;
  return [options.length === 0 ? bare : { ...bare, providerOptions: Object.fromEntries(options) }];
}
