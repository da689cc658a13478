/**
 * The items of OpenAI Agents as those of the Responses API, which they stand for, and back.
 *
 * @module
 */
import type { OpenAIResponsesItem } from '../../items/item.ts';
import { field, isRecord, recordsIn, without } from '../../reading/fields.ts';
import { Translation } from '../translation.ts';
import { listPart, outputOf, plainItem, sayText, type OpenAIAgentsItem } from './item.ts';

type Fields = Readonly<Record<string, unknown>>;
type Theirs = OpenAIResponsesItem & Fields;

/** What the provider makes besides, complete in itself: as one of the kinds that the other shape has of it. */
const opaque: ReadonlySet<unknown> = new Set(['hosted_tool_call', 'program', 'program_output', 'unknown']);

/** What the two call differently. */
const outputTypes: ReadonlyMap<unknown, string> = new Map([
  ['function_call_result', 'function_call_output'],
  ['computer_call_result', 'computer_call_output'],
]);

/** There and back, for one transcript. */
export class AgentsTranslation {
  readonly #items = new Translation<OpenAIAgentsItem, Theirs>();
  /** An item that stands in two places is one item. */
  readonly #known = new Map<OpenAIAgentsItem, OpenAIResponsesItem>();

  /** One item. */
  toResponses(item: OpenAIAgentsItem): OpenAIResponsesItem {
    const known = this.#known.get(item);
    if (known !== undefined) return known;
    const made = this.#items.link(item, theirs(item));
    this.#known.set(item, made);
    return made;
  }

  /** What a model call returned: an item, a list of them, or what carries either as its output or its message. */
  valueToResponses(value: unknown): unknown {
    if (typeof value === 'string') return value === '' ? [] : [this.toResponses(sayText(value, 'incomplete'))];
    if (Array.isArray(value)) return recordsIn(value).map((item) => this.toResponses(plainItem(item)));
    if (!isRecord(value)) return value;
    if (typeof field(value, 'type') === 'string' || typeof field(value, 'role') === 'string') {
      return this.toResponses(plainItem(value));
    }
    const carried = field(value, 'output') ?? field(value, 'message');
    if (typeof carried !== 'object' || carried === null) return value;
    return { message: this.valueToResponses(carried), isComplete: field(value, 'isComplete') };
  }

