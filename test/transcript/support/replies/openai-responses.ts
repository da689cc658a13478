/**
 * Responses of the Responses API.
 *
 * @module
 */
import type { Sample } from './sample.ts';

const body = { name: 'pay', arguments: '{"to":"call<1>"}' };
const response = (output: readonly object[], more: object = {}): object => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'm',
  parallel_tool_calls: true,
  previous_response_id: null,
  output_text: '',
  conversation: null,
  usage: null,
  ...more,
  output,
});
const outputText = (text: string, more: object = {}): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [], ...more }],
});
const functionCall = { type: 'function_call', id: 'fc_1', call_id: 'call_1', ...body, status: 'completed' };
const sealed = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'seal<1>', status: null };

export const responses: readonly Sample[] = [
  ['a text', response([outputText('said<1>', { logprobs: [{ token: 'a', logprob: 0 }] })])],
  ['a refusal', response([{ ...outputText(''), content: [{ type: 'refusal', refusal: 'said<1>' }] }])],
  ['a thought and a call', response([sealed, functionCall]), 1],
  [
    'a thought alone, cut by a limit',
    response([{ ...sealed, encrypted_content: 'gone<1>' }], { status: 'incomplete' }),
  ],
  [
    'a search of the web',
    response([
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'asked<1>' } },
      outputText('said<1>'),
    ]),
  ],
  [
    'a picture alone',
    response([{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'said<1>' }]),
  ],
  [
    'a file search',
    response([
      { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['asked<1>'], results: null },
      outputText('said<1>'),
    ]),
  ],
  [
    'code that ran',
    response([
      {
        type: 'code_interpreter_call',
        id: 'ci_1',
        status: 'completed',
        code: 'asked<1>',
        container_id: 'c',
        outputs: [],
      },
      outputText('said<1>'),
    ]),
  ],
  [
    'tools of an MCP server',
    response([
      { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 's', tools: [] },
      { type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'n', arguments: '{}', output: 'said<1>' },
    ]),
  ],
  [
    'a question of an MCP server',
    response([{ type: 'mcp_approval_request', id: 'mcpr_1', server_label: 's', name: 'n', arguments: '"asked<1>"' }]),
  ],
  ['a summary', response([{ type: 'compaction', id: 'cmp_1', encrypted_content: 'said<1>' }])],
  ['more tools', response([{ type: 'additional_tools', id: 'at_1', role: 'assistant', tools: [{ name: 'said<1>' }] }])],
  [
    'a program',
    response([
      { type: 'program', id: 'p_1', call_id: 'prog_1', code: 'asked<1>', fingerprint: 'f' },
      { ...functionCall, caller: { type: 'program', caller_id: 'prog_1' } },
    ]),
    1,
  ],
  [
    'an item of a kind that nobody knows yet',
    response([{ type: 'future', id: 'fu_1', data: 'said<1>' }, outputText('said<2>')]),
  ],
  ['what the client parsed', response([outputText('said<1>', { parsed: 'gone<1>' })], { output_parsed: { a: 1 } })],
  ['a call that the client parsed', response([{ ...functionCall, parsed_arguments: 'gone<1>' }]), 1],
  [
    'items without ids, of vLLM',
    response([
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'thought<1>' }], summary: [] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'said<1>' }] },
    ]),
  ],
  [
    'a call of a custom tool',
    response([{ type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'sh', input: 'call<1>' }]),
    1,
  ],
  [
    'a call of a shell',
    response([
      { type: 'shell_call', id: 'sh_1', call_id: 'call_1', status: 'completed', action: { commands: ['call<1>'] } },
    ]),
    1,
  ],
  [
    'a patch',
    response([
      {
        type: 'apply_patch_call',
        id: 'ap_1',
        call_id: 'call_1',
        status: 'completed',
        operation: { type: 'delete_file', path: 'call<1>' },
      },
    ]),
    1,
  ],
  [
    'a click on the screen',
    response([
      {
        type: 'computer_call',
        id: 'cu_1',
        call_id: 'call_1',
        status: 'completed',
        pending_safety_checks: [],
        action: { type: 'type', text: 'call<1>' },
      },
    ]),
    1,
  ],
];
