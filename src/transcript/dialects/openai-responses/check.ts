/**
 * Finds every breach of the Responses API's rules in a list of items.
 * Written from the provider's rules alone and sharing nothing with the settler, so that each can be tested by the other.
 *
 * @module
 */
import type { IdPolicy } from '../../dialect.ts';
import type { Note } from '../rules.ts';
import type { OpenAIResponsesItem } from '../../items/item.ts';
import { isJsonText, isMissing, isPlainObject } from '../json-checks.ts';

type Json = Readonly<Record<string, unknown>>;

/** Every call type, and whether its arguments are whole. */
const calls: Readonly<Record<string, (item: Json) => boolean>> = {
  function_call: (item) => isJsonText(item['arguments']),
  custom_tool_call: (item) => typeof item['input'] === 'string',
  shell_call: (item) => isPlainObject(item['action']),
  local_shell_call: (item) => isPlainObject(item['action']),
  apply_patch_call: (item) => isPlainObject(item['operation']),
  computer_call: (item) => isPlainObject(item['action']) || Array.isArray(item['actions']),
};

const led = /^(?:reasoning|program|program_output|compaction|mcp_(?:call|list_tools|approval_request)|(?:\w+_)?call)$/;

/** What the provider runs, and what each says of how far it came. */
const providers = /^(?:web_search|file_search|code_interpreter|image_generation|mcp|tool_search)_call$/;

function hasEnded(status: unknown): boolean {
  return typeof status !== 'string' || /^(?:completed|failed)$/.test(status);
}

/** Notes every breach, item by item. */
export function checkOpenAIResponses(items: readonly OpenAIResponsesItem[], note: Note, policy: IdPolicy): void {
  const open = new Map<unknown, { readonly at: number; readonly type: string; readonly label: string }>();
  const answered = new Set<unknown>();
  const ids = new Set<unknown>();
  const questions = new Map<unknown, number>();
  const asked = new Set<unknown>();
  const decided = new Set<unknown>();
  /** References to what the server has, each of which may be a call. */
  let references = 0;
  items.forEach((given, at) => {
    const item = given as unknown as Json;
    const type = kindOf(item);
    const id = item['call_id'];
    checkId(item, ids, at, note);
    if (providers.test(type) && item['execution'] !== 'client' && !hasEnded(item['status'])) {
      note(at, 'server-call-answered', `${type} has no result`);
    }
    if (type in calls || isClientSearch(item, 'tool_search_call')) {
      const label = `${type} ${String(id)}`;
      checkCall(item, type, label, at, note);
      if (policy === 'normalise') checkNames(item, label, at, note);
      if (open.has(id)) note(at, 'call-id', `two open calls share an id: ${String(id)}`);
      open.set(id, { at, type, label });
      answered.delete(id);
    } else if (type.endsWith('_call_output') || isClientSearch(item, 'tool_search_output')) {
      const of = id ?? (type === 'local_shell_call_output' ? item['id'] : undefined);
      const call = open.get(of);
      if (call !== undefined) {
        if (type !== (call.type === 'tool_search_call' ? 'tool_search_output' : `${call.type}_output`))
          note(at, 'output-kind', `${call.label} has a ${type}`);
      } else if (answered.has(of)) {
        note(at, 'one-result-per-call', `a call has two results: ${String(of)}`);
      } else if (references > 0) {
        references -= 1;
      } else {
        note(at, 'result-has-call', `an output has no call before it: ${String(of)}`);
      }
      open.delete(of);
      answered.add(of);
      checkOutput(item, type, at, note);
    } else if (type === 'item_reference') {
      asked.add(item['id']);
      if (!/^(?:rs|msg)_/.test(String(item['id']))) references += 1;
    } else if (type === 'mcp_approval_request') {
      questions.set(item['id'], at);
      asked.add(item['id']);
    } else if (type === 'mcp_approval_response') {
      const of = item['approval_request_id'];
      if (!asked.has(of)) note(at, 'answer-has-question', `an answer to a question that is nowhere: ${String(of)}`);
      if (decided.has(of))
        note(at, 'one-result-per-call', `a question of an MCP server has two answers: ${String(of)}`);
      questions.delete(of);
      decided.add(of);
    } else if (type === 'reasoning') {
      if (item['status']) note(at, 'reasoning-status', 'reasoning holds a status');
      if (!isLedTo(items[at + 1] as Json | undefined)) {
        note(at, 'reasoning-followed', 'reasoning stands without the item it led to');
      }
    } else if (
      type === 'message' &&
      item['role'] &&
      (item['role'] === 'assistant' ? saysNothing : isMissing)(item['content'])
    ) {
      note(at, 'message-not-empty', 'the message holds nothing');
    }
  });
  for (const at of questions.values()) note(at, 'call-answered', 'nobody answered a question of an MCP server');
  for (const { at, label } of open.values()) note(at, 'call-answered', `${label} has no output after it`);
}

