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

/** The answer as parts, each of them a list of the pieces that a stream sends it in: a call is never cut. */
function partsOf(answer: PlannedAnswer): readonly (readonly Part[])[] {
  const first = answer.parts.findIndex(({ kind }) => kind === 'call');
  return answer.parts.map((part, at) => {
    switch (part.kind) {
      case 'thinking':
        return part.block.pieces.map((text) => ({ text, thought: true }));
      case 'text':
        return part.block.pieces.map((text) => ({ text }));
      case 'call': {
        const { id, name, input } = part.call;
        // The first call of a step carries the signature of the thinking, and no other.
        const signed = at === first ? { thoughtSignature: signature(answer) } : {};
        return [{ functionCall: { id, name, args: input ?? {} }, ...signed }];
      }
    }
  });
}

/** The pieces of a part as one. */
function whole(pieces: readonly Part[]): Part {
  const [part = {}] = pieces;
  return 'text' in part ? { ...part, text: pieces.map(({ text }) => String(text)).join('') } : part;
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
  for (const piece of partsOf(answer).flat()) yield chunk([piece]);
  yield chunk([{ text: '' }], ending(answer));
}

/** `generateContent` and `streamGenerateContent` of any version or none; a stream goes out as server-sent events only. */
export const geminiWire: Wire = {
  route(path) {
    const [, model, method] =
      /^(?:\/v\w+)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(path) ?? [];
    return model === undefined ? undefined : { model, stream: method === 'streamGenerateContent' };
  },
  idPrefix: 'call_',
  refuse: refuseGemini,
  stream,
  whole: (answer) => reply(answer, partsOf(answer).map(whole), ending(answer)),
  failure: (status, message) => ({ error: { code: status, message, status: statuses[status] ?? 'UNKNOWN' } }),
};
