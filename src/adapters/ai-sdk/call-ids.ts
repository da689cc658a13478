/**
 * The ids of calls where they are born: the loop, its tools and the ledger know a call by the id that the model's adapter
 * gives it, so that is one that no other call of the conversation has.
 *
 * @module
 */
import type { AnswerPart } from './answer-parts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The calls of one answer. */
export class CallIds {
  readonly #idOf: (given: string) => string;
  /** Of the calls whose arguments are on their way. */
  readonly #open = new Map<string, string>();

  constructor(idOf: (given: string) => string = (given) => given) {
    this.#idOf = idOf;
  }

  /** A part with the id by which its call goes from here on. What the provider runs keeps its own. */
  part<P extends AnswerPart>(part: P): P {
    const { type, id, toolCallId, providerExecuted } = part as P & Fields;
    // A model may answer with anything.
    if (typeof type !== 'string' || providerExecuted === true) return part;
    if (type.startsWith('tool-input-') && typeof id === 'string') {
      if (type === 'tool-input-start') this.#open.set(id, this.#idOf(id));
      return renamed(part, 'id', this.#open.get(id) ?? id);
    }
    if (type !== 'tool-call' || typeof toolCallId !== 'string') return part;
    const own = this.#open.get(toolCallId) ?? this.#idOf(toolCallId);
    // The next call of this id is another one.
    this.#open.delete(toolCallId);
    return renamed(part, 'toolCallId', own);
  }

  /** A whole answer with such ids. */
  answer<R>(answer: R): R {
    const { content } = (answer ?? {}) as { readonly content?: unknown };
    if (!Array.isArray(content)) return answer;
    const own = (content as readonly AnswerPart[]).map((part) => this.part(part));
    return own.every((part, at) => part === content[at]) ? answer : { ...answer, content: own };
  }
}

function renamed<P extends AnswerPart>(part: P, name: string, id: string): P {
  return (part as P & Fields)[name] === id ? part : { ...part, [name]: id };
}
