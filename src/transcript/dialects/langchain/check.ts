/**
 * Finds every breach of the rules that LangChain's providers share in a transcript of LangChain's.
 * Written from the rules alone; it shares with the settler only how a message in any form is read.
 *
 * @module
 */
import type { IdPolicy } from '../../dialect.ts';
import { isMissing } from '../json-checks.ts';
import type { Note } from '../rules.ts';
import { fieldsOf, speakerOf, type LangChainMessage } from './message.ts';

type Json = Readonly<Record<string, unknown>>;

/** Notes every breach, message by message. */
export function checkLangChain(
  messages: readonly LangChainMessage[],
  note: Note,
  policy: IdPolicy,
  isOver = false,
): void {
  /** The calls of the reply whose tool messages may come now, in order, and those of them that are answered. */
  let batch = { at: -1, ids: new Set<unknown>(), answered: new Set<unknown>() };
  const used = new Set<unknown>();
  const closeBatch = (): void => {
    const { at, ids, answered } = batch;
    for (const id of ids) if (!answered.has(id)) note(at, 'call-answered', `${String(id)} has no tool message`);
    const [expected, given] = [[...ids].filter((id) => answered.has(id)), [...answered]];
    if (expected.some((id, i) => id !== given[i])) note(at, 'results-in-order', 'the results stand in another order');
  };
  messages.forEach((message, at) => {
    const speaker = speakerOf(message);
    const fields = fieldsOf(message) as Json;
    if (speaker === 'tool') {
      const id = fields['tool_call_id'];
      if (!batch.ids.has(id)) note(at, 'result-has-call', `a tool message has no call before it: ${String(id)}`);
      else if (batch.answered.has(id)) note(at, 'one-result-per-call', `a call has two results: ${String(id)}`);
      else batch.answered.add(id);
      const { content } = fields;
      const isLegal = typeof content === 'string' || (Array.isArray(content) && content.length > 0);
      if (!isLegal) note(at, 'result-content', 'a tool message has no content');
      if (fields['status'] === 'error' && typeof content === 'string' && !/\S/.test(content)) {
        note(at, 'error-says-why', 'an error has no text');
      }
      return;
    }
    closeBatch();
    const isHeard = speaker === 'human' || speaker === 'system';
    if (isHeard && isMissing(fields['content'])) note(at, 'message-not-empty', 'the message holds nothing');
    const isResult = ({ type }: Json): boolean => type === 'tool_result';
    if (speaker === 'human' && listOf(fields['content']).some(isResult)) {
      note(at, 'results-alone', 'a result stands in a message of the user');
    }
    const ids = speaker === 'ai' ? checkReply(fields, at, note, policy) : new Set<unknown>();
    for (const id of ids) {
      if (policy === 'normalise' && used.has(id)) note(at, 'call-id', `a call before has the id ${String(id)}`);
      used.add(id);
    }
    batch = { at, ids, answered: new Set() };
  });
  closeBatch();
  checkServerCalls(messages, note, isOver);
}

/** What the provider runs: with a result, but for what it goes on with at the end. */
function checkServerCalls(messages: readonly LangChainMessage[], note: Note, isOver: boolean): void {
  const open = new Map<unknown, number>();
  let last = -1;
  let makers: readonly unknown[] = [];
  messages.forEach((message, at) => {
    const speaker = speakerOf(message);
    if (speaker !== 'tool') last = at;
    const blocks = speaker === 'ai' ? listOf((fieldsOf(message) as Json)['content']) : [];
    if (speaker === 'ai') makers = blocks.map((block) => (block['caller'] as Json | undefined)?.['tool_id']);
    for (const block of blocks) {
      const type = String(block['type']);
      if (/^(?!tool_use).*_tool_use$|^server_tool_call$/.test(type)) open.set(block['id'], at);
      else if (/_result$/.test(type)) open.delete(block['tool_use_id'] ?? block['toolCallId']);
    }
  });
  for (const [id, at] of open) {
    const isGoingOn =
      !isOver && speakerOf(messages[last] as LangChainMessage) === 'ai' && (at === last || makers.includes(id));
    if (!isGoingOn) note(at, 'server-call-answered', `${String(id)} has no result`);
  }
}

