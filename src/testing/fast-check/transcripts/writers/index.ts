/**
 * One writer for each dialect.
 *
 * @module
 */
import type { DialectName } from '../../../../transcript/index.ts';
import { shown } from '../../choices.ts';
import { openaiAgentsWriter, openaiResponsesWriter } from './item-writers.ts';
import { langchainWriter, ollamaWriter, openaiChatWriter } from './message-writers.ts';
import { aiSDKModelWriter, aiSDKUserInterfaceWriter, anthropicWriter, geminiWriter } from './part-writers.ts';
import type { Writer } from './writer.ts';

export { writeRound, type Writer } from './writer.ts';

const writers: Readonly<Record<DialectName | 'ai-sdk-ui', Writer>> = {
  anthropic: anthropicWriter,
  'openai-chat': openaiChatWriter,
  'openai-responses': openaiResponsesWriter,
  'openai-agents': openaiAgentsWriter,
  gemini: geminiWriter,
  ollama: ollamaWriter,
  'ai-sdk': aiSDKModelWriter,
  'ai-sdk-ui': aiSDKUserInterfaceWriter,
  langchain: langchainWriter,
};

/**
 * The writer of a dialect.
 *
 * @throws TypeError – there is none.
 */
export function writerOf(dialect: unknown): Writer {
  const name: unknown =
    typeof dialect === 'string' ? dialect : (dialect as { name?: unknown } | null | undefined)?.name;
  if (typeof name === 'string' && Object.hasOwn(writers, name)) return writers[name as keyof typeof writers];
  throw new TypeError(`dialect must be a dialect or the name of one, got ${shown(dialect)}`);
}
