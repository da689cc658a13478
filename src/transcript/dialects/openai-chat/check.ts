/**
 * Finds every breach of the Chat Completions API's rules in a transcript.
 * Written from the provider's rules alone and sharing nothing with the settler, so that each can be tested by the other.
 *
 * @module
 */
import type { IdPolicy } from '../../dialect.ts';
import type { Note } from '../rules.ts';
import type { OpenAIChatMessage } from '../../chat/message.ts';
import { isJsonText, isMissing } from '../json-checks.ts';

type Json = Readonly<Record<string, unknown>>;

/** Notes every breach, message by message. */
export function checkOpenAIChat(messages: readonly OpenAIChatMessage[], note: Note, ids: IdPolicy): void {
  /** The calls of the assistant message whose tool messages may come now, and which of them are answered. */
  let batch = { at: -1, ids: new Set<unknown>(), answered: new Set<unknown>() };
  const closeBatch = (): void => {
    for (const id of batch.ids) {
      if (!batch.answered.has(id)) note(batch.at, 'call-answered', `${String(id)} has no tool message after it`);
    }
  };
  messages.forEach((given, at) => {
    const message = given as unknown as Json;
    if (message['role'] === 'tool') {
      const id = message['tool_call_id'];
      if (!batch.ids.has(id)) note(at, 'result-has-call', `a tool message has no call before it: ${String(id)}`);
      else if (batch.answered.has(id)) note(at, 'one-result-per-call', `a call has two results: ${String(id)}`);
      batch.answered.add(id);
      checkResultContent(message['content'], at, note);
      return;
    }
    closeBatch();
    batch = { at, ids: new Set(), answered: new Set() };
    if (message['role'] === 'assistant') checkReply(message, batch.ids, at, note, ids);
    else if (message['role'] !== 'function' && isMissing(message['content']))
      note(at, 'message-not-empty', 'the message holds nothing');
  });
  closeBatch();
}

function checkReply(message: Json, ids: Set<unknown>, at: number, note: Note, policy: IdPolicy): void {
  const calls = message['tool_calls'];
  if (calls !== undefined && (!Array.isArray(calls) || calls.length === 0)) {
    note(at, 'calls-not-empty', 'tool_calls is there but holds no call');
  }
  for (const call of Array.isArray(calls) ? (calls as Json[]) : []) {
    const { id, type } = call;
    const isCustom = type === 'custom' || (type !== 'function' && call['custom'] !== undefined);
    const body = (isCustom ? call['custom'] : call['function']) as Json | undefined;
    const label = `${String(body?.['name'])} (${String(id)})`;
    if (typeof id !== 'string' || id.length === 0 || !body?.['name']) {
      note(at, 'call-id', `a call has no id or no name: ${label}`);
    } else if (ids.has(id)) {
      note(at, 'call-id', `two calls of a message share an id: ${label}`);
    }
    ids.add(id);
    if (policy === 'normalise') checkNames(id, body?.['name'], label, at, note);
    if (type !== 'custom' && type !== 'function') note(at, 'call-type', `${label} does not say what it is`);
    if (!isCustom && !isJsonText(body?.['arguments'])) {
      note(at, 'call-arguments', `the arguments of ${label} are not JSON`);
    }
  }
  if (Array.isArray(message['content']) && message['content'].length === 0) {
    note(at, 'content-not-empty', 'content is a list of parts but holds none');
  }
  if (ids.size === 0 && !saysSomething(message)) note(at, 'message-not-empty', 'the message holds nothing');
}

function checkNames(id: unknown, name: unknown, label: string, at: number, note: Note): void {
  if (typeof id === 'string' && id.length > 40) note(at, 'id-length', `the id of ${label} has more than 40 characters`);
  if (typeof name === 'string' && name !== '' && !/^[\w-]{1,64}$/.test(name)) {
    note(at, 'name-characters', `${label} has a name that no tool can have`);
  }
}

function saysSomething(message: Json): boolean {
  if (message['refusal'] || message['audio'] || message['function_call']) return true;
  const { content } = message;
  if (typeof content === 'string') return content.length > 0;
  return Array.isArray(content) && content.some((part: Json) => part['text'] !== '' && part['refusal'] !== '');
}

function checkResultContent(content: unknown, at: number, note: Note): void {
  const isLegal = typeof content === 'string' || (Array.isArray(content) && content.length > 0);
  if (!isLegal) note(at, 'result-content', 'a tool message has no content');
}
