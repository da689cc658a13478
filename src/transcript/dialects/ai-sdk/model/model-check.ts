/**
 * Finds every breach of the AI SDK's rules in a transcript of messages for a model.
 * Written from the SDK's rules alone and sharing nothing with the settler, so that each can be tested by the other.
 *
 * @module
 */
import type { IdPolicy } from '../../../dialect.ts';
import { isMissing } from '../../json-checks.ts';
import type { Note } from '../../rules.ts';
import type { AISDKMessage } from '../message.ts';

type Json = Readonly<Record<string, unknown>>;

/** The calls of one reply, and what the tool messages directly behind it said about them. */
interface Batch {
  readonly at: number;
  /** Each call's id, and whether the provider runs it. */
  readonly calls: Map<unknown, boolean>;
  readonly answered: Set<unknown>;
  /** Each question's id, and the call it is about. */
  readonly questions: Map<unknown, unknown>;
  readonly decided: Map<unknown, number>;
}

/** Notes every breach, message by message. */
export function checkModelMessages(messages: readonly AISDKMessage[], note: Note, ids: IdPolicy, isOver = false): void {
  const server: ServerCalls = { seen: new Set(), open: new Map() };
  let batch = newBatch(-1);
  const used = new Set<unknown>();
  messages.forEach((message, at) => {
    const parts = contentOf(message);
    if (ids === 'normalise') checkNames(parts, at, note);
    if (ids === 'normalise' && message.role === 'assistant') checkIds(parts, used, at, note);
    if (message.role === 'tool') {
      checkToolMessage(parts, batch, server, at, note);
      return;
    }
    closeBatch(batch, undefined, note);
    batch = newBatch(at);
    if (message.role === 'assistant') checkReply(message, parts, batch, server, note);
    else if (isMissing(message.content)) note(at, 'message-not-empty', 'the message holds nothing');
  });
  closeBatch(batch, isOver ? undefined : messages.length - 1, note);
  // At the very end the provider goes on with what it began, and with what made the calls there.
  let start = messages.length - 1;
  while (messages[start]?.role === 'assistant' || messages[start]?.role === 'tool') start -= 1;
  const makers =
    messages[batch.at]?.role === 'assistant' ? contentOf(messages[batch.at] as AISDKMessage).map(makerOf) : [];
  for (const [id, at] of server.open) {
    const isGoingOn = at === batch.at || (at > start && makers.includes(id));
    if (isOver || !isGoingOn) note(at, 'server-call-answered', `${String(id)} has no result`);
  }
}

/** The call of the provider that made a call, whichever provider it is. */
function makerOf(part: Json): unknown {
  const options = Object.values((part['providerOptions'] ?? {}) as Readonly<Record<string, Json | undefined>>);
  const caller = options.map((own) => own?.['caller'] as Json | undefined).find((one) => one !== undefined);
  return caller?.['toolId'] ?? caller?.['callerId'];
}

/** Ids and names that every provider takes: the next request may go to another one. */
function checkNames(parts: readonly Json[], at: number, note: Note): void {
  for (const { type, toolCallId: id, toolName: name } of parts) {
    if (type !== 'tool-call' && type !== 'tool-result') continue;
    if (typeof id === 'string' && !/^[a-zA-Z0-9_-]{0,40}$/.test(id)) {
      note(at, 'id-characters', `an id is not one that every provider takes: ${id}`);
    }
    if (typeof name === 'string' && !/^[a-zA-Z0-9_-]{0,64}$/.test(name)) {
      note(at, 'name-characters', `${name} is a name that no tool can have`);
    }
  }
}

/** Ids that are unique in the conversation, as some providers want them; those of what a provider ran are its own. */
function checkIds(parts: readonly Json[], used: Set<unknown>, at: number, note: Note): void {
  const calls = parts.filter(({ type }) => type === 'tool-call');
  for (const { toolCallId: id, providerExecuted } of calls) {
    if (used.has(id) && providerExecuted !== true) note(at, 'call-id', `a call before has the id ${String(id)}`);
  }
  for (const { toolCallId: id } of calls) used.add(id);
}

/** The calls that the provider runs; their results may stand in a later reply. */
interface ServerCalls {
  readonly seen: Set<unknown>;
  /** Those without a result, and the index of their message. */
  readonly open: Map<unknown, number>;
}

function newBatch(at: number): Batch {
  return { at, calls: new Map(), answered: new Set(), questions: new Map(), decided: new Map() };
}

function contentOf(message: AISDKMessage): readonly Json[] {
  const content: unknown = message.content;
  return Array.isArray(content) ? (content as Json[]) : [];
}

