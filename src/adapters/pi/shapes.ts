/**
 * What pi's loop passes around, as far as a stop concerns it.
 *
 * @module
 */
import { isObject } from '../../core/inside.ts';

/** A part of a message: what was said, thought or called. */
export interface Part {
  readonly type: string;
  readonly text?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
}

/** What the model says. */
export interface Reply {
  readonly role: 'assistant';
  readonly content: readonly Part[];
  readonly stopReason: string;
  readonly errorMessage?: string | undefined;
  readonly usage?: { readonly output?: unknown } | undefined;
}

/** A step of a reply: `partial` until the last, which has `message` or `error`. */
export interface ReplyEvent {
  readonly type: string;
  readonly reason?: string;
  readonly partial?: Reply;
  readonly message?: Reply;
  readonly error?: Reply;
}

/** What a tool gives. */
export interface ToolResult {
  readonly content?: unknown;
}

/** What the loop asks before a call. */
export interface Question {
  readonly toolCall: { readonly id: string };
}

/** Allows a call, or blocks it. */
export type BeforeToolCall = (question: Question, signal?: AbortSignal) => unknown;

/** Asks a model. */
export type StreamFn = (model: object, context: { readonly messages: readonly unknown[] }, options?: object) => unknown;

/** The parts of a message. */
export function partsOf(message: unknown): readonly Part[] {
  const { content } = (isObject(message) ? message : {}) as { readonly content?: unknown };
  return Array.isArray(content) ? (content as readonly Part[]) : [];
}
