/**
 * What a request tells the model of the conversation so far, in one shape for every protocol.
 *
 * @module
 */
import { isFields, listOf, type Fields } from '../transcript-rules/fields.ts';

/**
 * Which provider's protocol a request spoke.
 *
 * @since 0.1.0
 */
export type ModelDialect = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini' | 'ollama';

/**
 * One thing that a request says happened.
 *
 * @since 0.1.0
 */
export interface HistoryItem {
  /** Who said it. A result of a tool is the tool's, whatever role its protocol puts it under. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** What it is. Reasoning is `thinking`, and everything that is neither words nor a call `other`. */
  readonly kind: 'text' | 'thinking' | 'call' | 'result' | 'other';
  /** Its words; of a call its input as JSON. */
  readonly text: string;
  /** The tool, for a call; for a result only where the protocol says it. */
  readonly name: string | undefined;
  /** The id of the call, where the protocol has one. */
  readonly callId: string | undefined;
  /** Whether a result is marked by its protocol as an error, or as incomplete. */
  readonly isError: boolean;
}

type Role = HistoryItem['role'];

/** The words in a value, however it nests them. */
function wordsIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(wordsIn).filter(Boolean).join('\n');
  if (!isFields(value)) return JSON.stringify(value);
  for (const name of ['text', 'thinking', 'output', 'content'])
    if (value[name] !== undefined) return wordsIn(value[name]);
  return JSON.stringify(value);
}

function item(role: Role, kind: HistoryItem['kind'], text: unknown, rest: Partial<HistoryItem> = {}): HistoryItem {
  return { role, kind, text: wordsIn(text), name: undefined, callId: undefined, isError: false, ...rest };
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const asJSON = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? {}));

function roleOf(value: unknown): Role {
  if (value === 'system' || value === 'developer') return 'system';
  return value === 'assistant' || value === 'model' ? 'assistant' : value === 'tool' ? 'tool' : 'user';
}

/** A block of Anthropic's, which others have taken over. */
function blockItem(role: Role, block: Fields): HistoryItem {
  switch (block['type']) {
    case 'tool_use':
      return item('assistant', 'call', asJSON(block['input']), {
        name: asText(block['name']),
        callId: asText(block['id']),
      });
    case 'tool_result':
      return item('tool', 'result', block['content'], {
        callId: asText(block['tool_use_id']),
        isError: block['is_error'] === true,
      });
    case 'thinking':
    case 'redacted_thinking':
      return item(role, 'thinking', block['thinking']);
    default:
      return item(role, typeof block['text'] === 'string' ? 'text' : 'other', block);
  }
}

function contentItems(role: Role, content: unknown): HistoryItem[] {
  if (typeof content === 'string') return content === '' ? [] : [item(role, 'text', content)];
  return listOf(content).map((block) => blockItem(role, block));
}

function anthropicItems(body: Fields): HistoryItem[] {
  const said = listOf(body['messages']).flatMap((message) => contentItems(roleOf(message['role']), message['content']));
  return [...contentItems('system', body['system']), ...said];
}

/** Chat Completions, and Ollama, whose arguments are an object. */
function chatItems(body: Fields): HistoryItem[] {
  return listOf(body['messages']).flatMap((message) => {
    const role = roleOf(message['role']);
    if (role === 'tool') {
      const callId = asText(message['tool_call_id']);
      const name = asText(message['name'] ?? message['tool_name']);
      return [item('tool', 'result', message['content'], { callId, name })];
    }
    const calls = listOf(message['tool_calls']).map((call) => {
      const inner = [call['function'], call['custom']].find(isFields) ?? {};
      const input = asJSON(inner['arguments'] ?? inner['input']);
      return item('assistant', 'call', input, { name: asText(inner['name']), callId: asText(call['id']) });
    });
    return [...contentItems(role, message['content']), ...calls];
  });
}

function responsesItems(body: Fields): HistoryItem[] {
  const { input } = body;
  const system = contentItems('system', body['instructions']);
  if (typeof input === 'string') return [...system, item('user', 'text', input)];
  const items = listOf(input).flatMap((entry): HistoryItem[] => {
    const type = asText(entry['type']) ?? 'message';
    const callId = asText(entry['call_id']);
    if (type.endsWith('_output'))
      return [item('tool', 'result', entry['output'], { callId, isError: entry['status'] === 'incomplete' })];
    if (type.endsWith('_call')) {
      const given = asJSON(entry['arguments'] ?? entry['input'] ?? entry['action']);
      return [item('assistant', 'call', given, { callId, name: asText(entry['name']) ?? type })];
    }
    if (type === 'reasoning') return [item('assistant', 'thinking', entry['summary'])];
    return type === 'message'
      ? contentItems(roleOf(entry['role']), entry['content'])
      : [item('assistant', 'other', entry)];
  });
  return [...system, ...items];
}

function geminiItems(body: Fields): HistoryItem[] {
  const system = body['systemInstruction'] ?? body['system_instruction'];
  const said = listOf(body['contents']).flatMap((content) => {
    const role = roleOf(content['role']);
    return listOf(content['parts']).map((part) => {
      const { functionCall: call, functionResponse: response } = part;
      const naming = (value: Fields) => ({ name: asText(value['name']), callId: asText(value['id']) });
      if (isFields(call)) return item('assistant', 'call', asJSON(call['args']), naming(call));
      if (isFields(response)) {
        const given = response['response'];
        const isError = isFields(given) && Boolean(given['error']);
        return item('tool', 'result', asJSON(given), { ...naming(response), isError });
      }
      const kind = part['thought'] === true ? 'thinking' : typeof part['text'] === 'string' ? 'text' : 'other';
      return item(role, kind, part);
    });
  });
  const words = isFields(system) ? wordsIn(system['parts']) : '';
  return words === '' ? said : [item('system', 'text', words), ...said];
}

const readers = {
  anthropic: anthropicItems,
  'openai-chat': chatItems,
  'openai-responses': responsesItems,
  gemini: geminiItems,
  ollama: chatItems,
} satisfies Readonly<Record<ModelDialect, (body: Fields) => HistoryItem[]>>;

/** The conversation that a request carries, oldest first. @throws TypeError – there is no such protocol. */
export function historyOf(request: { readonly dialect: ModelDialect; readonly body: Fields }): readonly HistoryItem[] {
  const { dialect, body } = request;
  if (!Object.hasOwn(readers, dialect)) throw new TypeError(`there is no dialect ${JSON.stringify(dialect)}`);
  return readers[dialect](body);
}
