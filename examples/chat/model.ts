/** The model: a provider's where there is a key, else a scripted one that takes its time. */
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModel } from 'ai';
import { startModelServer } from 'desist/testing';

export interface ScriptedModel {
  readonly url: string;
  close(): Promise<void>;
}

/** Answers every message with many words, slowly. */
export const startScriptedModel = (): Promise<ScriptedModel> =>
  startModelServer({ script: () => ({ text: 'one word after the other '.repeat(100), chunkMs: 30 }) });

/** The model of an instance. */
export function modelAt(url: string): LanguageModel {
  const apiKey = process.env['OPENAI_API_KEY'];
  if (apiKey) return createOpenAI({ apiKey }).chat(process.env['OPENAI_MODEL'] ?? 'gpt-5-mini');
  return createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' }).chat('scripted');
}
