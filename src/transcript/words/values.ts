/**
 * What a tool returned, as plain data: providers take JSON, and tools return whatever they like.
 * Prior art: `structuredClone`, MCP's `CallToolResult`.
 *
 * @module
 */
import type { ToolOutcome, ToolStatus } from '../from-core.ts';
import { field, isRecord, textIn } from '../reading/fields.ts';

/** What a result is to say: the tool's own value, or words about what happened. */
export type Answer =
  | {
      readonly status: 'completed';
      readonly value: unknown;
      /** The value, if it is that of an MCP tool. */
      readonly content?: ToolContent | undefined;
      /** Somebody chose what is said, in a form that the provider may have of its own. */
      readonly isRendered?: boolean;
      /** What the model has to know besides. */
      readonly note?: string | undefined;
    }
  | { readonly status: Exclude<ToolStatus, 'completed'> | 'unrecorded'; readonly text: string };

/**
 * Chooses what a call's result says: a text, content parts of the provider, or any value; `undefined` keeps ours. A call
 * that did not complete can only be told in words: anything but a text is written as JSON. It is asked when messages are
 * read, which throws a TypeError for a promise.
 *
 * @since 0.1.0
 */
export type Render = (outcome: ToolOutcome) => unknown;

/** A piece of a result that holds more than one text. */
export type ValuePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

/** The result of an MCP tool, read. */
export interface ToolContent {
  readonly parts: readonly ValuePart[];
  readonly isError: boolean;
}

/** How many objects of one value are written; what comes after that is named by its kind. */
const LIMIT = 200_000;
/** How deep a value may be nested; JSON of more overflows the stack of many readers. */
const DEPTH = 200;
/** What stands for what cannot be read. */
const UNREADABLE = '[Unreadable]';

/**
 * A value as plain JSON data: dates, addresses, maps, sets, bigints, errors and bytes by what they hold, a cycle by its
 * name. Nothing in it runs later, and no key of it can reach a prototype.
 *
 * @returns `undefined` for what has no JSON: nothing, a function, a symbol.
 */
export function plainValue(value: unknown): unknown {
  let left = LIMIT;
  const above = new Set<object>();
  return copy(value);

  function copy(item: unknown): unknown {
    if (typeof item === 'bigint') return item.toString();
    if (typeof item === 'number') return Number.isFinite(item) ? item : null;
    if (typeof item === 'function' || typeof item === 'symbol') return undefined;
    if (typeof item !== 'object' || item === null) return item;
    if (above.has(item)) return '[Circular]';
    left -= 1;
    if (left < 0 || above.size >= DEPTH) return Array.isArray(item) ? '[Array]' : '[Object]';
    above.add(item);
    try {
      return copyObject(item);
    } catch {
      return UNREADABLE; // a getter or a toJSON of its own threw
    } finally {
      above.delete(item);
    }
  }

  function copyObject(item: object): unknown {
    if (Array.isArray(item)) return Array.from(item as readonly unknown[], (one) => copy(one) ?? null);
    if (isError(item)) return item.message === '' ? item.name : `${item.name}: ${item.message}`;
    if (item instanceof Map) return copyMap(item);
    if (item instanceof Set) return Array.from(item, (one) => copy(one) ?? null);
    if (item instanceof URL) return item.href;
    if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) return `[${String(item.byteLength)} bytes]`;
    const toJSON = field(item, 'toJSON');
    if (typeof toJSON === 'function') return copy(toJSON.call(item, ''));
    return record(Object.keys(item).map((key) => [key, readField(item, key)]));
  }

  /** One field; a getter that throws spoils itself alone. */
  function readField(item: object, key: string): unknown {
    try {
      return field(item, key);
    } catch {
      return UNREADABLE;
    }
  }

  function copyMap(map: ReadonlyMap<unknown, unknown>): unknown {
    const entries = [...map];
    if (entries.every(([key]) => typeof key === 'string')) return record(entries as [string, unknown][]);
    return entries.map(([key, one]) => [copy(key) ?? null, copy(one) ?? null]);
  }

  function record(entries: readonly (readonly [string, unknown])[]): object {
    const copied = entries.map(([key, one]) => [key, copy(one)] as const).filter(([, one]) => one !== undefined);
    // Defines every key as the object's own: `__proto__` too.
    return Object.fromEntries(copied);
  }
}

