/**
 * What the model may see of a result, by the tool's own `toModelOutput`, where the SDK does not ask for it: it asks when it
 * goes on, and a loop that was stopped does not. The row of the call carries the answer, for whoever settles the
 * transcript.
 *
 * @module
 */
import { isObject, isThenable, notShown, shownAs, type Turn } from '../../../core/inside.ts';
import { replaceMethods, type Method } from '../../../guard/shapes.ts';

/** What stands for a result whose own form failed, or had not come by the time that it was wanted. */
const unknownForm = { type: 'text', value: notShown };

interface ModelTool {
  readonly execute?: unknown;
  readonly toModelOutput?: unknown;
}

/** The results of one turn's tools that may have to be shown to a model. */
export class ModelOutputs {
  /** What is asked at a stop, until the SDK has asked. */
  readonly #waiting = new Map<object, () => void>();
  #isWatching = false;
  readonly #turn: Turn;

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  /** Guarded tools whose results are asked for what the model may see of them once the turn is stopped. */
  around(tools: object): object {
    const made = Object.entries(tools).map(([name, tool]) => {
      const { execute, toModelOutput } = (isObject(tool) ? tool : {}) as ModelTool;
      if (typeof execute !== 'function' || typeof toModelOutput !== 'function') return [name, tool] as const;
      return [name, this.#around(tool as object, toModelOutput as Method)] as const;
    });
    return Object.fromEntries(made);
  }

  #around(tool: object, toModelOutput: Method): object {
    const outputs = new Map<unknown, ModelOutput>();
    const own = replaceMethods(tool, {
      execute: (execute, [input, options, ...rest], self) => {
        const id = (isObject(options) ? options : {}) as { readonly toolCallId?: unknown };
        const ask = (output: unknown): unknown =>
          Reflect.apply(toModelOutput, tool, [{ toolCallId: id.toolCallId, input, output }]);
        const output = new ModelOutput(ask);
        outputs.set(id.toolCallId, output);
        const carrying = isObject(options) ? carry(options, output) : options;
        return this.#follow(Reflect.apply(execute, self, [input, carrying, ...rest]), output);
      },
      toModelOutput: (show, [given, ...rest], self) => {
        const made: unknown = Reflect.apply(show, self, [given, ...rest]);
        const output = outputs.get((isObject(given) ? (given as { readonly toolCallId?: unknown }) : {}).toolCallId);
        if (output !== undefined) this.#waiting.delete(output);
        output?.take(made);
        return made;
      },
    });
    return own ?? tool;
  }

  /** Learns what a call came to; also from the error that stands for it after a stop. */
  #follow(result: unknown, output: ModelOutput): unknown {
    if (isObject(result) && Symbol.asyncIterator in result) {
      return this.#followStream(result as AsyncIterable<unknown>, output);
    }
    if (!isThenable(result)) return result;
    return Promise.resolve(result).then(
      (value) => {
        this.#completed(output, value);
        return value;
      },
      (error: unknown) => {
        const { completed } = (isObject(error) ? error : {}) as { readonly completed?: { readonly value: unknown } };
        if (isObject(completed)) output.ask(completed.value);
        throw error;
      },
    );
  }

  async *#followStream(parts: AsyncIterable<unknown>, output: ModelOutput): AsyncGenerator {
    let last: unknown;
    for await (const part of parts) {
      last = part;
      yield part;
    }
    this.#completed(output, last);
  }

  #completed(output: ModelOutput, value: unknown): void {
    this.#waiting.set(output, () => {
      output.ask(value);
    });
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#turn.token.onCancelled(() => {
      for (const ask of this.#waiting.values()) ask();
      this.#waiting.clear();
      this.#isWatching = false;
    });
  }
}

/** What the model may see of one result: asked for once, by the SDK or by us. */
class ModelOutput {
  readonly #ask: Method;
  #state: 'unasked' | 'asked' | 'known' = 'unasked';
  #output: unknown;

  constructor(ask: Method) {
    this.#ask = ask;
  }

  ask(value: unknown): void {
    if (this.#state !== 'unasked') return;
    this.#state = 'asked';
    try {
      this.take(this.#ask(value));
    } catch {
      // A result without a form is not shown.
    }
  }

  take(made: unknown): void {
    this.#state = 'asked';
    const keep = (output: unknown): void => {
      this.#state = 'known';
      this.#output = output;
    };
    if (isThenable(made)) Promise.resolve(made).then(keep, () => undefined);
    else keep(made);
  }

  shown(value: unknown): unknown {
    this.ask(value);
    return this.#state === 'known' ? this.#output : unknownForm;
  }
}

/**
 * The options with what is shown of the result, where it is not seen. Of what a tool gave before its end the SDK shows the
 * model nothing, and the form of a whole result may say of it what is not so.
 */
function carry(options: object, output: ModelOutput): object {
  return Object.create(Object.getPrototypeOf(options) as object | null, {
    ...Object.getOwnPropertyDescriptors(options),
    ...shownAs((value, isWhole) => (isWhole ? output.shown(value) : undefined)),
  }) as object;
}
