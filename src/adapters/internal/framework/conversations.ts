/**
 * The messages that a framework keeps to itself while its loop runs, as a door has seen them pass: what the model was
 * asked last, and what it answered. A turn that is stopped hands none of them back, but the next request needs them.
 *
 * A turn may hold several conversations: a tool that is itself an agent has one of its own. A prompt belongs to the one
 * that it begins like, or whose calls it has the results of, as when a loop has made its history shorter; else it begins
 * another.
 *
 * @module
 */
import { isObject, runsTools, show, type Turn } from '../../../core/inside.ts';

/** One call of the model: where what it was asked ends, and by what it is known again. */
interface Asked {
  /** How many messages of the conversation stand before what followed. */
  readonly end: number;
  /** How many of them the framework knew. */
  readonly count: number;
  /** The words of the last of those. */
  readonly words: string;
}

interface Conversation<M> {
  /** What the model was asked last, and what it answered. */
  current: M[];
  asked: Asked[];
  /** How its prompts begin: so many messages, of which these are the first and the last. */
  count: number;
  first: string;
  last: string;
  /** It is shorter than what the loop was given: the loop has left something out. */
  isReplaced: boolean;
  /** Ids in what it answered. */
  readonly ids: Set<string>;
  /** It began while a tool of the turn ran, and so within that tool. */
  readonly isOfTool: boolean;
}

interface TurnConversations<M> {
  readonly all: Conversation<M>[];
  last: Conversation<M>;
}

/** One call of the model: what it answers belongs to what it was asked, whoever else of the turn asks meanwhile. */
export interface ConversationCall<M> {
  /**
   * The model is asked.
   *
   * @param own What the framework would send.
   * @param all The same, with what the user said meanwhile.
   * @param isOnlyNew Whether the provider holds what was said before, so that only what is new is sent.
   */
  asked(own: readonly unknown[], all: readonly unknown[], isOnlyNew?: boolean): void;
  /** The model answered in full. */
  answered(...replies: readonly M[]): void;
  /** Whether a tool that is itself an agent asks: what its model says is no word of the conversation around it. */
  readonly isOfTool: boolean;
}

/** The conversations of one door, each forgotten with its turn. */
export class Conversations<M> {
  readonly #byTurn = new WeakMap<Turn, TurnConversations<M>>();
  readonly #isInstruction: (message: unknown) => boolean;

  /** @param isInstruction Whether a message is one of the system, which no loop hands on. */
  constructor(isInstruction: (message: unknown) => boolean = () => false) {
    this.#isInstruction = isInstruction;
  }

  /** A call of the model begins, which may ask more than once. */
  call(turn: Turn): ConversationCall<M> {
    let conversation: Conversation<M> | undefined;
    return {
      get isOfTool() {
        return conversation?.isOfTool === true;
      },
      asked: (own, all, isOnlyNew = false) => {
        conversation = this.#asked(turn, own, all, isOnlyNew);
      },
      answered: (...replies) => {
        if (conversation === undefined) return;
        conversation.current.push(...replies);
        for (const reply of replies) for (const id of idsIn(reply)) conversation.ids.add(id);
      },
    };
  }

