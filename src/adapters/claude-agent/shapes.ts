/**
 * What the Claude Agent SDK and its executable pass around, as far as a stop concerns it.
 *
 * @module
 */
import { isObject } from '../../core/inside.ts';

/** What the executable says, of whatever type. */
export interface Frame {
  readonly type: string;
  readonly subtype?: unknown;
  /** The call of the sub-agent that it is about; `null` for the agent itself. */
  readonly parent_tool_use_id?: unknown;
  readonly session_id?: unknown;
  readonly event?: StreamEvent;
  readonly message?: { readonly content?: unknown };
  readonly user_message_uuid?: unknown;
  readonly user_message_uuids?: unknown;
  readonly is_error?: unknown;
  readonly result?: unknown;
  readonly errors?: unknown;
  readonly tasks?: unknown;
  readonly task_id?: unknown;
  readonly tool_use_id?: unknown;
  readonly status?: unknown;
  readonly summary?: unknown;
}

/** A step of a reply of the model. */
export interface StreamEvent {
  readonly type?: unknown;
  readonly delta?: { readonly type?: unknown; readonly text?: unknown };
  readonly content_block?: { readonly type?: unknown };
  readonly usage?: { readonly output_tokens?: unknown };
}

/** A part of a message: what was said, called or given back. */
export interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
  readonly tool_use_id?: unknown;
  readonly content?: unknown;
  readonly is_error?: unknown;
}

/** What the executable asks the program about a call. */
export interface PermissionRequest {
  readonly signal: AbortSignal;
  readonly toolUseID: string;
  readonly agentID?: string | undefined;
}

/** Its answer. */
export interface Permission {
  readonly behavior?: unknown;
  readonly message?: unknown;
  readonly interrupt?: unknown;
}

/** The program's own callback for permissions. */
export type CanUseTool = (name: string, input: unknown, request: PermissionRequest) => unknown;

/** What the executable says before a call begins. */
export interface HookInput {
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
  readonly agent_id?: unknown;
}

/** A message as the executable reads it. */
export interface UserMessage {
  readonly type: 'user';
  readonly uuid: string;
  readonly message: { readonly role: 'user'; readonly content: readonly object[] };
  readonly parent_tool_use_id: null;
}

/** What a stop of the executable tells. */
export interface InterruptReceipt {
  readonly still_queued?: unknown;
  readonly cancelled?: unknown;
}

/** The query of the SDK as this door uses it; what is optional older versions have not. */
export interface OwnQuery extends AsyncIterable<unknown> {
  interrupt(options: { readonly cancelQueued: boolean }): PromiseLike<unknown>;
  cancelAsyncMessage?(uuid: string): PromiseLike<unknown>;
  stopTask?(id: string): PromiseLike<unknown>;
}

/** Whether it can be read at all. */
export function isFrame(value: unknown): value is Frame {
  return isObject(value) && typeof (value as { readonly type?: unknown }).type === 'string';
}

/** The parts of a message. */
export function blocksOf({ message }: Frame): readonly Block[] {
  const content = isObject(message) ? message.content : undefined;
  return Array.isArray(content) ? (content as readonly unknown[]).filter((part): part is Block => isObject(part)) : [];
}

/** The texts of a list that came from elsewhere. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter((one) => typeof one === 'string') : [];
}

/** Whatever was thrown, as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
