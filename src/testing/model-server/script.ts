/**
 * What the scripted model may answer, and the reading of the script: one reply per request, in order or by a
 * function. Prior art: nock's reply specs, `ai/test`'s `MockLanguageModel`.
 *
 * @module
 */
import { isThenable } from '../../core/inside.ts';
import type { ModelRequest } from './request-record.ts';

/**
 * A tool call that the scripted model asks for. In the Responses API it is a `custom_tool_call`, `shell_call` or
 * `apply_patch_call` where the request declares such a tool, and a `function_call` otherwise.
 *
 * @since 0.1.0
 */
export interface ScriptedToolCall {
  /** The tool's name. */
  readonly name: string;
  /** The arguments; streamed as JSON. */
  readonly input: unknown;
  /** The provider's id; by default derived from the request's number and the call's place, so runs are repeatable. */
  readonly id?: string | undefined;
}

/**
 * A part of a scripted answer: something thought, said, or wanted. What is thought is signed by the provider;
 * `redacted` is a thought that Anthropic gives out sealed, and any other protocol as the thought that it is.
 *
 * @since 0.1.0
 */
export type ScriptedPart =
  | { readonly thinking: string; readonly redacted?: boolean | undefined }
  | { readonly text: string }
  | { readonly toolCall: ScriptedToolCall };

/**
 * How a streamed reply is cut up and where it breaks off. Without any of it the reply goes out at once, word by word.
 *
 * @since 0.1.0
 */
export interface ReplyPacing {
  /** Milliseconds before the response's headers. Default 0. */
  readonly delayMs?: number | undefined;
  /** Milliseconds before each delta. Default 0. */
  readonly chunkMs?: number | undefined;
  /** How many deltas each block is cut into, at most one per character. Default: one per word. */
  readonly chunks?: number | undefined;
  /** After so many deltas nothing more is sent, and the connection stays open until the client or the server leaves. */
  readonly silentAfter?: number | undefined;
  /** What ends that silence once it settles, in whatever way: the rest of the reply goes out. */
  readonly silentUntil?: PromiseLike<unknown> | undefined;
  /** After so many deltas the connection is destroyed, as a proxy that fell over would. */
  readonly dropAfter?: number | undefined;
}

/**
 * An answer of the model. An unstreamed request gets it in one piece, after `delayMs` and all of its `chunkMs`.
 *
 * @since 0.1.0
 */
export interface ModelAnswer extends ReplyPacing {
  /** What it says. */
  readonly text?: string | undefined;
  /** What it thinks first, as signed reasoning; Chat Completions has no place for it and leaves it out. */
  readonly thinking?: string | undefined;
  /** The tools it wants called, after the text. */
  readonly toolCalls?: readonly ScriptedToolCall[] | undefined;
  /** All of this in an order of its own, as a model gives it that thinks between its calls; instead of the three. */
  readonly parts?: readonly ScriptedPart[] | undefined;
  /** The provider's own word for why it stopped; by default what fits the answer. */
  readonly stopReason?: string | undefined;
  /** Tokens it bills; by default 10 in, and one out per delta. */
  readonly usage?:
    | { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined }
    | undefined;
}

/**
 * An HTTP error, in the provider's own shape.
 *
 * @since 0.1.0
 */
export interface ModelFailure {
  /** HTTP status, 400–599. */
  readonly status: number;
  /** The provider's message. */
  readonly message?: string | undefined;
  /** Further headers, for example `retry-after`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds before it. Default 0. */
  readonly delayMs?: number | undefined;
}

/**
 * No answer at all: the request is taken, and not even headers come back.
 *
 * @since 0.1.0
 */
export interface ModelSilence {
  readonly silent: true;
}

/**
 * One reply of a script; a string is an answer with that text.
 *
 * @since 0.1.0
 */
export type ModelReply = string | ModelAnswer | ModelFailure | ModelSilence;

/**
 * All replies: a list, used in order, or a function asked once per request with its number from 1.
 *
 * @since 0.1.0
 */
export type ModelScript =
  | readonly ModelReply[]
  | ((request: ModelRequest, n: number) => ModelReply | Promise<ModelReply>);

/** A reply after checking: a string has become an answer. */
export type CheckedReply = ModelAnswer | ModelFailure | ModelSilence;

const countFields = ['delayMs', 'chunkMs', 'silentAfter', 'dropAfter', 'chunks'] as const;

