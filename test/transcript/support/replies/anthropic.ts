/**
 * Replies of the Messages API.
 *
 * @module
 */
import type { Sample } from './sample.ts';

const claude = (content: readonly object[], more: object = {}): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  container: null,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
  ...more,
  content,
});
const serverUse = (name: string, id = 'srvtoolu_1'): object => ({
  type: 'server_tool_use',
  id,
  name,
  input: { query: 'asked<1>' },
  caller: { type: 'direct' },
});
const serverResult = (type: string, content: unknown): object => ({ type, tool_use_id: 'srvtoolu_1', content });
const said = { type: 'text', text: 'said<1>', citations: null };

export const anthropicReplies: readonly Sample[] = [
  ['a text with citations', claude([{ ...said, citations: [{ type: 'char_location', cited_text: 'cited<1>' }] }])],
  [
    'a thought and a call',
    claude([
      { type: 'thinking', thinking: 'thought<1>', signature: 'seal<1>' },
      { type: 'tool_use', id: 'toolu_1', name: 'pay', input: { to: 'call<1>' }, caller: { type: 'direct' } },
    ]),
    1,
  ],
  ['a hidden thought', claude([{ type: 'redacted_thinking', data: 'seal<1>' }, said])],
  ['nothing, for a refusal', claude([], { stop_reason: 'refusal', stop_details: { type: 'refusal' } })],
  [
    'a search of the web',
    claude([
      serverUse('web_search'),
      serverResult('web_search_tool_result', [{ type: 'web_search_result', url: 'found<1>' }]),
      said,
    ]),
  ],
  [
    'a page',
    claude([
      serverUse('web_fetch'),
      serverResult('web_fetch_tool_result', { type: 'web_fetch_result', url: 'found<1>' }),
      said,
    ]),
  ],
  [
    'code that ran',
    claude([
      serverUse('code_execution'),
      serverResult('code_execution_tool_result', { type: 'code_execution_result', stdout: 'found<1>' }),
      said,
    ]),
  ],
  [
    'a shell that ran',
    claude([
      serverUse('bash_code_execution'),
      serverResult('bash_code_execution_tool_result', { stdout: 'found<1>' }),
      said,
    ]),
  ],
  [
    'tools that were found',
    claude([
      serverUse('tool_search_tool_regex'),
      serverResult('tool_search_tool_result', {
        type: 'tool_search_tool_search_result',
        tool_references: [{ type: 'tool_reference', tool_name: 'found<1>' }],
      }),
      said,
    ]),
  ],
  [
    'advice',
    claude([
      serverUse('advisor'),
      serverResult('advisor_tool_result', { type: 'advisor_result', text: 'found<1>' }),
      said,
    ]),
  ],
  [
    'a tool of an MCP server',
    claude([
      { type: 'mcp_tool_listing', mcp_server_name: 's', tools: [{ name: 'found<2>' }] },
      { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'n', server_name: 's', input: {} },
      {
        type: 'mcp_tool_result',
        tool_use_id: 'mcptoolu_1',
        is_error: false,
        content: [{ type: 'text', text: 'found<1>' }],
      },
      said,
    ]),
  ],
  ['a file', claude([{ type: 'container_upload', file_id: 'said<1>' }])],
  [
    'a summary',
    claude([{ type: 'compaction', content: 'said<2>', encrypted_content: null }, said], { context_management: {} }),
  ],
  [
    'another model behind a refusal',
    claude([{ type: 'fallback', from: { model: 'a' }, to: { model: 'said<2>' }, trigger: { type: 'refusal' } }, said]),
  ],
  ['a block of a kind that nobody knows yet', claude([{ type: 'future', data: 'said<2>' }, said])],
  [
    'a search that goes on',
    claude([said, { ...serverUse('web_search'), input: { query: 'gone<1>' } }], { stop_reason: 'pause_turn' }),
  ],
];
