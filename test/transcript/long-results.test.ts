import { afterEach, expect, it, vi } from 'vitest';

import { aiSDK, aiSDKUI } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { gemini } from '../../src/transcript/dialects/gemini/index.ts';
import { langchain } from '../../src/transcript/dialects/langchain/index.ts';
import { ollama } from '../../src/transcript/dialects/ollama/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';
import { repair } from '../../src/transcript/index.ts';

afterEach(() => vi.restoreAllMocks());

const long = 'x"\n'.repeat(7000);
const input = { n: 1 };
const json = JSON.stringify(input);
const name = 'read';
const user = { role: 'user', content: 'Read.' };
const said = { role: 'assistant', content: 'Done.' };

it.each<[string, unknown, object[]]>([
  [
    'anthropic',
    anthropic,
    [
      user,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name, input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: long }] },
      said,
    ],
  ],
  [
    'openai-chat',
    openaiChat,
    [
      user,
      { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name, arguments: json } }] },
      { role: 'tool', tool_call_id: 'a', content: long },
      said,
    ],
  ],
  [
    'ollama',
    ollama,
    [
      user,
      { role: 'assistant', content: '', tool_calls: [{ function: { name, arguments: input } }] },
      { role: 'tool', tool_name: name, content: long },
      said,
    ],
  ],
  [
    'langchain',
    langchain,
    [
      user,
      { role: 'assistant', content: '', tool_calls: [{ type: 'tool_call', id: 'a', name, args: input }] },
      { role: 'tool', tool_call_id: 'a', content: long },
      said,
    ],
  ],
  [
    'openai-responses',
    openaiResponses,
    [
      user,
      { type: 'function_call', call_id: 'a', name, arguments: json },
      { type: 'function_call_output', call_id: 'a', output: long },
      said,
    ],
  ],
  [
    'openai-agents',
    openaiAgents,
    [
      user,
      { type: 'function_call', callId: 'a', name, arguments: json, status: 'completed' },
      {
        ...{ type: 'function_call_result', callId: 'a', name, status: 'completed' },
        output: { type: 'text', text: long },
      },
    ],
  ],
  [
    'gemini',
    gemini,
    [
      { role: 'user', parts: [{ text: 'Read.' }] },
      { role: 'model', parts: [{ functionCall: { id: 'a', name, args: input } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'a', name, response: { output: long } } }] },
      { role: 'model', parts: [{ text: 'Done.' }] },
    ],
  ],
  [
    'ai-sdk',
    aiSDK,
    [
      user,
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: name, input }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'a', toolName: name, output: { type: 'text', value: long } }],
      },
      said,
    ],
  ],
  [
    'ai-sdk in a chat',
    aiSDKUI,
    [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Read.' }] },
      {
        ...{ id: 'm', role: 'assistant' },
        parts: [{ type: 'tool-read', toolCallId: 'a', state: 'output-available', input, output: long }],
      },
    ],
  ],
])('%s: results that were told before are not written out to repair what came after', (_name, dialect, messages) => {
  const stringify = vi.spyOn(JSON, 'stringify');
  const settled = repair(messages as never[], { dialect: dialect as typeof openaiChat }).messages;
  expect(settled.slice(0, messages.length)).toEqual(messages);
  const lengths = stringify.mock.results.map(({ value }) => (value as string | undefined)?.length ?? 0);
  expect(Math.max(0, ...lengths)).toBeLessThan(1000);
});