/** A value that can be looked at: a draft that was revoked, as state libraries hand out, cannot even be asked what it is. */
export function readable(value: unknown): unknown {
  try {
    // The answer is used: a bundler drops a question that nobody hears the answer to, and with it what it throws.
    return Array.isArray(value) && value.length < 0 ? [] : value;
  } catch {
    return UNREADABLE;
  }
}

/** A list with a value in each place: what asks whether every one is a part of a provider's passes over holes. */
export function withoutHoles(value: unknown): unknown {
  const hasHoles = Array.isArray(value) && Object.keys(value).length < value.length;
  return hasHoles ? Array.from(value as readonly unknown[]) : value;
}

/** Whether a value is an error, also one of another realm. */
export function isError(value: unknown): value is Error {
  if (value instanceof Error) return true;
  try {
    return Object.prototype.toString.call(value) === '[object Error]';
  } catch {
    return false; // a proxy that was revoked
  }
}

/** A value as text for a model: a string as it is, anything else as JSON, as much of it as JSON can say. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  if (isError(value)) return String(plainValue(value));
  const plain = plainValue(value);
  if (typeof plain === 'string') return plain;
  return plain === undefined ? Object.prototype.toString.call(value) : JSON.stringify(plain);
}

/** What an MCP tool returned; `undefined` for every other value. */
export function toolContent(value: unknown): ToolContent | undefined {
  try {
    if (!isRecord(value) || !isOfTool(value)) return undefined;
    const content = field(value, 'content');
    const isError = field(value, 'isError') === true;
    if (!Array.isArray(content)) return undefined;
    const parts = Array.from(content as readonly unknown[], partOf);
    if (!parts.every((part) => part !== undefined)) return undefined;
    if (parts.length > 0) return { parts, isError };
    const structured = field(value, 'structuredContent');
    if (structured !== undefined) return { parts: [text(valueText(structured))], isError };
    // An object with an empty list of `content` may be anything; MCP's says more than that.
    return 'isError' in value ? { parts, isError } : undefined;
  } catch {
    return undefined; // a getter threw: whatever it is, it is read as a value
  }
}

/** Whether an object is MCP's: what holds more than its `content`, and nothing that only MCP's has, is somebody else's. */
function isOfTool(value: object): boolean {
  const own = ['structuredContent', 'isError', '_meta'];
  return own.some((key) => key in value) || Object.keys(value).every((key) => key === 'content');
}

/** All parts as one text: a picture by its kind. */
export function partsText(parts: readonly ValuePart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `[${part.mimeType}]`)).join('\n');
}

/** One block of an MCP tool's content; `undefined` for whatever is none. */
function partOf(block: unknown): ValuePart | undefined {
  if (!isRecord(block)) return undefined;
  const { type, text: said, data, mimeType, uri, title, name, resource } = block as Readonly<Record<string, unknown>>;
  switch (type) {
    case 'text':
      return typeof said === 'string' ? text(said) : undefined;
    case 'image':
    case 'audio':
      if (typeof data !== 'string' || typeof mimeType !== 'string') return undefined;
      return type === 'image' ? { type, data, mimeType } : text(`[${mimeType}]`);
    case 'resource_link':
      if (typeof uri !== 'string') return undefined;
      return text([textIn(title) ?? textIn(name), uri].filter(Boolean).join(': '));
    case 'resource': {
      if (!isRecord(resource)) return undefined;
      const place = textIn(field(resource, 'uri')) ?? 'resource';
      const held = textIn(field(resource, 'text'));
      return text(held === undefined ? `[${place}]` : `${place}\n${held}`);
    }
    default:
      return undefined;
  }
}

function text(said: string): ValuePart {
  return { type: 'text', text: said };
}
