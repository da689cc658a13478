/**
 * What of a framework's loop its conversation is told, at the boundary of the model: what is asked, what is answered, and
 * what the framework says of its calls.
 *
 * @module
 */
import {
  type AnyTurn,
  type Interjection,
  type LoopRecorder,
  recorderOf,
  type RecordedReply,
  runsTools,
  type ToldResult,
  type Turn,
} from '../../../core/inside.ts';

/** How a framework's messages are read. */
export interface LoopReader {
  /** The dialect of the framework's messages. */
  readonly dialect: string;
  /** The results of calls among what a model is asked. */
  readonly resultsIn: (messages: readonly unknown[]) => readonly (readonly [id: string, result: ToldResult])[];
}

/** How a loop is recorded. */
export interface LoopRecordOptions {
  /** Whether it is not of the conversation. */
  readonly isAside: boolean;
  /** Whether its tools may run without a row in the ledger. */
  readonly mayRunUnseen: boolean;
}

/**
 * Whose a call of the model is. The loop's is of the conversation with the person. A tool's is of a loop that the tool runs,
 * and what is asked aside is of neither: a message of the person is not for them, and nothing that they say is a reply.
 */
export type Asker = 'loop' | 'tool' | 'aside';

/** Who takes what a call of the model answers. */
export interface TakenBy<T> {
  readonly asker: Asker;
  /** The conversation that takes the answer, and as what; none takes what a tool or somebody aside asks. */
  readonly recorder?: LoopRecorder | undefined;
  readonly reply: RecordedReply<T>;
}

/** One loop. */
export class LoopRecord {
  /** The turn behind that of a conversation. */
  readonly turn: Turn;
  readonly #recorder: LoopRecorder | undefined;
  readonly #reader: LoopReader;
  readonly #isAside: boolean;
  readonly #mayRunUnseen: boolean;
  /** The calls of its last answer; of what a tool asks nothing is kept. */
  #last: ReadonlySet<string> = new Set();
  #asker: Asker;

  constructor(turn: AnyTurn, reader: LoopReader, { isAside, mayRunUnseen }: LoopRecordOptions) {
    const recorder = recorderOf(turn);
    if (!isAside && recorder !== undefined && recorder.dialect !== reader.dialect) {
      throw new TypeError(
        `turn must be of a conversation of ${reader.dialect}, which this framework's loop is kept in, got one of ${recorder.dialect}; ` +
          'beside the conversation it runs with aside: true',
      );
    }
    this.turn = recorder?.turn ?? (turn as Turn);
    this.#recorder = recorder;
    this.#reader = reader;
    this.#isAside = isAside;
    this.#asker = isAside ? 'aside' : 'loop';
    this.#mayRunUnseen = mayRunUnseen;
  }

  /**
   * A call of the model begins.
   *
   * @param messages What it is sent; `undefined` if that is no conversation.
   */
  call(messages: readonly unknown[] | undefined): CallRecord {
    const asker = this.#isAside || messages === undefined ? 'aside' : this.#askerOf(messages);
    this.#asker = asker;
    return new CallRecord(asker, asker === 'loop' ? this.#recorder : undefined, {
      mayRunUnseen: this.#mayRunUnseen,
      tell: (recorder, asked) => {
        this.#tell(recorder, asked);
      },
      answered: (ids) => {
        if (asker === 'loop') this.#last = new Set(ids);
      },
    });
  }

  /** While a tool runs it is a tool that asks, unless what is sent answers the calls of the last answer. */
  #askerOf(messages: readonly unknown[]): Asker {
    if (!runsTools(this.turn.token)) return 'loop';
    return this.#reader.resultsIn(messages).some(([id]) => this.#last.has(id)) ? 'loop' : 'tool';
  }

  /** The framework begins a call. One that a stop comes before does not run. */
  began(id: string): void {
    if (!this.turn.token.isCancelled) this.#recorder?.began(id);
  }

  /** The framework's own account of what its last answer came to; of a stopped turn only the ledger knows. */
  became(messages: readonly unknown[], more?: (recorder: LoopRecorder) => void): void {
    if (this.#recorder === undefined || this.#asker !== 'loop' || this.turn.token.isCancelled) return;
    more?.(this.#recorder);
    this.#tell(this.#recorder, messages);
  }

  #tell(recorder: LoopRecorder, messages: readonly unknown[]): void {
    for (const [id, result] of this.#reader.resultsIn(messages)) recorder.told(id, result);
  }
}

/** How one call of the model is recorded. */
interface CallParts {
  readonly mayRunUnseen: boolean;
  readonly tell: (recorder: LoopRecorder, messages: readonly unknown[]) => void;
  readonly answered: (ids: readonly string[]) => void;
}

/** One call of the model, which may ask more than once. */
export class CallRecord {
  readonly #asker: Asker;
  readonly #recorder: LoopRecorder | undefined;
  readonly #parts: CallParts;

  constructor(asker: Asker, recorder: LoopRecorder | undefined, parts: CallParts) {
    this.#asker = asker;
    this.#recorder = recorder;
    this.#parts = parts;
  }

  /** Gives a call of the answer its id; `undefined` where the answer is of no conversation. */
  get callId(): ((given: string) => string) | undefined {
    return this.#recorder?.callId;
  }

  /** Who takes the answer, and how a conversation reads it. */
  take<T>(reply: Pick<RecordedReply<T>, 'read' | 'endedByCut'>): TakenBy<T> {
    const { mayRunUnseen } = this.#parts;
    return { asker: this.#asker, recorder: this.#recorder, reply: { ...reply, mayRunUnseen } };
  }

  /** The model is asked. What the framework tells it of calls is what it was told. */
  asked(messages: readonly unknown[], { interjections }: { readonly interjections: readonly Interjection[] }): void {
    if (this.#recorder === undefined) return;
    this.#parts.tell(this.#recorder, messages);
    this.#recorder.read(interjections);
    this.#recorder.asked();
  }

  /** The loop goes on from an answer with these calls. */
  answered(calls: readonly string[]): void {
    this.#parts.answered(calls);
  }
}
