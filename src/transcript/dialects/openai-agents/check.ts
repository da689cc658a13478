/**
 * Finds every breach of the rules of OpenAI Agents in a history: of its types, and of the Responses API behind them.
 * Written from their rules alone and sharing nothing with the settler, so that each can be tested by the other.
 *
 * @module
 */
import type { IdPolicy } from '../../dialect.ts';
import type { Note } from '../rules.ts';
import type { OpenAIAgentsItem } from './item.ts';
import { isJsonText, isMissing, isPlainObject } from '../json-checks.ts';

type Json = Readonly<Record<string, unknown>>;

/** What answers each kind of call that is answered here, and whether its arguments are whole. */
const calls: Readonly<Record<string, { readonly by: string; readonly isWhole: (item: Json) => boolean }>> = {
  function_call: { by: 'function_call_result', isWhole: (item) => isJsonText(item['arguments']) },
  computer_call: {
    by: 'computer_call_result',
    isWhole: (item) => isPlainObject(item['action']) || Array.isArray(item['actions']),
  },
  shell_call: { by: 'shell_call_output', isWhole: (item) => isPlainObject(item['action']) },
  apply_patch_call: { by: 'apply_patch_call_output', isWhole: (item) => isPlainObject(item['operation']) },
  tool_search_call: { by: 'tool_search_output', isWhole: (item) => isPlainObject(item['arguments']) },
};
const results = new Set(Object.values(calls).map(({ by }) => by));

/** What only the model's side makes, so that reasoning can have led to it. */
const led = new Set([
  ...Object.keys(calls),
  'hosted_tool_call',
  'program',
  'program_output',
  'reasoning',
  'compaction',
  'unknown',
]);

/** Notes every breach, item by item. */
export function checkOpenAIAgents(items: readonly OpenAIAgentsItem[], note: Note, policy: IdPolicy): void {
  const open = new Map<unknown, { readonly at: number; readonly type: string }>();
  const answered = new Set<unknown>();
  const ids = new Set<unknown>();
  const seen = new Set<string>();
  const questions = new Map<unknown, number>();
  const asked = new Set<unknown>();
  items.forEach((given, at) => {
    const item = given as unknown as Json;
    const type = kindOf(item);
    const id = item['callId'] ?? item['call_id'];
    if (typeof item['id'] === 'string' && item['id'] !== '') {
      if (ids.has(item['id'])) note(at, 'item-id', `two items share an id: ${item['id']}`);
      ids.add(item['id']);
    }
    if (type in calls && isOurs(item)) {
      checkCall(item, type, id, at, note);
      if (policy === 'normalise') checkNames(item, type, id, at, note);
      // The SDK takes calls with one id for one call, wherever they stand.
      if (seen.has(`${type} ${String(id)}`)) note(at, 'call-id', `two calls share an id: ${String(id)}`);
      else if (open.has(id)) note(at, 'call-id', `two open calls share an id: ${String(id)}`);
      seen.add(`${type} ${String(id)}`);
      open.set(id, { at, type });
      answered.delete(id);
    } else if (results.has(type) && isOurs(item)) {
      const call = open.get(id);
      if (call !== undefined && calls[call.type]?.by !== type) note(at, 'output-kind', `${call.type} has a ${type}`);
      if (call === undefined && answered.has(id))
        note(at, 'one-result-per-call', `a call has two results: ${String(id)}`);
      else if (call === undefined) note(at, 'result-has-call', `a result has no call before it: ${String(id)}`);
      open.delete(id);
      answered.add(id);
      checkResult(item, type, at, note);
    } else if (type === 'reasoning') {
      const data = item['providerData'] as Json | undefined;
      if (isPlainObject(data) && data?.['status']) note(at, 'reasoning-status', 'reasoning holds a status');
      if (!isLedTo(items[at + 1] as Json | undefined)) {
        note(at, 'reasoning-followed', 'reasoning stands without the item it led to');
      }
    } else if (type === 'message' && item['role'] === 'assistant') {
      checkReply(item, at, note);
    } else if (type === 'message' && item['role'] && isMissing(item['content'])) {
      note(at, 'message-not-empty', 'the message holds nothing');
    } else if (type === 'hosted_tool_call') {
      const data = isPlainObject(item['providerData']) ? (item['providerData'] as Json) : {};
      const kinds = [data['type'], item['name']];
      const of = data['approval_request_id'];
      if (kinds.includes('mcp_approval_request')) {
        asked.add(data['id'] ?? item['id']);
        questions.set(data['id'] ?? item['id'], at);
      }
      if (kinds.includes('mcp_approval_response')) {
        if (!asked.has(of)) note(at, 'answer-has-question', `an answer to a question that is nowhere: ${String(of)}`);
        questions.delete(of);
      }
      const { status } = item;
      const hasEnded = typeof status !== 'string' || status === 'completed' || status === 'failed';
      if (!hasEnded && !/approval/.test(String(kinds))) {
        note(at, 'server-call-answered', `${String(item['name'])} has no result`);
      }
    }
  });
  for (const at of questions.values()) note(at, 'call-answered', 'nobody answered a question of an MCP server');
  for (const [id, { at, type }] of open) note(at, 'call-answered', `${type} ${String(id)} has no result after it`);
}

