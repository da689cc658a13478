/**
 * The dialects there are: one row each. A new one is a folder beside this file, a row here, and a door.
 *
 * @module
 */
import { requireOneOf } from '../../core/foundation/check.ts';
import { aiSDK } from './ai-sdk/index.ts';
import { anthropic } from './anthropic/index.ts';
import { gemini } from './gemini/index.ts';
import { langchain } from './langchain/index.ts';
import { ollama } from './ollama/index.ts';
import { openaiAgents } from './openai-agents/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiResponses } from './openai-responses/index.ts';

/**
 * Every dialect by its name.
 *
 * `anthropic` the Messages API · `openai-chat` Chat Completions, of OpenAI and of the many servers that speak it ·
 * `openai-responses` the items of the Responses API · `openai-agents` the items of a run of `@openai/agents` · `gemini` the
 * contents of `generateContent` · `ollama` Ollama's own chat API, whose calls have no ids · `ai-sdk` the messages of `ai` for a model · `langchain` the messages of
 * `@langchain/core`, instances of its classes and what it coerces to them.
 *
 * @since 0.1.0
 */
export interface TranscriptDialects {
  readonly anthropic: typeof anthropic;
  readonly 'openai-chat': typeof openaiChat;
  readonly 'openai-responses': typeof openaiResponses;
  readonly 'openai-agents': typeof openaiAgents;
  readonly gemini: typeof gemini;
  readonly ollama: typeof ollama;
  readonly 'ai-sdk': typeof aiSDK;
  readonly langchain: typeof langchain;
}

const dialects: TranscriptDialects = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'openai-agents': openaiAgents,
  gemini,
  ollama,
  'ai-sdk': aiSDK,
  langchain,
};

/**
 * The names of the dialects.
 *
 * @since 0.1.0
 */
export type DialectName = keyof TranscriptDialects;

/** The names, for a setting or a test of all of them. */
export const dialectNames: readonly DialectName[] = /* @__PURE__ */ Object.freeze(
  /* @__PURE__ */ Object.keys(dialects) as DialectName[],
);

/**
 * Finds a dialect by its name, for settings and stored conversations.
 *
 * Whoever calls it bundles all of them; where the dialect is known, import it from its own door.
 *
 * @param name As the dialect says it itself.
 * @returns The dialect.
 * @throws TypeError – there is no such dialect.
 * @example A dialect that a setting names
 * ```ts
 * import { checkTranscript, dialectNamed } from 'desist/transcript'
 *
 * const dialect = dialectNamed('gemini')
 * checkTranscript([{ role: 'user', parts: [{ text: 'Hello' }] }], { dialect }).length // => 0
 * ```
 * @since 0.1.0
 */
export function dialectNamed<const N extends DialectName>(name: N): TranscriptDialects[N] {
  return dialects[requireOneOf('name', name, dialectNames) as N];
}
