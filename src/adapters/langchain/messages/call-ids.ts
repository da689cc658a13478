/**
 * The ids of calls where they are born: the graph, its tools and the ledger know a call by the id in the model's answer, so
 * that is one that no other call of the conversation has.
 *
 * @module
 */
import { isObject } from '../../../core/inside.ts';
import { copyWith } from './message-copy.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The calls of one answer: of a message, of the chunks of a stream, or of its events. */
export class CallIds {
  readonly #idOf: ((given: string) => string) | undefined;
  /** By what a call is known by in all pieces of the answer. */
  readonly #own = new Map<string, string>();

  /** @param idOf Gives ids that no call of a conversation has; without it the ids stay. */
  constructor(idOf?: (given: string) => string) {
    this.#idOf = idOf;
  }

  /** A message, or a chunk of one, in which each call has its own id, in all the places where LangChain keeps it. */
  message<M>(message: M): M {
    if (this.#idOf === undefined || !isObject(message)) return message;
    const { tool_call_chunks: chunks, tool_calls: calls, additional_kwargs: more, content } = message as Fields;
    const raw = isObject(more) ? (more as Fields)['tool_calls'] : undefined;
    /** The calls of this piece that share a given id, in their order: the first place that has them says which they are. */
    const known = new Map<string, string[]>();
    const fields = {
      ...this.#renamed('tool_call_chunks', chunks, known),
      ...this.#renamed('tool_calls', calls, known),
      ...this.#renamed('content', content, known),
    };
    const kwargs = this.#renamed('tool_calls', raw, known);
    if (Object.keys(kwargs).length > 0)
      Object.assign(fields, { additional_kwargs: { ...(more as Fields), ...kwargs } });
    return Object.keys(fields).length === 0 ? message : (copyWith(message, fields) as M);
  }

  /** The result for one prompt, with the same in its message. */
  result<R>(result: R): R {
    const { generations } = (isObject(result) ? result : {}) as { readonly generations?: unknown };
    const [[first, ...others] = [], ...rest] = (Array.isArray(generations) ? generations : []) as object[][];
    const { message } = (first ?? {}) as { readonly message?: unknown };
    const own = this.message(message);
    if (own === message) return result;
    return { ...result, generations: [[{ ...first, message: own }, ...others], ...rest] };
  }

  /** An event of the protocol that the newest major streams in. */
  event<
    E extends { readonly event: string; readonly index?: number; readonly content?: object; readonly delta?: object },
  >(event: E): E {
    const { index, content, delta } = event;
    const { fields } = (delta ?? {}) as { readonly fields?: unknown };
    const call = content ?? fields;
    if (this.#idOf === undefined || !isObject(call) || !isCall(call)) return event;
    const given = textOf((call as Fields)['id']);
    // It may come later.
    if (given === '' && event.event !== 'content-block-finish') return event;
    const id = this.#ownId(`at ${String(index)}`, given);
    if (id === given) return event;
    const own = { ...call, id };
    return content === undefined ? { ...event, delta: { ...delta, fields: own } } : { ...event, content: own };
  }

  #renamed(place: string, list: unknown, known: Map<string, string[]>): Record<string, unknown> {
    if (!Array.isArray(list)) return {};
    const seen = new Map<string, number>();
    const made = (list as readonly unknown[]).map((entry) => {
      if (!isObject(entry) || !isFirst(place, entry)) return entry;
      const given = textOf((entry as Fields)['id']);
      const nth = seen.get(given) ?? 0;
      seen.set(given, nth + 1);
      const ids = known.get(given) ?? [];
      known.set(given, ids);
      const id = (ids[nth] ??= this.#ownId(`${keyOf(place, entry, nth)} ${given}`, given));
      return id === given ? entry : { ...entry, id };
    });
    return made.every((entry, at) => entry === list[at]) ? {} : { [place]: made };
  }

  #ownId(key: string, given: string): string {
    const id = this.#own.get(key) ?? this.#idOf?.(given) ?? given;
    this.#own.set(key, id);
    return id;
  }
}

/** A later chunk of the same call has its place, and of a whole message the places say nothing. */
function keyOf(place: string, entry: object, nth: number): string {
  const { index } = entry as Fields;
  return place === 'tool_call_chunks' && typeof index === 'number' ? `at ${String(index)}` : `no. ${String(nth)}`;
}

/** Whether an entry is a call, or the piece that begins one: what follows has neither an id nor a name. */
function isFirst(place: string, entry: object): boolean {
  if (place === 'content') return isCall(entry) && textOf((entry as Fields)['id']) !== '';
  const { id, name, function: body } = entry as Fields;
  const own = isObject(body) ? (body as Fields)['name'] : name;
  return textOf(id) !== '' || textOf(own) !== '';
}

function isCall(block: object): boolean {
  const { type } = block as Fields;
  return type === 'tool_use' || type === 'tool_call' || type === 'tool_call_chunk';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