/** The ids of the calls that a reply makes. */
function checkReply(fields: Json, at: number, note: Note, policy: IdPolicy): Set<unknown> {
  const calls = listOf(fields['tool_calls']);
  const ids = new Set<unknown>();
  const isCut = cutIn(listOf(fields['tool_call_chunks']));
  for (const call of calls) {
    const body = (call['function'] ?? undefined) as Json | undefined;
    const [id, name] = [call['id'], call['name'] ?? body?.['name']];
    const label = `${String(name)} (${String(id)})`;
    if (typeof id !== 'string' || id === '' || typeof name !== 'string' || name === '') {
      note(at, 'call-id', `a call has no id or no name: ${label}`);
    } else if (ids.has(id)) {
      note(at, 'call-id', `two calls of a message share an id: ${label}`);
    }
    ids.add(id);
    if (policy === 'normalise') checkNames(id, name, label, at, note);
    const isWhole = body === undefined ? isObject(call['args']) : isObject(parsed(body['arguments']));
    if (!isWhole || isCut(id)) note(at, 'call-arguments', `the arguments of ${label} are no object`);
  }
  const raw = (fields['additional_kwargs'] as Json | undefined)?.['tool_calls'];
  const isUnlisted = calls.length === 0 && listOf(raw).length > 0;
  const blocks = listOf(fields['content']);
  const more = blocks.filter((block) => block['type'] === 'tool_use' || block['type'] === 'tool_call');
  if (isUnlisted || more.some((block) => !ids.has(block['id']))) {
    note(at, 'call-listed', 'a call is not listed in tool_calls');
  }
  const about = fields['response_metadata'] as Json | undefined;
  for (const { type, call_id: id } of listOf(about?.['output'])) {
    if ((type === 'function_call' || type === 'custom_tool_call') && !ids.has(id)) {
      note(at, 'call-listed', `what is sent in place of the message has a call that it has not: ${String(id)}`);
    }
  }
  checkContent(blocks, at, note);
  const { output_version: version, model_provider: provider } = about ?? {};
  if (version === 'v1') checkStandard(blocks, ids, provider === 'anthropic', at, note);
  const last = blocks[blocks.length - 1]?.['type'];
  const isThought = last === 'thinking' || last === 'redacted_thinking' || last === 'reasoning';
  const isListedLast = calls.some((call) => !blocks.some((block) => block['id'] === call['id']));
  const lastItem = listOf(about?.['output']).at(-1);
  if ((isThought && !isListedLast) || lastItem?.['type'] === 'reasoning') {
    note(at, 'thinking-not-last', 'the message ends in reasoning');
  }
  if (calls.length === 0 && !saysSomething(fields, blocks)) note(at, 'message-not-empty', 'the message holds nothing');
  return ids;
}

function checkContent(blocks: readonly Json[], at: number, note: Note): void {
  for (const block of blocks) {
    const { type, text } = block;
    if (type === 'text' && !(typeof text === 'string' && /\S/.test(text))) {
      note(at, 'text-not-empty', 'a text holds no visible character');
    }
    if (type === 'thinking' && !block['signature']) note(at, 'thinking-signed', 'reasoning has no signature');
    if (type === 'redacted_thinking' && !block['data']) note(at, 'thinking-signed', 'reasoning has no data');
  }
}

/** A reply in LangChain's standard blocks, which are then all that is sent of it. */
function checkStandard(
  blocks: readonly Json[],
  ids: ReadonlySet<unknown>,
  isSealed: boolean,
  at: number,
  note: Note,
): void {
  const inContent = new Set<unknown>();
  for (const { type, id, signature, value } of blocks) {
    if (type === 'tool_call' || type === 'tool_use') inContent.add(id);
    if (type === 'reasoning' && isSealed && !signature) note(at, 'thinking-signed', 'reasoning has no signature');
    const apart = type === 'non_standard' ? (value as Json | undefined) : undefined;
    if (apart?.['type'] === 'thinking' && apart['signature'] && !apart['thinking']) {
      note(at, 'thinking-signed', 'a signature stands apart from its reasoning');
    }
  }
  if ([...ids].some((id) => !inContent.has(id))) note(at, 'call-listed', 'a call is not in the content');
}

function saysSomething(fields: Json, blocks: readonly Json[]): boolean {
  const more = fields['additional_kwargs'] as Json | undefined;
  if (more?.['function_call'] || more?.['audio'] || more?.['refusal']) return true;
  const { content } = fields;
  return typeof content === 'string' ? /\S/.test(content) : blocks.length > 0;
}

/** Ids and names that every provider takes: the next request may go to another one. */
function checkNames(id: unknown, name: unknown, label: string, at: number, note: Note): void {
  if (typeof id === 'string' && !/^[a-zA-Z0-9_-]{0,40}$/.test(id)) {
    note(at, 'id-characters', `the id of ${label} is not one that every provider takes`);
  }
  if (typeof name === 'string' && !/^[a-zA-Z0-9_-]{0,64}$/.test(name)) {
    note(at, 'name-characters', `${label} has a name that no tool can have`);
  }
}

/** Tells whether the chunks of a call, put together, end in the middle of its arguments. */
function cutIn(chunks: readonly Json[]): (id: unknown) => boolean {
  if (chunks.length === 0) return () => false;
  const texts = new Map<unknown, { text: string; readonly isText: boolean }>();
  const byIndex = new Map<unknown, { text: string }>();
  for (const chunk of chunks) {
    const { id, index, args, isCustomTool } = chunk;
    const own = id ? (texts.get(id) ?? { text: '', isText: isCustomTool === true }) : byIndex.get(index);
    if (own === undefined) continue;
    if (typeof args === 'string') own.text += args;
    if (!id) continue;
    if (!texts.has(id) && index !== undefined) byIndex.set(index, own);
    texts.set(id, own as { text: string; isText: boolean });
  }
  return (id) => {
    const own = texts.get(id);
    return own !== undefined && !own.isText && /\S/.test(own.text) && !isObject(parsed(own.text));
  };
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter((one) => isObject(one)) : [];
}

function parsed(json: unknown): unknown {
  try {
    return JSON.parse(String(json));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return Object.prototype.toString.call(value) === '[object Object]';
}
