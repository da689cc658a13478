/**
 * The Gemini API's `generateContent`, as a server writes it.
 *
 * @module
 */
import { refuseGemini } from '../transcript-rules/gemini.ts';
import type { PlannedAnswer, Wire, WireChunk } from './wire.ts';

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

type Part = Readonly<Record<string, unknown>>;

/** The calls as parts: they are never cut into deltas, and the first one carries the signature of the thinking. */
function callParts(answer: PlannedAnswer): readonly Part[] {
  return answer.toolCalls.map(({ id, name, input }, index) => ({
    functionCall: { id, name, args: input ?? {} },
    ...(index === 0 ? { thoughtSignature: signature(answer) } : {}),
  }));
}

/** The real ones are base64, and so is this: clients may decode it. */
function signature(answer: PlannedAnswer): string {
  return Buffer.from(`signature-${String(answer.n)}`).toString('base64');
}

/** A stream counts as it goes. */
function usage({ inputTokens, outputTokens }: PlannedAnswer, said: number = outputTokens): Record<string, number> {
  return { promptTokenCount: inputTokens, candidatesTokenCount: said, totalTokenCount: inputTokens + said };
}

function reply(
  answer: PlannedAnswer,
  parts: readonly Part[],
  end: Readonly<Record<string, unknown>> = {},
  said?: number,
): unknown {
  return {
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...end }],
    modelVersion: answer.model,
    responseId: `response-${String(answer.n)}`,
    usageMetadata: usage(answer, said),
  };
}

function ending(answer: PlannedAnswer): { readonly finishReason: string } {
  return { finishReason: answer.stopReason ?? 'STOP' };
}

function* stream(answer: PlannedAnswer): Iterable<WireChunk> {
  let said = 0;
  const chunk = (parts: readonly Part[], end?: Readonly<Record<string, unknown>>): WireChunk => ({
    text: `data: ${JSON.stringify(reply(answer, parts, end, end === undefined ? ++said : undefined))}\r\n\r\n`,
    isDelta: end === undefined,
  });
  for (const text of answer.thinking.pieces) yield chunk([{ text, thought: true }]);
  for (const text of answer.text.pieces) yield chunk([{ text }]);
  for (const call of callParts(answer)) yield chunk([call]);
  yield chunk([{ text: '' }], ending(answer));
}

/** `generateContent` and `streamGenerateContent` of any version; a stream goes out as server-sent events only. */
export const geminiWire: Wire = {
  route(path) {
    const [, model, method] = /^\/v\w+\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(path) ?? [];
    return model === undefined ? undefined : { model, stream: method === 'streamGenerateContent' };
  },
  idPrefix: 'call_',
  refuse: refuseGemini,
  stream,
  whole(answer) {
    const thought = answer.thinking.whole === '' ? [] : [{ text: answer.thinking.whole, thought: true }];
    const text = answer.text.whole === '' ? [] : [{ text: answer.text.whole }];
    return reply(answer, [...thought, ...text, ...callParts(answer)], ending(answer));
  },
  failure: (status, message) => ({ error: { code: status, message, status: statuses[status] ?? 'UNKNOWN' } }),
};
