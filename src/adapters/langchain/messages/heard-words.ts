/**
 * The words of a chat model's streamed answer, heard while it comes: also where the model streams behind an `invoke`,
 * as it does for every graph that is streamed.
 *
 * @module
 */
import { argumentsIn, textIn } from './replies.ts';

/** The text so far, as a turn keeps it; `undefined` before the first of it. */
export interface SaidWords {
  readonly text: string;
  readonly message: object;
}

/** A manager of callbacks, as nodes of a graph are given one. */
interface Manager {
  copy(handlers: readonly object[], inherit: boolean): unknown;
}

/** What tools of the provider have given, which a chunk has beside its words. */
interface Chunk {
  readonly content?: unknown;
  readonly additional_kwargs?: { readonly tool_outputs?: readonly unknown[] };
}

/** Collects the words of one round. */
export class HeardWords {
  readonly #isObject: boolean;
  #text = '';
  readonly #outputs: unknown[] = [];

  /** @param isObject Whether the arguments of a call are words too, because the answer is one object and they are it. */
  constructor(isObject = false) {
    this.#isObject = isObject;
  }

  /** What has been said. */
  get said(): SaidWords | undefined {
    const text = this.#text;
    const more = this.#outputs.length === 0 ? undefined : { additional_kwargs: { tool_outputs: [...this.#outputs] } };
    if (text === '' && more === undefined) return undefined;
    return { text, message: { role: 'assistant', content: text, ...more } };
  }

  /** Adds a chunk of a model's stream. */
  add(chunk: unknown): SaidWords | undefined {
    const { content, additional_kwargs: more } = (chunk ?? {}) as Chunk;
    this.#outputs.push(...(more?.tool_outputs ?? []));
    const text = textIn(content);
    return this.#said(this.#isObject ? text + argumentsIn(chunk) : text);
  }

  /** Adds an event of the protocol that the newest major streams in. */
  addEvent(event: unknown): SaidWords | undefined {
    const { delta } = event as { readonly delta?: { readonly type?: unknown; readonly text?: unknown } };
    const { type, text } = delta ?? {};
    return this.#said(type === 'text-delta' && typeof text === 'string' ? text : '');
  }

  /**
   * The same callbacks, and one that tells what has been said, after each piece.
   *
   * @param callbacks What a config holds: nothing, a list, or a manager, which is not changed.
   */
  listening(callbacks: unknown, told: (said: SaidWords | undefined) => void): unknown {
    const handler = {
      // LangChain takes an object with a name for a handler as it is, and awaits the one that asks for it.
      name: 'desist',
      awaitHandlers: true,
      handleLLMNewToken: (token: unknown, ...rest: readonly unknown[]): void => {
        const { chunk } = (rest[4] ?? {}) as { readonly chunk?: { readonly message?: unknown } };
        told(chunk?.message === undefined ? this.#said(String(token)) : this.add(chunk.message));
      },
      handleChatModelStreamEvent: (event: unknown): void => {
        told(this.addEvent(event));
      },
    };
    if (isManager(callbacks)) return callbacks.copy([handler], true);
    return [...(Array.isArray(callbacks) ? (callbacks as unknown[]) : []), handler];
  }

  #said(more: string): SaidWords | undefined {
    this.#text += more;
    return this.said;
  }
}

function isManager(callbacks: unknown): callbacks is Manager {
  return typeof (callbacks as Partial<Manager> | null | undefined)?.copy === 'function';
}
