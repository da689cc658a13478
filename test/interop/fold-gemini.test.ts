/**
 * Whole streams of Gemini, with every kind of part that the SDK's types name: the fold keeps what the SDK's own chat keeps
 * of them as its history, and cut after any chunk it holds a beginning of that.
 */
import type { GoogleGenAI } from '@google/genai';
import { describe, expect, it } from 'vitest';
import { foldGemini, type GeminiChunk, type GeminiReply } from '../../src/adapters/llm/index.ts';
import { majors } from './majors.ts';
import { isBeginningOf } from './support/streams.ts';

const loaded = await Promise.all(
  majors.map(async (major) => {
    const sdk = await major.load<{ GoogleGenAI: typeof GoogleGenAI }>('@google/genai');
    return { version: major.version('@google/genai'), sdk };
  }),
);

const chunk = (parts: object[], more: object = {}): GeminiChunk => ({
  candidates: [{ index: 0, content: { role: 'model', parts } as { parts: object[] }, ...more }],
});

const chunks: readonly GeminiChunk[] = [
  chunk([{ text: 'Hm.', thought: true }]),
  chunk([{ text: 'One ' }]),
  chunk([{ text: 'two.' }, { text: ' Three.' }]),
  chunk([{ text: '', thoughtSignature: 'c2VhbA==' }]),
  chunk([{ text: 'After.' }]),
  chunk([{ text: 'Signed.', thoughtSignature: 'b3RoZXI=' }]),
  chunk([{ executableCode: { language: 'PYTHON', code: 'print(1)', id: 'e' }, thoughtSignature: 'Y29kZQ==' }]),
  chunk([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n', id: 'e' } }]),
  chunk([{ inlineData: { mimeType: 'image/png', data: 'AAAA' }, thoughtSignature: 'aW1n' }]),
  chunk([{ fileData: { mimeType: 'image/png', fileUri: 'u' } }]),
  chunk([{ toolCall: { id: 't', toolType: 'GOOGLE_SEARCH_WEB', args: { q: 1 } }, thoughtSignature: 'dG9vbA==' }]),
  chunk([{ toolResponse: { id: 't', toolType: 'GOOGLE_SEARCH_WEB', response: { a: 1 } } }]),
  chunk([{ functionCall: { id: 'c1', name: 'read', args: { path: 'a' } }, thoughtSignature: 'Y2FsbA==' }]),
  chunk([{ functionCall: { id: 'c2', name: 'list', args: {} } }]),
  chunk([{ ofALaterVersion: { at: ['all'] } }]),
  chunk([{ text: 'End.' }], { finishReason: 'STOP' }),
];

function fold(given: readonly GeminiChunk[]): GeminiReply {
  const state = foldGemini();
  for (const one of given) state.add(one);
  return state.value;
}

type Part = Readonly<Record<string, unknown>>;

/** The texts that follow each other as one, without what was thought. */
function joined(parts: readonly Part[]): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    const isText = (one: Part | undefined): boolean => one !== undefined && Object.keys(one).join() === 'text';
    if (part['thought'] === true) continue;
    if (last !== undefined && isText(last) && isText(part)) {
      all[all.length - 1] = { text: String(last['text']) + String(part['text']) };
    } else all.push(part);
  }
  return all;
}

describe.each(loaded)('a whole stream, beside @google/genai $version', ({ sdk }) => {
  it('is folded to what the chat of the SDK keeps', async () => {
    const body = chunks.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join('');
    const answer = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const given = globalThis.fetch;
    globalThis.fetch = () => Promise.resolve(answer);
    try {
      const chat = new sdk.GoogleGenAI({ apiKey: 'none' }).chats.create({ model: 'gemini-3-pro' });
      const state = foldGemini();
      for await (const one of await chat.sendMessageStream({ message: 'Go.' })) state.add(one);
      const history = chat.getHistory().filter(({ role }) => role === 'model');
      const parts = joined(history.flatMap((content) => (content.parts ?? []) as Part[]));
      expect(state.value.message).toEqual({ role: 'model', parts });
      expect(fold(chunks)).toEqual(state.value);
      expect(parts).toHaveLength(14);
    } finally {
      globalThis.fetch = given;
    }
  });

  it('S15 is a beginning of itself wherever it is cut', () => {
    const whole = fold(chunks).message;
    for (let cut = 0; cut < chunks.length; cut += 1) {
      const { message } = fold(chunks.slice(0, cut));
      expect(isBeginningOf(message, whole), `after ${String(cut)} chunks: ${JSON.stringify(message)}`).toBe(true);
    }
  });
});