function describe(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** Refuses a reply that would not do what its author meant. `where` names it in the message. */
export function checkReply(reply: unknown, where: string): CheckedReply {
  if (typeof reply === 'string') return { text: reply };
  if (typeof reply !== 'object' || reply === null || Array.isArray(reply)) {
    throw new TypeError(`${where} must be a string or an object, got ${describe(reply)}`);
  }
  const fields = reply as Record<string, unknown>;
  for (const name of countFields) {
    const value = fields[name];
    if (value === undefined) continue;
    if (typeof value !== 'number') throw new TypeError(`${where}.${name} must be a number, got ${describe(value)}`);
    const least = name === 'chunks' ? 1 : 0;
    if (!Number.isFinite(value) || value < least) {
      throw new RangeError(`${where}.${name} must be ${String(least)} or more, got ${String(value)}`);
    }
  }
  checkSilence(fields, where);
  if ('status' in fields) {
    const { status } = fields;
    if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(`${where}.status must be an HTTP error, 400 to 599, got ${describe(status)}`);
    }
    return reply;
  }
  if (fields['silent'] === true) return { silent: true };
  for (const name of ['text', 'thinking', 'stopReason']) {
    const value = fields[name];
    if (value !== undefined && typeof value !== 'string') {
      throw new TypeError(`${where}.${name} must be a string, got ${describe(value)}`);
    }
  }
  checkToolCalls(fields['toolCalls'], where);
  checkParts(fields, where);
  return reply;
}

function checkSilence({ silentAfter, silentUntil }: Readonly<Record<string, unknown>>, where: string): void {
  if (silentUntil === undefined) return;
  if (!isThenable(silentUntil)) {
    throw new TypeError(`${where}.silentUntil must be a promise, got ${describe(silentUntil)}`);
  }
  if (silentAfter === undefined) throw new RangeError(`${where}.silentUntil needs a silentAfter`);
}

function checkParts(fields: Readonly<Record<string, unknown>>, where: string): void {
  const { parts } = fields;
  if (parts === undefined) return;
  if (!Array.isArray(parts)) throw new TypeError(`${where}.parts must be a list, got ${describe(parts)}`);
  const other = ['text', 'thinking', 'toolCalls'].find((name) => fields[name] !== undefined);
  if (other !== undefined) throw new TypeError(`${where} must have parts or ${other}, not both`);
  for (const [index, part] of (parts as readonly unknown[]).entries()) {
    const place = `${where}.parts[${String(index)}]`;
    const own = (typeof part === 'object' && part !== null ? part : {}) as Readonly<Record<string, unknown>>;
    if ('toolCall' in own) checkToolCall(own['toolCall'], `${place}.toolCall`);
    else if (typeof (own['thinking'] ?? own['text']) !== 'string') {
      throw new TypeError(`${place} must have thinking, text or toolCall, got ${describe(part)}`);
    }
  }
}

function checkToolCalls(calls: unknown, where: string): void {
  if (calls === undefined) return;
  if (!Array.isArray(calls)) throw new TypeError(`${where}.toolCalls must be a list, got ${describe(calls)}`);
  for (const [index, call] of (calls as readonly unknown[]).entries()) {
    checkToolCall(call, `${where}.toolCalls[${String(index)}]`);
  }
}

function checkToolCall(call: unknown, where: string): void {
  const name = typeof call === 'object' && call !== null ? (call as { name?: unknown }).name : undefined;
  if (typeof name === 'string' && name !== '') return;
  throw new TypeError(`${where}.name must be a non-empty string, got ${describe(name)}`);
}

/** The reply to a request. A list that is used up answers 400, which no SDK retries, and says so. */
export type ReplySource = (request: ModelRequest, n: number) => Promise<CheckedReply>;

/**
 * Reads a script once and for all.
 *
 * @throws TypeError – neither a list nor a function, or a reply in the list that makes no sense.
 */
export function readScript(script: unknown): ReplySource {
  if (typeof script === 'function') {
    const ask = script as (request: ModelRequest, n: number) => unknown;
    return async (request, n) => checkReply(await ask(request, n), `the reply to request ${String(n)}`);
  }
  if (!Array.isArray(script)) throw new TypeError(`script must be a list or a function, got ${describe(script)}`);
  const replies = script.map((reply, index) => checkReply(reply, `script[${String(index)}]`));
  return (_request, n) =>
    Promise.resolve(
      replies[n - 1] ?? {
        status: 400,
        message: `The script has ${String(replies.length)} replies, this is request ${String(n)}`,
      },
    );
}
