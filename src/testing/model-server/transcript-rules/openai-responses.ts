/**
 * The rules by which the Responses API refuses a list of items, in its own words. It is given the whole list, with
 * what the server held before the request's own items. Prior art: the 400 answers of the API.
 *
 * @module
 */
import { isJSON, refuseForeignPart, refuseNames, type Fields } from './fields.ts';

/** What each kind of call is called in a refusal. */
const callNames: ReadonlyMap<unknown, string> = new Map([
  ['function_call', 'function call'],
  ['custom_tool_call', 'custom tool call'],
  ['shell_call', 'shell call'],
  ['local_shell_call', 'local shell call'],
  ['apply_patch_call', 'apply patch call'],
  ['computer_call', 'computer call'],
]);

/** What a reasoning item may stand before: whatever the model can produce. */
const produced = new Set<unknown>([
  ...callNames.keys(),
  'message',
  'reasoning',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'program',
  'program_output',
  'compaction',
]);

/**
 * Why the Responses API would answer these items with 400.
 *
 * @param items All items of the conversation, those that the server holds first.
 * @param reasoningOf The id of the reasoning that the server knows to have produced an item, by the item's id.
 * @returns Its message, or `undefined` if it would accept them.
 */
export function refuseResponsesItems(
  items: readonly Fields[],
  reasoningOf: ReadonlyMap<unknown, string> = new Map(),
): string | undefined {
  return (
    refusePairs(items) ??
    refuseQuestions(items) ??
    refuseShapes(items) ??
    refuseReasoning(items, reasoningOf) ??
    refuseDuplicates(items)
  );
}

/** Every call has one output of its own kind after it, and every output a call before it. */
function refusePairs(items: readonly Fields[]): string | undefined {
  const open = new Map<string, { readonly label: string; readonly id: unknown }>();
  for (const item of items) {
    const type = String(item['type']);
    const label = callNames.get(type);
    // A local shell's output may name its call by the field that is an item's own id everywhere else.
    const id = item['call_id'] ?? item['id'];
    if (label !== undefined) open.set(`${type} ${String(id)}`, { label, id });
    const call = type.endsWith('_call_output') ? type.slice(0, -'_output'.length) : undefined;
    const answered = callNames.get(call);
    if (answered !== undefined && !open.delete(`${String(call)} ${String(id)}`)) {
      return `No tool call found for ${answered} output with call_id ${String(id)}.`;
    }
  }
  const first = open.values().next().value;
  return first === undefined ? undefined : `No tool output found for ${first.label} ${String(first.id)}.`;
}

/** Every question whether a tool of an MCP server may run has an answer. */
function refuseQuestions(items: readonly Fields[]): string | undefined {
  const open = new Set<unknown>();
  for (const item of items) {
    if (item['type'] === 'mcp_approval_request') open.add(item['id']);
    if (item['type'] === 'mcp_approval_response') open.delete(item['approval_request_id']);
  }
  return open.size === 0
    ? undefined
    : `The following MCP approval requests do not have an approval: ${[...open].map(String).join(', ')}`;
}

/** What a cut leaves inside an item. */
function refuseShapes(items: readonly Fields[]): string | undefined {
  for (const [at, item] of items.entries()) {
    const where = `input[${String(at)}]`;
    const foreign = refuseForeignPart(item['content'], where);
    if (foreign !== undefined) return foreign;
    switch (item['type']) {
      case 'custom_tool_call':
      case 'function_call': {
        const refusal = refuseNames(
          { id: `${where}.call_id`, name: `${where}.name` },
          { id: item['call_id'], name: item['name'] },
          64,
        );
        if (refusal !== undefined) return refusal;
        if (item['type'] === 'function_call' && !isJSON(item['arguments']))
          return `Invalid '${where}.arguments': expected a string of valid JSON.`;
        break;
      }
      case 'function_call_output':
      case 'custom_tool_call_output':
        if (item['output'] === undefined) return `Missing required parameter: '${where}.output'.`;
        break;
      case 'computer_call_output':
        if (typeof item['output'] === 'object' && item['output'] !== null) break;
        return `Invalid type for '${where}.output': expected an object, but got ${kindOf(item['output'])} instead.`;
      case 'shell_call_output':
        if (!Array.isArray(item['output'])) {
          return `Invalid type for '${where}.output': expected an array of objects, but got ${kindOf(item['output'])} instead.`;
        }
        break;
      case 'apply_patch_call_output':
        if (item['status'] !== 'completed' && item['status'] !== 'failed') {
          return `Invalid value: '${String(item['status'])}'. Supported values are: 'completed' and 'failed'.`;
        }
        break;
    }
  }
  return undefined;
}

function kindOf(value: unknown): string {
  return typeof value === 'string' ? 'a string' : value === undefined ? 'nothing' : `a ${typeof value}`;
}

/** Reasoning and what it produced travel together. */
function refuseReasoning(items: readonly Fields[], reasoningOf: ReadonlyMap<unknown, string>): string | undefined {
  for (const [at, item] of items.entries()) {
    const id = String(item['id']);
    if (item['type'] === 'reasoning' && !isProduced(items[at + 1])) {
      return `Item '${id}' of type 'reasoning' was provided without its required following item.`;
    }
    const reasoning = reasoningOf.get(item['id']);
    if (reasoning !== undefined && items[at - 1]?.['id'] !== reasoning) {
      return `Item '${id}' of type '${String(item['type'])}' was provided without its required 'reasoning' item: '${reasoning}'.`;
    }
  }
  return undefined;
}

function isProduced(item: Fields | undefined): boolean {
  if (item === undefined) return false;
  const type = item['type'] ?? 'message';
  return type === 'message' ? item['role'] === 'assistant' : produced.has(type);
}

function refuseDuplicates(items: readonly Fields[]): string | undefined {
  const seen = new Set<unknown>();
  for (const { id, type } of items) {
    if (typeof id !== 'string' || type === 'local_shell_call_output') continue;
    if (seen.has(id)) {
      return `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
    }
    seen.add(id);
  }
  return undefined;
}
