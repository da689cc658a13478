/**
 * What a model's stream has said so far, and which of its blocks are open.
 *
 * @module
 */
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

/**
 * What a cut call is kept as: its text, and the message of it. Calls that came whole are in the message: the SDK starts a
 * tool while the answer still streams.
 */
export interface CutAnswer {
  readonly text: string;
  readonly message: { readonly role: 'assistant'; readonly content: readonly object[] };
}

/** The words of an answer as a message. */
export function saidMessage(text: string, calls: readonly object[] = []): CutAnswer['message'] {
  return { role: 'assistant', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...calls] };
}

/** Providers give the arguments of a call as text. */
export function inputOf(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input.trim() === '' ? '{}' : input) as unknown;
  } catch {
    return {};
  }
}

/** A part of an answer: a text, a thought, a call; as the provider's adapter gives it. */
export interface AnswerPart {
  readonly type: string;
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
  /** The calls that came whole in this round, as parts of a message. */
  #calls: object[] = [];
  #text = '';
  #rounds = 0;

  /** The parts of the next round; a stream starts once. */
  async *next(stream: AIStream): AsyncGenerator<AIStreamPart, undefined> {
    this.#text = '';
    this.#content = [];
    this.#calls = [];
    this.#growing = new Map();
    const isFirst = this.#rounds++ === 0;
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || value === undefined) return;
        if (isFirst || value.type !== 'stream-start') yield value;
      }
    } finally {
      // A stream that was left is closed; one that ended or broke has nothing more to say.
      void reader.cancel().catch(() => undefined);
    }
  }

  /** Takes a part in; returns what this round has said, if anything. */
  add(part: AIStreamPart): CutAnswer | undefined {
    const { type, id, delta } = part as { readonly type: string; readonly id?: unknown; readonly delta?: unknown };
    this.#keep(part, type, String(id), delta);
    if (typeof id === 'string') {
      const end = (openers as Readonly<Record<string, string>>)[type];
      if (end !== undefined) this.#open.set(`${end} ${id}`, { type: end, id });
      else if (closers.has(type)) this.#open.delete(`${type} ${id}`);
    }
    if (type === 'text-delta' && typeof delta === 'string') this.#text += delta;
    const text = this.#text;
    return text === '' && this.#calls.length === 0 ? undefined : { text, message: saidMessage(text, this.#calls) };
  }

  /** What the round has said so far. */
  get text(): string {
    return this.#text;
  }

  /** Whether a call for a tool of ours has come whole: the loop has started it, or will. */
  get hasCalled(): boolean {
    return this.#content.some(
      (part) =>
        part.type === 'tool-call' && (part as { readonly providerExecuted?: unknown }).providerExecuted !== true,
    );
  }

  /** What the round has said so far, as the content of an answer. */
  get content(): readonly AnswerPart[] {
    return this.#content;
  }

  #keep(part: AIStreamPart, type: string, id: string, delta: unknown): void {
    if (type === 'text-start' || type === 'reasoning-start') {
      const grown = { type: type === 'text-start' ? ('text' as const) : ('reasoning' as const), text: '' };
      this.#growing.set(`${grown.type} ${id}`, grown);
      this.#content.push(grown);
    } else if (type === 'text-delta' || type === 'reasoning-delta' || type === 'text-end' || type === 'reasoning-end') {
      const grown = this.#growing.get(`${type.slice(0, type.indexOf('-'))} ${id}`);
      if (grown === undefined) return;
      if (typeof delta === 'string') grown.text += delta;
      // What was said last counts: a signature comes with the end.
      const { providerMetadata } = part as { readonly providerMetadata?: unknown };
      if (providerMetadata !== undefined) Object.assign(grown, { providerMetadata });
    } else if (wholeParts.has(type)) this.#content.push(part);
    if (type !== 'tool-call') return;
    const { toolCallId, toolName, input, providerExecuted } = part as unknown as Readonly<Record<string, unknown>>;
    const executed = providerExecuted === true ? { providerExecuted } : {};
    this.#calls = [...this.#calls, { type, toolCallId, toolName, input: inputOf(input), ...executed }];
  }

  /** The ends of all blocks that are open. */
  close(): readonly AIStreamPart[] {
    const ends = [...this.#open.values()];
    this.#open.clear();
    return ends;
  }
}