/** `end` is the index of the transcript's last message, if the batch reaches it. */
function closeBatch(batch: Batch, end: number | undefined, note: Note): void {
  for (const [id, isServer] of batch.calls) {
    // At the very end the SDK itself runs what a person allowed.
    const isDecided = end !== undefined && batch.decided.get(id) === end;
    if (!isServer && !isDecided && !batch.answered.has(id))
      note(batch.at, 'call-answered', `${String(id)} has no result after it`);
  }
}

function checkReply(
  message: AISDKMessage,
  parts: readonly Json[],
  batch: Batch,
  server: ServerCalls,
  note: Note,
): void {
  const { at } = batch;
  const says = typeof message.content === 'string' ? /\S/.test(message.content) : parts.length > 0;
  if (!says) note(at, 'message-not-empty', 'the message holds nothing');
  for (const part of parts) {
    const id = part['toolCallId'];
    switch (part['type']) {
      case 'text':
      case 'reasoning':
        if (!part['providerOptions'] && !isVisible(part['text'])) {
          note(at, 'text-not-empty', 'a text holds no visible character');
        }
        break;
      case 'tool-call':
        checkCall(part, batch, note);
        if (makerOf(part) !== undefined && !server.seen.has(makerOf(part))) {
          note(at, 'caller-there', `${String(id)} was made by a tool of the provider that is not there`);
        }
        if (part['providerExecuted'] !== true) break;
        if (server.open.has(id)) note(server.open.get(id) as number, 'server-call-answered', `${String(id)} is lost`);
        server.open.set(id, at);
        server.seen.add(id);
        break;
      case 'tool-result':
        if (!server.seen.has(id)) note(at, 'result-has-call', `a result of nobody's stands in a reply: ${String(id)}`);
        server.open.delete(id);
        break;
      case 'tool-approval-request':
        if (!batch.calls.has(id) || [...batch.questions.values()].includes(id)) {
          note(at, 'approval-has-call', `a question has no call of its own: ${String(id)}`);
        }
        batch.questions.set(part['approvalId'], id);
        break;
    }
  }
  const last = parts.filter((part) => part['type'] !== 'tool-approval-request').pop()?.['type'];
  if (last === 'reasoning' || last === 'reasoning-file') {
    note(at, 'thinking-not-last', 'the message ends in reasoning');
  }
}

function checkCall(part: Json, batch: Batch, note: Note): void {
  const { toolCallId: id, toolName: name, input } = part;
  const label = `${String(name)} (${String(id)})`;
  if (typeof id !== 'string' || id === '' || typeof name !== 'string' || name === '') {
    note(batch.at, 'call-id', `a call has no id or no name: ${label}`);
  } else if (batch.calls.has(id)) {
    note(batch.at, 'call-id', `two calls of a message share an id: ${label}`);
  }
  const isText = typeof input === 'string' && /^\s*[^{\s]/.test(input);
  if (!isText && Object.prototype.toString.call(input) !== '[object Object]') {
    note(batch.at, 'call-arguments', `the arguments of ${label} are not an object`);
  }
  batch.calls.set(id, part['providerExecuted'] === true);
}

function checkToolMessage(parts: readonly Json[], batch: Batch, server: ServerCalls, at: number, note: Note): void {
  if (parts.length === 0) note(at, 'message-not-empty', 'the message holds nothing');
  for (const part of parts) {
    if (part['type'] === 'tool-approval-response') {
      const id = batch.questions.get(part['approvalId']);
      if (id === undefined || batch.decided.has(id)) {
        note(at, 'approval-has-call', `a decision has no question of its own: ${String(part['approvalId'])}`);
      }
      batch.decided.set(id, at);
      // The provider ends what was allowed, whenever that is.
      server.open.delete(id);
      continue;
    }
    const id = part['toolCallId'];
    if (part['type'] !== 'tool-result' || !batch.calls.has(id)) {
      note(at, 'result-has-call', `a result has no call before it: ${String(id)}`);
    } else if (batch.answered.has(id)) {
      note(at, 'one-result-per-call', `a call has two results: ${String(id)}`);
    }
    batch.answered.add(id);
    server.open.delete(id);
    const { type, value } = (part['output'] ?? {}) as Json;
    if (type === 'error-text' && typeof value === 'string' && !isVisible(value))
      note(at, 'error-says-why', `an error has no text: ${String(id)}`);
    if (!isOutput(part['output']))
      note(at, 'result-content', `a result has no output that the SDK knows: ${String(id)}`);
  }
}

/** The outputs of the SDK's schema. */
function isOutput(output: unknown): boolean {
  const { type, value } = (output ?? {}) as Json;
  if (type === 'text' || type === 'error-text') return typeof value === 'string';
  if (type === 'json' || type === 'error-json') return value !== undefined;
  return type === 'content' ? Array.isArray(value) : type === 'execution-denied';
}

function isVisible(text: unknown): boolean {
  return typeof text === 'string' && /\S/.test(text);
}
