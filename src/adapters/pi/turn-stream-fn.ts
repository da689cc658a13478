/**
 * The model calls of pi's loop as calls of a turn.
 *
 * @module
 */
import {
  CancellationTokenSource as Sources,
  keepWords,
  type ModelContext,
  type ModelOptions,
  type Turn,
} from '../../core/inside.ts';
import { textOf, type WordsOf } from '../../guard/told-words.ts';
import { withLegalCalls } from './legal-calls.ts';
import { ReplyStream } from './reply-stream.ts';
import type { Reply, ReplyEvent, StreamFn } from './shapes.ts';
import { abortedReply, keptReply } from './words.ts';

/** What the model calls of one run share. */
export interface ModelCalls {
  readonly turn: Turn;
  readonly dialect: WordsOf;
  readonly options: Pick<ModelOptions, 'name' | 'idleMs' | 'graceMs'>;
  /** Whether a tool of the turn runs the loop: no message of the person is for it. */
  readonly isOfTool: boolean;
  /** Says to the loop what the user said meanwhile; returns whether there was anything. */
  readonly tell: () => boolean;
  /** What is kept of each reply that was cut. */
  readonly cut: Map<object, Reply | undefined>;
  /** Takes what a call failed with: the loop has only its words. */
  readonly failed: (error: unknown) => void;
}

/**
 * Asks a model under the turn: not after a stop; a stop ends the stream at once, also of a client that does not hear it; a
 * message with delivery `now` ends it as if it were whole, and the loop goes on from what had been said.
 */
export function turnStreamFn(calls: ModelCalls, streamFn: StreamFn): StreamFn {
  return (model, context, given) =>
    new ModelCall(calls, model, (signal) => streamFn(model, context, { ...given, signal })).answer(context.messages);
}

/** One reply of the model. */
class ModelCall {
  readonly #calls: ModelCalls;
  readonly #ask: (signal: AbortSignal) => unknown;
  readonly #reader = new Sources();
  readonly #out = new ReplyStream(() => {
    this.#reader.cancel({ message: 'The reader left the stream' });
  });
  /** What has come of the reply. */
  #last: Reply;
  #isWhole = false;

  constructor(calls: ModelCalls, model: object, ask: (signal: AbortSignal) => unknown) {
    this.#calls = calls;
    this.#ask = ask;
    this.#last = emptyReply(model);
  }

  /** @param before What the model is sent. */
  answer(before: readonly unknown[]): ReplyStream {
    const { turn, dialect, cut, failed } = this.#calls;
    const stop = turn.token.onCancelled((reason) => {
      const aborted = abortedReply(this.#last);
      cut.set(
        aborted,
        keptReply(this.#last, (said) => dialect.texts.cut(said, reason)),
      );
      this.#out.fail(aborted);
    });
    // After a stop there is no call that could have a row.
    if (turn.token.isCancelled) return this.#out;
    this.#whole()
      .then(
        (reply) => {
          this.#out.done(withLegalCalls(reply, before));
        },
        (error: unknown) => {
          failed(error);
          this.#out.fail(failedReply(this.#last, error));
        },
      )
      .finally(() => {
        stop.unregister();
        this.#reader.release();
      });
    return this.#out;
  }

  /** The reply that the loop goes on from: one that was cut is followed by the message that cut it. */
  async #whole(): Promise<Reply> {
    const { turn, options, isOfTool, tell, cut } = this.#calls;
    const asked: ModelOptions = { ...options, aside: isOfTool, token: this.#reader.token };
    const empty = this.#last;
    for (;;) {
      const outcome = await turn.model((context) => (isOfTool ? this.#readAside(context) : this.#read(context)), asked);
      if (outcome.status === 'completed') {
        if (this.#isWhole) return this.#last;
        throw new Error('The stream ended before the reply');
      }
      if (tell()) {
        // The message says why it was cut.
        const kept = keptReply(this.#last);
        if (kept !== undefined) return kept;
        const nothing: Reply = { ...empty };
        cut.set(nothing, undefined);
        return nothing;
      }
      // The message was taken back: what it cut is no answer.
      this.#last = empty;
    }
  }

  /** The turn keeps no words of a call aside; a person may have read those of a tool. */
  async #readAside(context: ModelContext): Promise<void> {
    const stop = context.token.onCancelled((reason) => {
      const text = textOf(this.#last.content);
      if (text !== '') keepWords(this.#calls.turn.token, { text, isOfTool: true }, reason);
    });
    try {
      await this.#read(context);
    } finally {
      stop.unregister();
    }
  }

  async #read({ signal, partial, progress, usage }: ModelContext): Promise<void> {
    this.#isWhole = false;
    for await (const event of (await this.#ask(signal)) as AsyncIterable<ReplyEvent>) {
      // What a client sends after it was told to stop belongs to nobody.
      if (signal.aborted) return;
      this.#last = event.message ?? event.error ?? event.partial ?? this.#last;
      if (event.type === 'error') throw new Error(this.#last.errorMessage ?? 'The model call failed');
      const text = textOf(this.#last.content);
      if (text === '') progress();
      else partial({ text });
      const output = this.#last.usage?.output;
      if (typeof output === 'number' && output >= 0) usage({ outputTokens: output });
      this.#isWhole = event.type === 'done';
      // The last one is given out when nothing can cut the reply any more.
      if (this.#isWhole) return;
      this.#out.give(event);
    }
  }
}

/** A reply of which nothing has come. */
function emptyReply({ api, provider, id }: { api?: unknown; provider?: unknown; id?: unknown }): Reply {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
  const usage = { ...none, cost: { ...none, total: 0 } };
  const made = { role: 'assistant' as const, content: [], api, provider, model: id, usage, stopReason: 'stop' };
  return { ...made, timestamp: Date.now() } as Reply;
}

function failedReply(reply: Reply, error: unknown): Reply {
  return { ...reply, stopReason: 'error', errorMessage: error instanceof Error ? error.message : String(error) };
}