/** A search for tools that the client runs is a call like others; the provider's own is none of ours. */
function isClientSearch(item: Json, type: string): boolean {
  return item['type'] === type && item['execution'] === 'client';
}

function kindOf(item: Json): string {
  return typeof item['type'] === 'string' ? item['type'] : 'message';
}

function checkId(item: Json, ids: Set<unknown>, at: number, note: Note): void {
  const { id } = item;
  if (typeof id !== 'string' || id === '') return;
  if (ids.has(id)) note(at, 'item-id', `two items share an id: ${id}`);
  ids.add(id);
}

function checkCall(item: Json, type: string, label: string, at: number, note: Note): void {
  const isNamed = type !== 'function_call' && type !== 'custom_tool_call' ? true : Boolean(item['name']);
  if (typeof item['call_id'] !== 'string' || item['call_id'] === '' || !isNamed) {
    note(at, 'call-id', `a call has no id or no name: ${label}`);
  }
  const isWhole = type === 'tool_search_call' ? isPlainObject(item['arguments']) : calls[type]?.(item) === true;
  if (!isWhole) note(at, 'call-arguments', `the arguments of ${label} are not whole`);
}

function checkNames({ type, call_id: id, name }: Json, label: string, at: number, note: Note): void {
  if (typeof id === 'string' && id.length > 64) note(at, 'id-length', `the id of ${label} has more than 64 characters`);
  const isNamed = (type === 'function_call' || type === 'custom_tool_call') && typeof name === 'string' && name !== '';
  if (isNamed && !/^[\w-]{1,64}$/.test(name)) note(at, 'name-characters', `${label} has a name that no tool can have`);
}

function checkOutput(item: Json, type: string, at: number, note: Note): void {
  const { output, status } = item;
  const isText = typeof output === 'string' || (Array.isArray(output) && output.length > 0 && output.every(isPart));
  const isLegal =
    type === 'shell_call_output'
      ? Array.isArray(output) && output.every((one) => isPlainObject(one) && isPlainObject((one as Json)['outcome']))
      : type === 'apply_patch_call_output'
        ? status === 'completed' || status === 'failed'
        : type === 'computer_call_output'
          ? isPlainObject(output)
          : type === 'tool_search_output'
            ? Array.isArray(item['tools'])
            : isText;
  if (!isLegal) note(at, 'result-content', `a ${type} has no legal content`);
}

function isPart(part: unknown): boolean {
  return isPlainObject(part) && /^((in|out)put_)?(text|image|file)$/.test(String((part as Json)['type']));
}

/** Whether the model's side made an item, so that reasoning can have led to it. */
function isLedTo(item: Json | undefined): boolean {
  if (item === undefined) return false;
  const type = kindOf(item);
  return type === 'message' ? item['role'] === 'assistant' : led.test(type);
}

function saysNothing(content: unknown): boolean {
  if (!Array.isArray(content)) return content === undefined || content === null || content === '';
  return (content as readonly Json[]).every(
    (part) => !part['text'] && !part['refusal'] && /(?:text|refusal)$/.test(String(part['type'])),
  );
}
