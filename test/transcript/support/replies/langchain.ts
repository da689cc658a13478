/**
 * Replies of the chat models of LangChain.
 *
 * @module
 */
import type { Sample } from './sample.ts';

const langchain = (fields: object): object => ({
  type: 'ai',
  content: '',
  additional_kwargs: {},
  response_metadata: { model_provider: 'openai' },
  tool_calls: [],
  invalid_tool_calls: [],
  usage_metadata: { input_tokens: 1 },
  ...fields,
});

export const langchainReplies: readonly Sample[] = [
  ['a text', langchain({ content: 'said<1>' })],
  ['a refusal', langchain({ additional_kwargs: { refusal: 'said<1>' } })],
  ['audio', langchain({ additional_kwargs: { audio: { id: 'said<1>' } } })],
  ['a call', langchain({ tool_calls: [{ type: 'tool_call', id: 'call_1', name: 'pay', args: { to: 'call<1>' } }] }), 1],
  [
    'blocks of Claude',
    langchain({
      content: [
        { type: 'thinking', thinking: 'thought<1>', signature: 's' },
        { type: 'tool_use', id: 'call_1', name: 'pay', input: {} },
      ],
      tool_calls: [{ type: 'tool_call', id: 'call_1', name: 'pay', args: { to: 'call<1>' } }],
    }),
    1,
  ],
  [
    'items of the Responses API',
    langchain({
      content: [{ type: 'text', text: 'said<1>', annotations: [] }],
      additional_kwargs: {
        reasoning: { type: 'reasoning', summary: ['thought<1>'] },
        tool_outputs: [{ type: 'web_search_call', id: 'found<1>' }],
      },
    }),
  ],
  [
    'standard blocks',
    langchain({
      content: [
        { type: 'reasoning', reasoning: 'thought<1>' },
        { type: 'server_tool_call', id: 's', name: 'n', args: {} },
        { type: 'server_tool_call_result', toolCallId: 's', status: 'success', output: 'found<1>' },
        { type: 'text', text: 'said<1>' },
      ],
    }),
  ],
  ['a picture', langchain({ content: [{ type: 'image', mimeType: 'image/png', data: 'said<1>' }] })],
  [
    'blocks of Gemini',
    langchain({
      content: [
        { type: 'executableCode', executableCode: { code: 'asked<1>' } },
        { type: 'text', text: 'said<1>' },
      ],
    }),
  ],
  ['a block of a kind that nobody knows yet', langchain({ content: [{ type: 'future', data: 'said<1>' }] })],
];