  #asked(turn: Turn, own: readonly unknown[], all: readonly unknown[], isOnlyNew: boolean): Conversation<M> {
    const known = own.filter((message) => !this.#isInstruction(message));
    const current = all.filter((message) => !this.#isInstruction(message)) as M[];
    const end = known.length === 0 ? 0 : current.lastIndexOf(known.at(-1) as M) + 1;
    const asked = { end, count: known.length, words: wordsOf(known.at(-1)) };
    const conversations = this.#byTurn.get(turn);
    const going = lastOf(conversations?.all, (each) => begins(known, each));
    const same = going ?? lastOf(conversations?.all, (each) => answersTo(known, each));
    const start = { count: known.length, first: textOf(known[0]), last: textOf(known.at(-1)) };
    if (conversations === undefined || same === undefined) {
      const isOfTool = runsTools(turn.token);
      const begun = { current, asked: [asked], ...start, isReplaced: false, ids: new Set<string>(), isOfTool };
      this.#byTurn.set(turn, { all: [...(conversations?.all ?? []), begun], last: begun });
      return begun;
    }
    const before = going === undefined && isOnlyNew ? same.current : [];
    if (going === undefined && !isOnlyNew) Object.assign(same, start, { isReplaced: true, asked: [] });
    same.current = [...before, ...current];
    same.asked.push({ ...asked, end: before.length + end });
    conversations.last = same;
    return same;
  }

  /**
   * @param given What the loop was given: what comes back begins with it, and is it where no model was called. Without it,
   * what the model was asked last.
   * @throws TypeError – not a turn, or not a list.
   */
  of(turn: Turn, given?: readonly unknown[]): M[] {
    if (typeof turn !== 'object' || (turn as unknown) === null || !('model' in turn)) {
      throw new TypeError(`turn must be a turn of runTurn(), got ${show(turn)}`);
    }
    if (given !== undefined && !Array.isArray(given)) {
      throw new TypeError(`messages must be the list that the loop was given, got ${show(given)}`);
    }
    const conversations = this.#byTurn.get(turn);
    if (given === undefined) return [...(conversations?.last.current ?? [])];
    const list = given as readonly M[];
    if (conversations === undefined) return [...list];
    const { of, end } = this.#begunWith(conversations.all, list);
    if (!of.isReplaced) return [...list, ...of.current.slice(end)];
    return [...list.filter((message) => this.#isInstruction(message)), ...of.current];
  }

  /** The conversation that was begun with these messages; the first of the turn if none is known by them. */
  #begunWith(
    all: readonly Conversation<M>[],
    given: readonly M[],
  ): { readonly of: Conversation<M>; readonly end: number } {
    const known = given.filter((message) => !this.#isInstruction(message));
    const words = wordsOf(known.at(-1));
    const open = all.flatMap((of) => of.asked.map((asked) => ({ of, ...asked })));
    const alike = open.filter((asked) => asked.words === words);
    const found = alike.find(({ count }) => count === known.length) ?? alike[0] ?? open[0];
    return found as { readonly of: Conversation<M>; readonly end: number };
  }
}

function lastOf<T>(list: readonly T[] | undefined, is: (each: T) => boolean): T | undefined {
  return list?.filter(is).at(-1);
}

/** Whether a prompt begins as the prompts of a conversation do. */
function begins(prompt: readonly unknown[], { count, first, last }: Conversation<unknown>): boolean {
  if (prompt.length < count) return false;
  return count === 0 || (textOf(prompt[0]) === first && textOf(prompt[count - 1]) === last);
}

/** Whether a prompt has results of the calls that a conversation made. */
function answersTo(prompt: readonly unknown[], { ids }: Conversation<unknown>): boolean {
  return ids.size > 0 && prompt.some((message) => idsIn(message).some((id) => ids.has(id)));
}

/** A message as text, to compare it by; messages that are instances of a class say themselves what they hold. */
function textOf(message: unknown): string {
  try {
    return JSON.stringify(message);
  } catch {
    return '';
  }
}

/** The words of a message, whether or not they stand in parts. */
function wordsOf(message: unknown): string {
  if (!isObject(message)) return typeof message === 'string' ? message : '';
  const { content } = message as { readonly content?: unknown };
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isObject(part) ? (part as { readonly text?: unknown }).text : undefined))
    .filter((text) => typeof text === 'string')
    .join('');
}

const idNames = new Set(['toolCallId', 'callId', 'call_id', 'tool_call_id']);

/** The ids of calls in a message, of what it asks for and of what it answers. */
function idsIn(message: unknown): string[] {
  const ids: string[] = [];
  for (const part of partsOf(message)) {
    for (const [name, value] of Object.entries(part)) {
      if (typeof value === 'string' && value !== '' && idNames.has(name)) ids.push(value);
    }
  }
  const { tool_calls: calls } = (isObject(message) ? message : {}) as { readonly tool_calls?: unknown };
  for (const call of Array.isArray(calls) ? (calls as readonly unknown[]) : []) {
    const { id } = (isObject(call) ? call : {}) as { readonly id?: unknown };
    if (typeof id === 'string' && id !== '') ids.push(id);
  }
  return ids;
}

function partsOf(message: unknown): readonly object[] {
  if (!isObject(message)) return [];
  const { content } = message as { readonly content?: unknown };
  return [message, ...(Array.isArray(content) ? (content as readonly unknown[]).filter(isObject) : [])];
}
