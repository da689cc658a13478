/**
 * What a model's stream has said so far, and which of its blocks are open.
 *
 * @module
 */
import type { AnswerPart } from './answer-parts.ts';
import type { CallIds } from './call-ids.ts';
import { GrowingAnswer, type CutAnswer } from './cut-answer.ts';

/**
 * A piece of a model's stream.
 *
 * @since 0.1.0
 */
export interface AIStreamPart {
  readonly type: string;
}

/**
 * The stream of a model, as far as it is read here: not by the platform's name, which not every program declares.
 *
 * @since 0.1.0
 */
export interface AIStream {
  /** Takes the stream for one reader. */
  getReader(): {
    /** The next part; `done` when there is none. */
    read(): Promise<{ done: boolean; value?: AIStreamPart | undefined }>;
    /** Closes the stream. */
    cancel(): Promise<void>;
  };
}

const wholeParts: ReadonlySet<string> = new Set([
  'tool-call',
  'tool-result',
  'tool-approval-request',
  'file',
  'source',
]);

const openers = { 'text-start': 'text-end', 'reasoning-start': 'reasoning-end', 'tool-input-start': 'tool-input-end' };
const closers: ReadonlySet<string> = new Set(Object.values(openers));

/** One stream of one or more rounds. */
export class StreamedText {
  readonly #open = new Map<string, AIStreamPart & { readonly id: string }>();
  /** The parts of this round in order, as a model answers them whole. */
  #content: AnswerPart[] = [];
  #growing = new Map<string, { readonly type: 'text' | 'reasoning'; text: string }>();
  #answer = new GrowingAnswer();
  #rounds = 0;
  #finish: AIStreamPart | undefined;

  /** The parts of the next round, each call by its own id; a stream starts once. */
  async *next(stream: AIStream, ids?: CallIds): AsyncGenerator<AIStreamPart, undefined> {
    this.#answer = new GrowingAnswer();
    this.#content = [];
    this.#growing = new Map();
    this.#finish = undefined;
    const isFirst = this.#rounds++ === 0;
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || value === undefined) return;
        if (isFirst || value.type !== 'stream-start') yield ids === undefined ? value : ids.part(value);
      }
    } finally {
      // A stream that was left is closed; one that ended or broke has nothing more to say.
      void reader.cancel().catch(() => undefined);
    }
  }

  /** Takes a part in; returns what this round has said, if anything. */
  add(part: AIStreamPart): CutAnswer | undefined {
    const { type, id, delta } = part as { readonly type: string; readonly id?: unknown; readonly delta?: unknown };
    if (type === 'finish') this.#finish = part;
    this.#keep(part, type, String(id), delta);
    if (typeof id === 'string') {
      const end = (openers as Readonly<Record<string, string>>)[type];
      if (end !== undefined) this.#open.set(`${end} ${id}`, { type: end, id });
      else if (closers.has(type)) this.#open.delete(`${type} ${id}`);
    }
    return this.#answer.said;
  }

  /** The round as it is kept if it is cut. */
  get answer(): GrowingAnswer {
    return this.#answer;
  }

  /** The last part of a round that came whole. */
  get finish(): AIStreamPart | undefined {
    return this.#finish;
  }

  /** The round as the content of an answer that came whole. */
  get content(): readonly AnswerPart[] {
    return this.#content;
  }

  #keep(part: AIStreamPart, type: string, id: string, delta: unknown): void {
    const { providerMetadata } = part as { readonly providerMetadata?: unknown };
    const metadata = providerMetadata === undefined ? {} : { providerMetadata };
    if (type === 'text-start' || type === 'reasoning-start') {
      const grown = { type: type === 'text-start' ? ('text' as const) : ('reasoning' as const), text: '', ...metadata };
      this.#growing.set(`${grown.type} ${id}`, grown);
      this.#answer.seeItems(grown);
      this.#content.push(grown);
    } else if (type === 'text-delta' || type === 'reasoning-delta' || type === 'text-end' || type === 'reasoning-end') {
      if (type === 'text-delta' && typeof delta === 'string') this.#answer.addText(id, delta);
      const grown = this.#growing.get(`${type.slice(0, type.indexOf('-'))} ${id}`);
      if (grown === undefined) return;
      if (typeof delta === 'string') grown.text += delta;
      // What was said last counts: a signature comes with the end.
      Object.assign(grown, metadata);
      if (type.endsWith('-end')) this.#answer.close(id, grown);
    } else if (wholeParts.has(type)) {
      this.#content.push(part);
      this.#answer.addWhole(part);
    }
  }

  /** The ends of all blocks that are open. */
  close(): readonly AIStreamPart[] {
    const ends = [...this.#open.values()];
    this.#open.clear();
    return ends;
  }
}
