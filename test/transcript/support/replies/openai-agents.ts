/**
 * Responses of the models of OpenAI Agents.
 *
 * @module
 */
import type { Sample } from './sample.ts';

const body = { name: 'pay', arguments: '{"to":"call<1>"}' };
const agents = (...output: readonly object[]): object => ({
  usage: {},
  output,
  responseId: 'resp_1',
  providerData: {},
});
const agentsSay = (...content: readonly object[]): object => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content,
});
const agentsCall = { type: 'function_call', id: 'fc_1', callId: 'call_1', ...body, status: 'completed' };

export const agentsReplies: readonly Sample[] = [
  ['a text', agents(agentsSay({ type: 'output_text', text: 'said<1>', providerData: { annotations: [] } }))],
  ['a refusal', agents(agentsSay({ type: 'refusal', refusal: 'said<1>' }))],
  [
    'audio alone',
    agents(agentsSay({ type: 'audio', audio: 'said<1>', transcript: null, providerData: { id: 'audio_1' } })),
  ],
  ['a picture alone', agents(agentsSay({ type: 'image', image: 'said<1>' }))],
  [
    'a thought and a call',
    agents(
      { type: 'reasoning', id: 'rs_1', content: [{ type: 'input_text', text: 'thought<1>' }], rawContent: [] },
      { ...agentsCall, namespace: 'n' },
    ),
    1,
  ],
  [
    'a call that a run answered beside one that it left',
    agents(
      agentsCall,
      { ...agentsCall, id: 'fc_2', callId: 'call_2' },
      {
        type: 'function_call_result',
        callId: 'call_1',
        status: 'completed',
        output: { type: 'text', text: 'found<1>' },
      },
    ),
    1,
  ],
  [
    'a search of the web',
    agents(
      {
        type: 'hosted_tool_call',
        id: 'ws_1',
        name: 'web_search_call',
        status: 'completed',
        providerData: { type: 'web_search_call', action: 'asked<1>' },
      },
      agentsSay({ type: 'output_text', text: 'said<1>' }),
    ),
  ],
  [
    'a shell',
    agents({ type: 'shell_call', id: 's', callId: 'call_1', status: 'completed', action: { commands: ['call<1>'] } }),
    1,
  ],
  [
    'a patch',
    agents({
      type: 'apply_patch_call',
      id: 's',
      callId: 'call_1',
      status: 'completed',
      operation: { type: 'delete_file', path: 'call<1>' },
    }),
    1,
  ],
  [
    'a search for tools',
    agents(
      {
        type: 'tool_search_call',
        id: 't',
        call_id: 'call_1',
        execution: 'server',
        status: 'completed',
        arguments: { query: 'asked<1>' },
      },
      { type: 'tool_search_output', id: 'o', call_id: 'call_1', execution: 'server', status: 'completed', tools: [] },
      agentsSay({ type: 'output_text', text: 'said<1>' }),
    ),
  ],
  [
    'a program',
    agents(
      { type: 'program', id: 'p', callId: 'prog_1', code: 'asked<1>', fingerprint: 'f' },
      { ...agentsCall, caller: { type: 'program', callerId: 'prog_1' } },
    ),
    1,
  ],
  ['a summary', agents({ type: 'compaction', id: 'c', encrypted_content: 'said<1>' })],
  [
    'an item that the SDK does not know',
    agents(
      { type: 'unknown', providerData: { type: 'future', data: 'said<1>' } },
      agentsSay({ type: 'output_text', text: 'said<2>' }),
    ),
  ],
  [
    'a click on the screen',
    agents({
      type: 'computer_call',
      id: 'cu_1',
      callId: 'call_1',
      status: 'completed',
      action: { type: 'type', text: 'call<1>' },
    }),
    1,
  ],
];
