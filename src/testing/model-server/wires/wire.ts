/**
 * What a provider's protocol must bring for the server to speak it, and what both share: blocks cut into deltas.
 *
 * @module
 */
import type { Route } from '../request-record.ts';
import type { ModelAnswer, ScriptedPart, ScriptedToolCall } from '../script.ts';

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
  /** What it consists of, in order. */
  readonly parts: readonly PlannedPart[];
  /** All of one kind, for protocols that have no order between the kinds. */
  readonly thinking: Block;
  readonly text: Block;
  readonly toolCalls: readonly PlannedCall[];
  readonly stopReason: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A call with its id, and its arguments as JSON. */
export type PlannedCall = Required<ScriptedToolCall> & { readonly json: Block };

/** A part of an answer; `place` tells it from others of its kind, and is empty for the first. */
export type PlannedPart =
  | { readonly kind: 'thinking'; readonly block: Block; readonly place: string; readonly isRedacted: boolean }
  | { readonly kind: 'text'; readonly block: Block; readonly place: string }
  | { readonly kind: 'call'; readonly block: Block; readonly call: PlannedCall };

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

/** The route of a protocol that has one endpoint and says everything in the body; a program may leave the version out. */
export function endpoint(path: string): (given: string) => Route | undefined {
  const bare = path.replace(/^\/v1(?=\/)/, '');
  return (given) => (given === path || given === bare ? {} : undefined);
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

/** What the script says, as parts in their order. */
function partsOf({ parts, thinking = '', text = '', toolCalls = [] }: ModelAnswer): readonly ScriptedPart[] {
  return parts ?? [{ thinking }, { text }, ...toolCalls.map((toolCall) => ({ toolCall }))];
}

/** Decides everything an answer left open. Ids follow from the request's number, so runs are repeatable. */
export function planAnswer(
  answer: ModelAnswer,
  wire: Wire,
  n: number,
  model: string | undefined,
  createdAt: number,
): PlannedAnswer {
  const counts = { thinking: 0, text: 0, call: 0 };
  const placeOf = (kind: 'thinking' | 'text'): string => (++counts[kind] === 1 ? '' : `_${String(counts[kind])}`);
  const parts = partsOf(answer).flatMap((part): PlannedPart[] => {
    if ('toolCall' in part) {
      counts.call += 1;
      const { name, input, id = `${wire.idPrefix}${String(n)}_${String(counts.call)}` } = part.toolCall;
      const block = cutBlock(JSON.stringify(input ?? {}), answer.chunks);
      return [{ kind: 'call', block, call: { name, input, id, json: block } }];
    }
    const block = cutBlock('thinking' in part ? part.thinking : part.text, answer.chunks);
    if (block.whole === '') return [];
    if ('text' in part) return [{ kind: 'text', block, place: placeOf('text') }];
    return [{ kind: 'thinking', block, place: placeOf('thinking'), isRedacted: part.redacted === true }];
  });
  const all = (kind: PlannedPart['kind']): Block => {
    const blocks = parts.flatMap((part) => (part.kind === kind ? [part.block] : []));
    return { whole: blocks.map(({ whole }) => whole).join(''), pieces: blocks.flatMap(({ pieces }) => pieces) };
  };
  const deltas = parts.reduce((sum, { block }) => sum + block.pieces.length, 0);
  return {
    n,
    model: model ?? 'scripted',
    createdAt: Math.floor(createdAt / 1000),
    parts,
    thinking: all('thinking'),
    text: all('text'),
    toolCalls: parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])),
    stopReason: answer.stopReason,
    inputTokens: answer.usage?.inputTokens ?? 10,
    outputTokens: answer.usage?.outputTokens ?? Math.max(1, deltas),
  };
}
