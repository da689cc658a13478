/**
 * Replies of Ollama.
 *
 * @module
 */
import type { Sample } from './sample.ts';

const ollama = (message: object): object => ({
  model: 'm',
  created_at: 'now',
  message: { role: 'assistant', content: '', ...message },
  done: true,
  done_reason: 'stop',
  total_duration: 1,
});

export const ollamaReplies: readonly Sample[] = [
  ['a text with a thought', ollama({ content: 'said<1>', thinking: 'thought<1>' })],
  [
    'a call with an id',
    ollama({ tool_calls: [{ id: 'call_1', function: { index: 0, name: 'pay', arguments: { to: 'call<1>' } } }] }),
    1,
  ],
  ['a thought alone', ollama({ thinking: 'gone<1>' })],
  ['nothing, when it was loaded', { ...ollama({}), done_reason: 'load' }],
  ['no calls written as null', ollama({ content: 'said<1>', tool_calls: null, images: null })],
];