  /** A transcript back, front to back. */
  toAgents(items: readonly OpenAIResponsesItem[]): OpenAIAgentsItem[] {
    const calls = new Map<unknown, OpenAIResponsesItem>();
    return items.map((item) => {
      if (!/output$/.test(String(item.type))) calls.set(field(item, 'call_id'), item);
      const untouched = this.#items.untouched(item);
      if (untouched !== undefined) return untouched;
      const call = calls.get(field(item, 'call_id'));
      const own = ours(item as Theirs, this.#items.originOf(item));
      return call === undefined || call === item ? own : withCall(own, call, this.#items.originOf(call));
    });
  }
}

/** An item as the Responses API has it. */
function theirs(item: OpenAIAgentsItem): Theirs {
  const { callId, ...rest } = item as OpenAIAgentsItem & Fields;
  const asked = approvalKindOf(item);
  if (asked !== undefined) return { ...rest, ...dataOf(item), id: questionIdOf(item), type: asked, kind: item.type };
  if (opaque.has(item.type)) return { ...rest, type: 'mcp_call', kind: item.type };
  const type = outputTypes.get(item.type) ?? item.type;
  const call = callId === undefined || callId === null ? {} : { call_id: callId };
  if (item.type === 'function_call_result') return { ...rest, ...call, type, output: outputOf(rest['output']) };
  const data = rest['providerData'];
  if (item.type !== 'reasoning') return { ...rest, ...call, type };
  // The SDK does not send it along.
  const reasoning = without(rest, 'status');
  if (!isRecord(data)) return { ...reasoning, type };
  const seal = field(data, 'encrypted_content') ?? field(data, 'encryptedContent');
  return { ...reasoning, type, encrypted_content: seal };
}

/** A question of an MCP server whether it may run a tool, or the answer to one: the SDK has both as calls of its own. */
function approvalKindOf(item: OpenAIAgentsItem): string | undefined {
  if (item.type !== 'hosted_tool_call') return undefined;
  const kinds = [field(dataOf(item), 'type'), field(item, 'name')];
  return ['mcp_approval_request', 'mcp_approval_response'].find((kind) => kinds.includes(kind));
}

function questionIdOf(item: OpenAIAgentsItem): unknown {
  return field(dataOf(item), 'id') ?? field(item, 'id');
}

/** What the SDK keeps of the provider's item. */
export function dataOf(item: OpenAIAgentsItem): OpenAIResponsesItem & Fields {
  const data = field(item, 'providerData');
  return isRecord(data) ? (data as Theirs) : {};
}

/** A changed item, or a new one, as the SDK has it. */
function ours(item: Theirs, origin: OpenAIAgentsItem | undefined): OpenAIAgentsItem {
  const { call_id: callId, ...fields } = item;
  // Only an id can go; every other field that a repair does not set is what it was.
  const before = without((origin ?? {}) as Fields, 'id');
  const base: Fields = fields['id'] === undefined ? before : { ...before, id: fields['id'] };
  switch (item.type) {
    case 'message':
      return {
        type: 'message',
        ...(item.role === 'assistant' && sayText('')),
        ...base,
        role: item.role,
        content: contentOf(item, origin),
      } as OpenAIAgentsItem;
    case 'function_call': {
      const { name, arguments: json } = fields;
      return { status: 'completed', ...base, type: item.type, callId, name, arguments: json } as OpenAIAgentsItem;
    }
    case 'function_call_output': {
      const output = functionOutput(fields['output'], origin);
      return { status: 'completed', ...base, type: 'function_call_result', callId, output } as OpenAIAgentsItem;
    }
    case 'shell_call_output': {
      const output = recordsIn(fields['output']).map(shellPart);
      return { ...base, type: item.type, callId, output } as OpenAIAgentsItem;
    }
    case 'mcp_approval_request': {
      // Its answer names the id that it has there.
      return {
        ...base,
        providerData: { ...dataOf(base), id: fields['id'] },
      } as unknown as OpenAIAgentsItem;
    }
    case 'mcp_approval_response': {
      const { type, id, approval_request_id, approve, reason } = fields;
      const providerData = { type, id, approval_request_id, approve, reason };
      const made = { type: 'hosted_tool_call', name: item.type, status: 'completed', providerData } as const;
      return made;
    }
    case 'computer_call_output': {
      const { image_url: data, ...picture } = fields['output'] as Fields;
      return { ...base, type: 'computer_call_result', callId, output: { data, ...picture } } as OpenAIAgentsItem;
    }
    default:
      // What says nothing but what is there already has the names that the SDK has.
      return { ...base, ...named(fields), ...(callId === undefined ? {} : { callId }) } as OpenAIAgentsItem;
  }
}

/** What a repair sets in the kinds that are the same in both. */
function named({ type, operation, status, output, tools, execution, kind }: Fields): Fields {
  const set = { type: kind ?? type, operation, status, output, tools, execution };
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
}

function contentOf(item: Theirs, origin: OpenAIAgentsItem | undefined): unknown {
  const { content } = item;
  const before = origin === undefined ? undefined : field(origin, 'content');
  if (content === before || item.role !== 'assistant') return content;
  if (typeof content === 'string') return field(sayText(content), 'content');
  return recordsIn(content).map((part) => {
    return recordsIn(before).includes(part) ? part : without(part, 'annotations');
  });
}

/** The output that was there, or one as the SDK itself writes it. */
function functionOutput(value: unknown, origin: OpenAIAgentsItem | undefined): unknown {
  const before = origin === undefined ? undefined : field(origin, 'output');
  const seen = outputOf(before);
  const isSame =
    value === seen || (Array.isArray(seen) && Array.isArray(value) && value.length === 1 && value[0] === before);
  if (isSame && before !== undefined) return before;
  if (!Array.isArray(value)) return { type: 'text', text: String(value) };
  return recordsIn(value).map(listPart);
}

function shellPart(part: object): object {
  const outcome = field(part, 'outcome');
  if (!isRecord(outcome) || field(outcome, 'exit_code') === undefined) return part;
  const { exit_code: exitCode, ...rest } = outcome as Fields;
  return { ...part, outcome: { ...rest, exitCode } };
}

/** What a result has of its call besides its id. */
function withCall(
  result: OpenAIAgentsItem,
  call: OpenAIResponsesItem,
  origin: OpenAIAgentsItem | undefined,
): OpenAIAgentsItem {
  const has = (name: string): boolean => field(result, name) !== undefined;
  const wanted = result.type === 'function_call_result' ? ['name', 'namespace', 'caller'] : ['caller'];
  const given = wanted
    .filter((name) => !has(name))
    .map((name) => [name, field(name === 'name' ? call : (origin ?? {}), name)] as const)
    .filter(([, value]) => value !== undefined);
  return given.length === 0 ? result : { ...result, ...Object.fromEntries(given) };
}
