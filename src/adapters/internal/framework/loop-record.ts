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

/** One loop. */
export class LoopRecord {
  /** The turn behind that of a conversation. */
  readonly turn: Turn;
  readonly #recorder: LoopRecorder | undefined;
  readonly #reader: LoopReader;
  readonly #mayRunUnseen: boolean;
  /** The calls of its last answer; of what a tool asks nothing is kept. */
  #last: ReadonlySet<string> = new Set();
  #isOfTool = false;

  constructor(turn: AnyTurn, reader: LoopReader, { isAside, mayRunUnseen }: LoopRecordOptions) {
    const recorder = recorderOf(turn);
    if (!isAside && recorder !== undefined && recorder.dialect !== reader.dialect) {
      throw new TypeError(
        `turn must be of a conversation of ${reader.dialect}, which this framework's loop is kept in, got one of ${recorder.dialect}; ` +
          'beside the conversation it runs with aside: true',
      );
    }
    this.turn = recorder?.turn ?? (turn as Turn);
    this.#recorder = isAside ? undefined : recorder;
    this.#reader = reader;
    this.#mayRunUnseen = mayRunUnseen;
  }

  /** A call of the model begins with these messages. */
  call(messages: readonly unknown[]): CallRecord {
    const results = this.#reader.resultsIn(messages);
    // A tool that is itself an agent asks: what goes on here answers the calls of its last answer.
    this.#isOfTool = runsTools(this.turn.token) && !results.some(([id]) => this.#last.has(id));
    const isOfTool = this.#isOfTool;
    return new CallRecord(isOfTool ? undefined : this.#recorder, {
      isOfTool,
      mayRunUnseen: this.#mayRunUnseen,
      tell: (recorder, asked) => {
        this.#tell(recorder, asked);
      },
      answered: (ids) => {
        if (!isOfTool) this.#last = new Set(ids);
      },
    });
  }

  /** The framework's own account of what its last answer came to; of a stopped turn only the ledger knows. */
  became(messages: readonly unknown[], more?: (recorder: LoopRecorder) => void): void {
    if (this.#recorder === undefined || this.#isOfTool || this.turn.token.isCancelled) return;
    more?.(this.#recorder);
    this.#tell(this.#recorder, messages);
  }

  #tell(recorder: LoopRecorder, messages: readonly unknown[]): void {
    for (const [id, result] of this.#reader.resultsIn(messages)) recorder.told(id, result);
  }
}

/** How one call of the model is recorded. */
interface CallParts {
  readonly isOfTool: boolean;
  readonly mayRunUnseen: boolean;
  readonly tell: (recorder: LoopRecorder, messages: readonly unknown[]) => void;
  readonly answered: (ids: readonly string[]) => void;
}

/** One call of the model, which may ask more than once. */
export class CallRecord {
  readonly isOfTool: boolean;
  readonly #recorder: LoopRecorder | undefined;
  readonly #parts: CallParts;

  constructor(recorder: LoopRecorder | undefined, parts: CallParts) {
    this.isOfTool = parts.isOfTool;
    this.#recorder = recorder;
    this.#parts = parts;
  }

  /** Gives a call of the answer its id; `undefined` where the answer is of no conversation. */
  get callId(): ((given: string) => string) | undefined {
    return this.#recorder?.callId;
  }

  /** How the conversation takes the answer; `undefined` if it is of none. */
  take<T>(
    reply: Pick<RecordedReply<T>, 'read' | 'endedByCut'>,
  ): { readonly recorder: LoopRecorder; readonly reply: RecordedReply<T> } | undefined {
    const recorder = this.#recorder;
    return recorder && { recorder, reply: { ...reply, mayRunUnseen: this.#parts.mayRunUnseen } };
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
