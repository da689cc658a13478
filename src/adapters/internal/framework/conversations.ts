/**
 * The messages that a framework keeps to itself while its loop runs, as a door has seen them pass: what the loop was given
 * and what has come since. A turn that is stopped hands none of them back, but the next request needs them.
 *
 * Invariants: what a loop leaves out of a prompt – trimmed, filtered, made shorter – stays in the conversation; a message
 * that it puts into one for this time only does not, once the next prompt shows that.
 *
 * A turn may hold several conversations: a tool that is itself an agent has one of its own. A prompt belongs to the one
 * that it begins like, or that has said what stands in it; but not to one whose calls it does not answer while a tool of
 * the turn runs: then a tool asks, in whatever words.
 *
 * @module
 */
import { runsTools, show, type Turn } from '../../../core/inside.ts';
import {
  commonStart,
  endIn,
  isAlike,
  isPlain,
  likenessOf,
  says,
  withoutIds,
  type Likeness,
} from './message-likeness.ts';

/** Where a prompt stands in its conversation. */
interface Place<M> {
  /** What the conversation has from before. */
  readonly before: readonly M[];
  /** How many of the framework's messages that stands for. */
  readonly skip: number;
}

interface Conversation<M> {
  /** What was given, and what has come since. */
  current: M[];
  place: Place<M>;
  /** What the framework sent first, and last. */
  readonly first: readonly Likeness[];
  sent: readonly Likeness[];
  /** What the model has answered since. */
  replies: Likeness[];
  /** Ids in all that it answered. */
  readonly ids: Set<string>;
  /** It began while a tool of the turn ran, and so within that tool. */
  readonly isOfTool: boolean;
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
  /** The framework has made something of the last reply, and goes on from it, or ends; nothing if it went on already. */
  became(change: (reply: M) => readonly M[]): void;
  /** Whether a tool that is itself an agent asks: what its model says is no word of the conversation around it. */
  readonly isOfTool: boolean;
}

/** The conversations of one door, each forgotten with its turn. */
export class Conversations<M> {
  /** Of each turn, that which was asked last at the end. */
  readonly #byTurn = new WeakMap<Turn, Conversation<M>[]>();
  readonly #isInstruction: (message: unknown) => boolean;

  /** @param isInstruction Whether a message is one of the system, which no loop hands on. */
  constructor(isInstruction: (message: unknown) => boolean = () => false) {
    this.#isInstruction = isInstruction;
  }