/** A search for tools is ours only where the client runs it. */
function isOurs(item: Json): boolean {
  return !kindOf(item).startsWith('tool_search') || item['execution'] === 'client';
}

function kindOf(item: Json): string {
  return typeof item['type'] === 'string' ? item['type'] : 'message';
}

function checkCall(item: Json, type: string, id: unknown, at: number, note: Note): void {
  const label = `${type} ${String(id)}`;
  if (typeof id !== 'string' || id === '') note(at, 'call-id', `a call has no id: ${label}`);
  if (type === 'function_call' && !item['name']) note(at, 'call-id', `a call has no name: ${label}`);
  if (calls[type]?.isWhole(item) !== true) note(at, 'call-arguments', `the arguments of ${label} are not whole`);
}

/** A name with other characters is read as one of a namespace. */
function checkNames(item: Json, type: string, id: unknown, at: number, note: Note): void {
  const { name } = item;
  // Chat Completions, which some of its models speak, take no more.
  if (typeof id === 'string' && id.length > 40) note(at, 'id-length', `the id of ${type} has more than 40 characters`);
  if (type === 'function_call' && typeof name === 'string' && name !== '' && !/^[\w-]{1,64}$/.test(name)) {
    note(at, 'name-characters', `${name} is a name that no tool can have`);
  }
}

function checkResult(item: Json, type: string, at: number, note: Note): void {
  const { output, status } = item;
  const list = Array.isArray(output) ? (output as readonly unknown[]) : undefined;
  const legal: Readonly<Record<string, boolean>> = {
    function_call_result:
      typeof output === 'string' || isPart(output) || (list !== undefined && list.length > 0 && list.every(isPart)),
    computer_call_result: isPlainObject(output),
    shell_call_output: list?.every((one) => isPlainObject(one) && isPlainObject((one as Json)['outcome'])) === true,
    apply_patch_call_output: status === 'completed' || status === 'failed',
    tool_search_output: Array.isArray(item['tools']),
  };
  if (legal[type] !== true) note(at, 'result-content', `a ${type} has no legal content`);
}

function isPart(part: unknown): boolean {
  return isPlainObject(part) && /^((in|out)put_)?(text|image|file)$/.test(String((part as Json)['type']));
}

function checkReply(item: Json, at: number, note: Note): void {
  const { content, status } = item;
  if (!Array.isArray(content) || typeof status !== 'string') {
    note(at, 'message-shape', 'a message of the model has no list of parts or no status');
    return;
  }
  const says = (part: Json): boolean =>
    Boolean(part['text']) || Boolean(part['refusal']) || !/(?:text|refusal)$/.test(String(part['type']));
  if (!(content as readonly Json[]).some(says)) note(at, 'message-not-empty', 'the message holds nothing');
}

function isLedTo(item: Json | undefined): boolean {
  if (item === undefined) return false;
  const type = kindOf(item);
  return type === 'message' ? item['role'] === 'assistant' : led.has(type);
}
