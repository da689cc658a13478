/**
 * Makes a transcript of Ollama's legal: in the shape of Chat Completions, with ids that only this pass knows.
 *
 * @module
 */
import { settleOpenAIChat } from '../../chat/settle.ts';
import type { DialectResult, SettleOptions } from '../rules.ts';
import { plainMessage, type OllamaChatMessage } from './message.ts';
import { callsInOllama } from './speech.ts';
import { OllamaTranslation } from './translate.ts';

/** Makes a transcript of Ollama's legal. */
export function settleOllama(
  messages: readonly OllamaChatMessage[],
  options: SettleOptions,
): DialectResult<OllamaChatMessage> {
  const plain = messages.map(plainMessage);
  const translation = new OllamaTranslation();
  const settled = settleOpenAIChat(translation.toChat(plain), { ...options, ids: 'keep' }, (at) =>
    callsInOllama(plain.slice(at, at + 1)),
  );
  return { messages: translation.toOllama(settled.messages) };
}
