/**
 * The door `desist/transcript/ollama`: the messages of Ollama's own chat API, whose calls have no ids.
 *
 * @module desist/transcript/ollama
 */
import type { TranscriptDialect } from '../../dialect.ts';
import { field, textIn } from '../../reading/fields.ts';
import { foreignArguments, foreignBut } from '../../reading/require-messages.ts';
import { createDialect } from '../create-dialect.ts';
import { checkOllama } from './check.ts';
import { ollamaTurns, requireOllamaMessage, type OllamaChatMessage } from './message.ts';
import { settleOllama } from './settle.ts';
import { callsInOllama, repliesInOllama, resultsForOllama } from './speech.ts';

export type { OllamaChatMessage } from './message.ts';

const own = [
  'tool_calls',
  'tool_call_id',
  'input_text',
  'output_text',
  'text',
  'image',
  'image_url',
  'document',
  'done_reason',
];

/**
 * The chat API of Ollama; `Message` of `ollama` is a message of it.
 *
 * Its calls have no ids: a result belongs to a call by the name of its tool, and by its order among those of that name.
 * `calls` numbers those of a reply by tool, `read#1` first, and so are they asked for.
 *
 * @example The calls of a reply
 * ```ts
 * import { ollama } from 'desist/transcript/ollama'
 *
 * const raw = { function: { name: 'read', arguments: { path: 'a.txt' } } }
 * const calls = ollama.calls({ message: { role: 'assistant', content: '', tool_calls: [raw] }, done: true })
 * calls.map(({ id, input }) => [id, input]) // => [['read#1', { path: 'a.txt' }]]
 * ```
 * @since 0.1.0
 */
export const ollama: TranscriptDialect<OllamaChatMessage> = /* @__PURE__ */ createDialect({
  name: 'ollama',
  settle: settleOllama,
  check: checkOllama,
  turns: ollamaTurns,
  requireMessage: requireOllamaMessage,
  foreignIn: (message) => foreignBut(own, message) ?? foreignArguments('args', message),
  repliesIn: repliesInOllama,
  ended: (reply) => textIn(field(reply, 'done_reason')) ?? (field(reply, 'done') === true && 'stop'),
  callsIn: callsInOllama,
  results: resultsForOllama,
  user: (text) => ({ role: 'user', content: text }),
  opening: { role: 'user', content: '-' },
});