  /** A call of the model begins, which may ask more than once. */
  call(turn: Turn): ConversationCall<M> {
    let conversation: Conversation<M> | undefined;
    let answered: M[] | undefined;
    return {
      get isOfTool() {
        return conversation?.isOfTool === true;
      },
      asked: (own, all, isOnlyNew = false) => {
        const known = own.filter((message) => !this.#isInstruction(message));
        const rest = all.filter((message) => !this.#isInstruction(message)) as M[];
        conversation ??= this.#asked(turn, known.map(likenessOf), isOnlyNew);
        const { before, skip } = conversation.place;
        const start = skip === 0 ? 0 : rest.lastIndexOf(known[skip - 1] as M) + 1;
        conversation.current = [...before, ...rest.slice(start)];
      },
      answered: (...replies) => {
        if (conversation === undefined) return;
        conversation.current.push(...replies);
        answered = conversation.current;
        conversation.replies.push(...replies.map(likenessOf));
        for (const { ids } of conversation.replies) for (const id of ids) conversation.ids.add(id);
      },
      became: (change) => {
        if (answered === undefined || conversation?.current !== answered) return;
        answered.push(...answered.splice(-1).flatMap((reply) => [...change(reply)]));
        answered = undefined;
      },
    };
  }

  #asked(turn: Turn, sent: readonly Likeness[], isOnlyNew: boolean): Conversation<M> {
    const others = this.#byTurn.get(turn) ?? [];
    const isOfTool = runsTools(turn.token);
    const same = conversationOf(others, sent, isOfTool);
    if (same === undefined) {
      const place = { before: [], skip: 0 };
      const begun = { current: [], place, first: sent, sent, replies: [], ids: new Set<string>(), isOfTool };
      this.#byTurn.set(turn, [...others, begun]);
      return begun;
    }
    same.place = isOnlyNew ? { before: same.current, skip: 0 } : placeOf(same, sent);
    same.sent = sent;
    same.replies = [];
    this.#byTurn.set(turn, [...others.filter((each) => each !== same), same]);
    return same;
  }

  /**
   * @param given What the loop was given: what comes back begins with it, and is it where no model was called. Without it,
   * the conversation that asked last.
   * @throws TypeError – not a turn, or not a list.
   */
  of(turn: Turn, given?: readonly unknown[]): M[] {
    if (typeof turn !== 'object' || (turn as unknown) === null || !('model' in turn)) {
      throw new TypeError(`turn must be a turn of runTurn(), got ${show(turn)}`);
    }
    if (given !== undefined && !Array.isArray(given)) {
      throw new TypeError(`messages must be the list that the loop was given, got ${show(given)}`);
    }
    const all = this.#byTurn.get(turn) ?? [];
    if (given === undefined) return [...(all.at(-1)?.current ?? [])];
    const known = given.filter((message) => !this.#isInstruction(message)).map(likenessOf);
    return [...(given as readonly M[]), ...sinceGiven(known, all)];
  }
}

/** What has come since a loop was given these messages; of several that may have been, of the one that is no tool's. */
function sinceGiven<M>(given: readonly Likeness[], all: readonly Conversation<M>[]): readonly M[] {
  const found = all.map(({ current, isOfTool }) => {
    const list = current.map(likenessOf);
    const { end, missing, run } = endIn(given, list);
    return { current, list, end, missing, fit: [missing === 0 ? run : 0, isOfTool ? 0 : 1] };
  });
  const best = bestOf(found, ({ fit }) => fit);
  if (best === undefined) return [];
  // One that the loop has joined with what came behind it has that as well.
  const same = given.filter(({ kind }) => kind === best.list[best.end - 1]?.kind);
  const joined = withoutIds(best.current[best.end - 1], new Set(same.flatMap(({ ids }) => ids)));
  // One that the loop has put into other words stands for the one that was given.
  let { end } = best;
  for (const { kind } of given.slice(given.length - best.missing)) {
    const next = best.list[end];
    if (next?.kind === kind && next.ids.length === 0) end += 1;
  }
  const since = best.current.slice(end);
  return joined === undefined ? since : [joined, ...since];
}

/** The conversation that a prompt goes on with; none if it begins another. */
function conversationOf<M>(
  all: readonly Conversation<M>[],
  sent: readonly Likeness[],
  isOfTool: boolean,
): Conversation<M> | undefined {
  const found = all.map((each) => {
    const isBegun = commonStart(each.first, sent) === each.first.length;
    const isLatest = each.replies.some((reply) => says(reply) && sent.some((message) => isAlike(reply, message)));
    const isAnswer = sent.some(({ ids }) => ids.some((id) => each.ids.has(id)));
    const isWaiting = !isLatest && each.replies.some(({ ids }) => ids.length > 0);
    const links = (isBegun ? 1 : 0) + (isLatest ? 2 : isAnswer ? 1 : 0);
    return { each, fit: [isWaiting && isOfTool ? 0 : links, each.isOfTool === isOfTool ? 1 : 0] };
  });
  const best = bestOf(found.reverse(), ({ fit }) => fit);
  return best?.fit[0] === 0 ? undefined : best?.each;
}

/** Where a prompt stands in the conversation that it goes on with. */
function placeOf<M>(
  { sent: last, replies, current, place, ids }: Conversation<M>,
  sent: readonly Likeness[],
): Place<M> {
  const start = commonStart(last, sent);
  const isSame = last.slice(start).every(isPlain) && (start > 0 || last.length === 0);
  const isWhole = replies.every((reply) =>
    reply.ids.every((id) => sent.slice(start).some((one) => one.ids.includes(id))),
  );
  // The loop's own words for what it had sent, and what follows.
  if (isSame && isWhole && start >= place.skip) return place;
  // It shows the model less than there is: what is new follows the last message that the conversation has.
  const list = current.map(likenessOf);
  for (let at = list.length - 1; at >= 0; at -= 1) {
    for (let skip = sent.length; skip > 0; skip -= 1) {
      if (isAlike(sent[skip - 1] as Likeness, list[at] as Likeness)) return { before: current, skip };
    }
  }
  const answer = sent.findIndex((message) => message.ids.some((id) => ids.has(id)));
  return { before: current, skip: answer === -1 ? sent.length : answer };
}

/** The first of those that fit best, by the first number that differs. */
function bestOf<T>(list: readonly T[], fitOf: (each: T) => readonly number[]): T | undefined {
  const compare = (one: readonly number[], other: readonly number[]): number =>
    one.map((number, at) => number - (other[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return list.reduce<T | undefined>(
    (best, each) => (best === undefined || compare(fitOf(each), fitOf(best)) > 0 ? each : best),
    undefined,
  );
}
