/**
 * The door `desist/transcript/ollama`: the messages of Ollama's own chat API, whose calls have no ids.
 *
 * @module desist/transcript/ollama
 */
import type { TranscriptDialect } from '../../dialect.ts';
import { foreignArguments, foreignBut } from '../../reading/require-messages.ts';
import { createDialect } from '../create-dialect.ts';
import { checkOllama } from './check.ts';
import { ollamaTurns, requireOllamaMessage, type OllamaChatMessage } from './message.ts';
import { settleOllama } from './settle.ts';
import { callsInOllama, repliesInOllama, resultsForOllama } from './speech.ts';

export type { OllamaChatMessage } from './message.ts';

/**
 * What `reply` gives: a message of the model, and below a cut one the results of its calls. The client's message may hold
 * more than this; it comes out as it went in.
 *
 * @since 0.1.0
 */
export type OllamaReplyMessage =
  | {
      role: 'assistant';
      content: string;
      tool_calls?: { function: { name: string; arguments: Record<string, unknown> } }[];
    }
  | OllamaResultMessage;

/**
 * What `toolResults` gives: one message for each call. A call to which the server gave an id has it in its result.
 *
 * @since 0.1.0
 */
export interface OllamaResultMessage {
  role: 'tool';
  tool_name: string;
  content: string;
}

const own = ['tool_calls', 'tool_call_id', 'input_text', 'output_text'];

/**
 * The chat API of Ollama; `Message` of `ollama` is a message of it.
 *
 * Its calls have no ids: a result belongs to a call by the name of its tool, and by its order among those of that name.
 * `calls` numbers those of a reply by tool, `read#1` first, and so are they asked for.
 *
 * @example The calls of a reply, and what the model is told about them
 * ```ts
 * import { ollama } from 'desist/transcript/ollama'
 *
 * const raw = { function: { name: 'read', arguments: { path: 'a.txt' } } }
 * const [call] = ollama.calls({ message: { role: 'assistant', content: '', tool_calls: [raw] }, done: true })
 * const outcome = { id: 'read#1', name: 'read', call, ms: 4, status: 'completed', value: 'hello' } as const
 * ollama.toolResults([outcome])[0] // => { role: 'tool', tool_name: 'read', content: 'hello' }
 * ```
 * @since 0.1.0
 */
export const ollama: TranscriptDialect<OllamaChatMessage, never, OllamaReplyMessage, OllamaResultMessage> =
  /* @__PURE__ */ createDialect({
    name: 'ollama',
    settle: settleOllama,
    check: checkOllama,
    turns: ollamaTurns,
    requireMessage: requireOllamaMessage,
    foreignIn: (message) => foreignBut(own, message) ?? foreignArguments('args', message),
    repliesIn: repliesInOllama,
    callsIn: callsInOllama,
    results: resultsForOllama,
    user: (text) => ({ role: 'user', content: text }),
    opening: { role: 'user', content: '-' },
  });
