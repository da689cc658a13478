/**
 * What a provider's protocol must bring for the server to speak it, and what both share: blocks cut into deltas.
 *
 * @module
 */
import type { Route } from '../request-record.ts';
import type { ModelAnswer, ScriptedToolCall } from '../script.ts';

/** One piece of a streamed body. */
export interface WireChunk {
  readonly text: string;
  /** Whether it carries content: pacing, and the places where a reply breaks off, count these only. */
  readonly isDelta: boolean;
}

/** An answer with everything decided: ids, pieces, tokens. */
export interface PlannedAnswer {
  /** The request's number, from which ids derive. */
  readonly n: number;
  readonly model: string;
  /** Epoch seconds. */
  readonly createdAt: number;
  readonly thinking: Block;
  readonly text: Block;
  readonly toolCalls: readonly (Required<ScriptedToolCall> & { readonly json: Block })[];
  readonly stopReason: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A block's whole content, and the deltas it goes out in. */
export interface Block {
  readonly whole: string;
  readonly pieces: readonly string[];
}

/** A provider's protocol. */
export interface Wire {
  /** What a path says, if it is one of the protocol's endpoints. */
  route(path: string): Route | undefined;
  /** The prefix of its tool call ids. */
  readonly idPrefix: string;
  /** The message with which the provider would refuse this body, if it would. `model` as the path or the body named it. */
  refuse(body: Readonly<Record<string, unknown>>, model: string | undefined): string | undefined;
  /** The stream's body, from first to last byte. */
  stream(answer: PlannedAnswer, body: Readonly<Record<string, unknown>>): Iterable<WireChunk>;
  /** The unstreamed body. */
  whole(answer: PlannedAnswer, body: Readonly<Record<string, unknown>>): unknown;
  /** The body of an HTTP error. */
  failure(status: number, message: string, n: number): unknown;
}

/** The route of a protocol that has one endpoint and says everything in the body. */
export function endpoint(path: string): (given: string) => Route | undefined {
  return (given) => (given === path ? {} : undefined);
}

/** Cuts a block into `chunks` pieces of about equal length, or after each word. Never through a surrogate pair. */
export function cutBlock(whole: string, chunks: number | undefined): Block {
  if (whole === '') return { whole, pieces: [] };
  if (chunks === undefined) return { whole, pieces: whole.match(/\s*\S+\s*$|\s*\S+|\s+$/gu) ?? [whole] };
  const characters = Array.from(whole);
  const count = Math.min(Math.floor(chunks), characters.length);
  const pieces = Array.from({ length: count }, (_, index) =>
    characters
      .slice(Math.floor((index * characters.length) / count), Math.floor(((index + 1) * characters.length) / count))
      .join(''),
  );
  return { whole, pieces };
}

/** Decides everything an answer left open. Ids follow from the request's number, so runs are repeatable. */
export function planAnswer(
  answer: ModelAnswer,
  wire: Wire,
  n: number,
  model: string | undefined,
  createdAt: number,
): PlannedAnswer {
  const thinking = cutBlock(answer.thinking ?? '', answer.chunks);
  const text = cutBlock(answer.text ?? '', answer.chunks);
  const toolCalls = (answer.toolCalls ?? []).map((call, index) => ({
    name: call.name,
    input: call.input,
    id: call.id ?? `${wire.idPrefix}${String(n)}_${String(index + 1)}`,
    json: cutBlock(JSON.stringify(call.input ?? {}), answer.chunks),
  }));
  const deltas = [thinking, text, ...toolCalls.map((call) => call.json)].reduce(
    (sum, block) => sum + block.pieces.length,
    0,
  );
  return {
    n,
    model: model ?? 'scripted',
    createdAt: Math.floor(createdAt / 1000),
    thinking,
    text,
    toolCalls,
    stopReason: answer.stopReason,
    inputTokens: answer.usage?.inputTokens ?? 10,
    outputTokens: answer.usage?.outputTokens ?? Math.max(1, deltas),
  };
}
