/**
 * Replies of Chat Completions, and of the servers that speak like them.
 *
 * @module
 */
import type { Sample } from './sample.ts';

const choice = (message: object, more: object = {}): object => ({
  id: 'chatcmpl_1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', logprobs: null, ...more, message }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const chat = (message: object, more?: object): object =>
  choice({ role: 'assistant', content: null, refusal: null, annotations: [], ...message }, more);
const body = { name: 'pay', arguments: '{"to":"call<1>"}' };
const toolCall = { id: 'call_1', type: 'function', function: body };

export const chatReplies: readonly Sample[] = [
  ['a text with citations', chat({ content: 'said<1>', annotations: [{ type: 'url_citation', url_citation: {} }] })],
  ['a refusal with its logprobs', chat({ refusal: 'said<1>' }, { logprobs: { content: null, refusal: [] } })],
  ['audio', chat({ audio: { id: 'said<1>', data: 'UklGRg', expires_at: 9, transcript: 'Hi' } })],
  ['a call', chat({ tool_calls: [toolCall] }, { finish_reason: 'tool_calls' }), 1],
  [
    'a call of a custom tool',
    chat({ tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'sh', input: 'call<1>' } }] }),
    1,
  ],
  ['nothing, for a filter', chat({ content: '' }, { finish_reason: 'content_filter' })],
  [
    'thoughts alone, of vLLM',
    chat({ reasoning: 'gone<1>', reasoning_content: 'gone<1>', tool_calls: [] }, { stop_reason: null }),
  ],
  [
    'thoughts and a call, of DeepSeek',
    chat({ content: '', reasoning_content: 'thought<1>', tool_calls: [toolCall] }),
    1,
  ],
  [
    'details of thoughts, of OpenRouter',
    chat({ content: 'said<1>', reasoning: 't', reasoning_details: [{ type: 'reasoning.text', text: 'thought<1>' }] }),
  ],
  ['no calls written as null', chat({ content: 'said<1>', tool_calls: null, function_call: null, audio: null })],
  [
    'a call with its arguments as an object',
    chat({ tool_calls: [{ ...toolCall, function: { ...body, arguments: { to: 'call' } } }] }),
    1,
  ],
  [
    'a signature of Gemini beside a call',
    chat({ tool_calls: [{ ...toolCall, extra_content: { google: { thought_signature: 'seal<1>' } } }] }),
    1,
  ],
  [
    'parts of Mistral',
    chat({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'thought<1>' }] },
        { type: 'text', text: 'said<1>' },
      ],
    }),
  ],
  ['a text of nobody', choice({ content: 'said<1>' })],
  ['a call of nobody', choice({ role: null, content: null, tool_calls: [toolCall] }), 1],
  ['what the client parsed', chat({ content: 'said<1>', parsed: { a: 'gone<1>' } })],
  [
    'a call that the client parsed',
    chat({ parsed: null, tool_calls: [{ ...toolCall, index: 0, function: { ...body, parsed_arguments: 'gone<1>' } }] }),
    1,
  ],
];
