/**
 * The pieces of one conversation in their order, and all that changes them.
 *
 * Invariants: what is written is legal at any moment; what was told is written as it was told; an outcome belongs to the
 * call object that it names; no two calls share an id.
 *
 * @module
 */
import type { TranscriptCall } from '../dialect.ts';
import { isAsked, requireReply, UNKNOWN } from '../dialects/legal-reply.ts';
import type { Interjection, ToldResult, ToolOutcome } from '../from-core.ts';
import { requireEnd } from '../reading/ends/reply-failures.ts';
import { anyId, legalId } from '../reading/ids.ts';
import { noAnswer } from '../reading/require-messages.ts';
import { OwnIds } from '../reading/own-ids.ts';
import { wellFormed } from '../words/well-formed.ts';
import { ChangeListeners } from './change-listeners.ts';
import { saidIn, type Entry, type Replied, type TurnState } from './entries.ts';
import type { LogParts, LoopCalls, Saying } from './loops/loop-calls.ts';
import type { Taking } from './model-call.ts';
import type { OpenReplies } from './open-replies.ts';
import type { RecorderHost } from './loops/recorder.ts';
import { ToldEntries } from './told-entries.ts';
import { hasRun, takeReply, type TakenReply } from './take-reply.ts';
import { wholeBefore } from './whole-before.ts';
import type { Questions } from './waiting/questions.ts';
import type { WaitingCalls } from './waiting/waiting-calls.ts';
import type { Answering } from './waiting/answers.ts';
import type { Orders } from './waiting/orders.ts';

/** One conversation as it is kept. */
export class ConversationLog<M extends object> implements RecorderHost<M> {
  readonly listeners: ChangeListeners<M> = new ChangeListeners();
  readonly #parts: LogParts<M>;
  readonly #open: OpenReplies<M> | undefined;
  readonly orders: Orders<M> | undefined;
  readonly #answers: Answering<M> | undefined;
  readonly #waiting: WaitingCalls<M> | undefined;
  #entries: Entry<M>[] = [];
  readonly #told: ToldEntries<M>;
  readonly #ids = new OwnIds();
  readonly #loop: LoopCalls | undefined;
  readonly #byId = new Map<string, TranscriptCall>();
  /** The last model call failed behind these words; the next one says whether anybody goes on without them. */
  #tentative: Entry<M> | undefined;
  #isAsking = false;
  /** The last entry that the request carries which is under way: what the model says stands behind it, whoever has spoken since. */
  #asked: Entry<M> | undefined;
  /** What the model is saying, where a framework may run calls of it already. */
  #says: Saying | undefined;

  constructor(parts: LogParts<M>) {
    this.#parts = parts;
    this.#told = new ToldEntries({ ...parts, write: this.#write });
    const Open = parts.rules.OpenReplies as typeof OpenReplies | undefined;
    this.#open = Open && new Open(parts.rules, parts.words, this.#write);
    const { loops, rules } = parts;
    const Own = rules.orders?.Orders as typeof Orders | undefined;
    this.orders = Own && new Own(parts, { entries: () => this.#entries, changed: () => this.#changed() });
    this.#loop = loops && new loops.LoopCalls();
    const Kept = (rules.questions?.Questions as typeof Questions | undefined) ?? loops?.Answers;
    const own = (message: M, isThere: boolean): M => this.#loop?.answer(parts, message, isThere) ?? message;
    this.#answers = Kept && new Kept(parts, own, this.orders);
    this.#waiting = loops && this.#answers && this.#loop && new loops.WaitingCalls(parts, this.#answers, this.#loop);
  }

  /** What was there before, and `given` before it was made legal: what is open at its end waits. */
  restore(messages: readonly M[], given: readonly M[] = messages): void {
    const { rules, writer } = this.#parts;
    for (const message of messages) rules.named?.(message, { call: this.#ids.keep, result: (id) => id });
    this.#entries = messages.map((message) => ({ turn: undefined, messages: [message], prompts: [] }));
    const open = this.#answers?.stored(messages, given);
    if (open === undefined) return;
    this.#entries.splice(open.start, open.end - open.start, open.entry);
    writer.add(open.entry.reply);
    this.#loop?.take(writer, open.entry.reply.calls, false);
    this.#loop?.know(open.before);
  }

  /** Whoever runs the calls that wait here knows them by the ids that they have in the conversation that this is a fork of. */
  know(origin: ConversationLog<M>): void {
    if (origin.#loop !== undefined) this.#loop?.know(origin.#loop.calls);
  }

  get messages(): M[] {
    return this.#with(this.#says && this.#loop?.saying(this.#parts, this.#says, this.#with));
  }

  readonly #with = (saying: readonly Entry<M>[] = []): M[] =>
    this.#told.with([...this.#entries, ...saying], (rest) => this.#open?.legal(rest) ?? rest.flatMap(this.#write));

  /** The last turn that anything was said in, if it is the last thing there is that is sent. */
  get lastTurn(): TurnState | undefined {
    const { isSent = () => true } = this.#parts.rules;
    const last = this.#entries.filter((entry) => this.#write(entry).some(isSent)).at(-1);
    return last?.answers?.at(-1)?.turn ?? last?.turn;
  }

  /** Messages as they are; those of a person come back when their turn is dropped. */
  add(messages: readonly M[], turn: TurnState | undefined, isPersons: boolean): void {
    // Whoever speaks behind an order that could not be sent has thought again.
    if (isPersons && messages.length > 0) this.orders?.refuse({ kind: 'unknown' }, 'unsent');
    if (messages.length > 0) this.#push({ turn, messages, prompts: isPersons ? messages : [] });
  }

  /** A word of the program's. Between turns it stands before what waits: nobody who is to answer that has to hear it. */
  note(text: string, turn: TurnState | undefined): void {
    const entry = { turn, messages: [this.#parts.spoken.note(text)], prompts: [] };
    const waiting = turn === undefined ? this.#waiting?.in(this.#entries) : undefined;
    if (waiting === undefined) this.#push(entry);
    else this.#replace([...this.#entries.slice(0, -1), entry, waiting]);
  }

  readonly isOpen = (): boolean => this.#open?.openIn(this.#entries) !== undefined;

  /** What asks, on the provider's side, what a message answers, where the model has not gone on without. */
  readonly asked = (message: M): Entry<M> | undefined =>
    this.#answers?.asked?.(this.#entries.slice(this.#place(0)), message);

  readonly messageOf = (one: Interjection): M => this.#parts.spoken.of(one);
  readonly requireReply = (value: unknown, isWhole?: boolean): void => requireReply(this.#parts.rules, value, isWhole);
  readonly requireEnd = (value: unknown): void => requireEnd(this.#parts.rules, value);
  read(messages: readonly Interjection[], turn: TurnState): void {
    const { spoken } = this.#parts;
    for (const one of messages) this.#follow({ turn, messages: [spoken.of(one)], prompts: [spoken.saidIn(one)] });
  }

  begin(): void {
    if (this.#isAsking) {
      throw new TypeError('a model call of this conversation is running: fork() gives one to what runs beside it');
    }
    this.#isAsking = true;
    if (this.#tentative !== undefined && this.#tentative === this.#entries.at(-1)) this.#entries.pop();
    this.#tentative = undefined;
  }

  end(): void {
    this.orders?.end('unknown');
    [this.#isAsking, this.#asked, this.#says] = [false, undefined, undefined];
  }

  readonly says = (value: unknown, taking: Taking): void => void (this.#says = { value, taking });

  tell(): M[] {
    if (this.#isAsking) {
      this.#asked = this.#entries.at(-1);
      this.orders?.ask();
    }
    this.#told.tell(this.#entries, {
      from: () => this.#open?.startIn(this.#entries),
      isOpen: (entry) => this.orders?.areOpenIn(entry) === true,
    });
    const { messages } = this;
    if (this.#isAsking) this.orders?.send();
    return messages;
  }

  take(value: unknown, { turn, cutBy, ranBy }: Taking): TakenReply<M> {
    const { rules, words, writer } = this.#parts;
    this.#waiting?.answerBy(this.#entries, value, turn);
    const place = this.#place(this.#entries.length);
    const open = this.#open?.openIn(this.#entries.slice(0, place));
    const idOf = (given: string): string => (this.#loop?.takes(given) === true ? given : this.#ids.give(given));
    const reply = takeReply(rules, wellFormed(value), { cutBy, words, open, before: this.#with, idOf });
    for (const call of reply.calls) this.#byId.set(call.id, call);
    writer.add(reply);
    const own = ranBy === undefined ? reply.calls.filter(isAsked) : reply.calls;
    this.#loop?.take(writer, own, ranBy === 'framework, unseen');
    this.#says = undefined;
    const entry: Replied<M> = { turn, reply };
    const closed = this.#open?.takes(this.#entries, place, entry);
    if (closed !== undefined && this.#asked !== undefined) this.#asked = closed;
    if (reply.messages.length > 0 || reply.notes.length > 0) this.#follow(entry);
    this.orders?.end(reply);
    return reply;
  }

  takeCut(said: { readonly value: unknown } | undefined, taking: Taking, mayBeSaidAgain = false): void {
    if (said === undefined && taking.cutBy === undefined) return;
    if (said !== undefined) this.requireReply(said.value);
    try {
      const taken = this.take(said?.value, { ...taking, cutBy: taking.cutBy ?? UNKNOWN });
      if (mayBeSaidAgain && !hasRun(this.#parts.rules, taken))
        this.#tentative = this.#entries.find(({ reply }) => reply === taken);
    } catch {
      // What was kept is no reply: nobody can tell what the model had said.
    }
  }

  /** What became of a call; one of somebody else's is not told. */
  ended(outcome: ToolOutcome): void {
    const { writer } = this.#parts;
    const state = writer.stateOf(outcome.call) ?? writer.stateOf(this.#loop?.of(outcome));
    if (state === undefined && this.#loop?.early(outcome.id) === outcome) this.#changed();
    if (state === undefined || state.outcome === outcome || state.isTold === true) return;
    state.outcome = outcome;
    this.#changed();
  }

  /** What became of the call with this id, as far as it is known. */
  outcomeOf(id: string): ToolOutcome | undefined {
    return this.#parts.writer.stateOf(this.#byId.get(id))?.outcome;
  }

  reserveId(given: string): string {
    const id = this.#ids.give(legalId(given, anyId));
    this.#loop?.reserve(id);
    return id;
  }

  told(id: string, result: ToldResult, turn: TurnState): void {
    if (this.#loop?.told(this.#parts, id, result) === true) this.#changed();
    else if (this.#answers?.told?.(this.#entries, result, turn) === true) this.#replace(this.#entries);
  }

  began(id: string): void {
    if (this.#waiting?.began(this.#entries, id) === true) this.#changed();
  }

  amend(id: string, change: (message: M) => M): void {
    if (this.#loop?.amend(this.#parts, this.#entries, { id, change }) === true) this.#changed();
  }

  get waits(): boolean {
    return this.#waiting?.in(this.#entries) !== undefined;
  }

  /** What has to be answered, with what answers it: nothing once a turn goes on with that. */
  get asking(): readonly M[] | undefined {
    return this.#waiting?.asking(this.#entries);
  }

  readonly beginTurn = (turn: TurnState): void => this.#waiting?.begin(this.#entries, turn);

  /** A message of somebody else, by the ids that the calls have here. */
  readonly ownIn = (message: M): M => this.#loop?.ownIn(this.#parts, message) ?? message;

  /** What answers calls or questions that wait. @throws TypeError – nothing waits any more. */
  answer(message: M, turn: TurnState | undefined): void {
    const waiting = this.asked(message) ?? this.#waiting?.in(this.#entries);
    if (waiting === undefined) throw noAnswer(message);
    this.#answers?.add(waiting, { turn, message, prompts: [message] });
    this.#replace(this.#entries);
  }

  close(turn: TurnState): void {
    [turn.isOver, this.#tentative] = [true, undefined];
    this.#waiting?.close(this.#entries, turn);
    this.orders?.refuse(turn.reason());
    // What waits for somebody is closed by what comes next.
    if (!this.waits) this.#open?.close(this.#entries);
    this.#changed();
  }

  /** Takes a turn out; returns what a person had said in it. */
  drop(turn: TurnState): M[] {
    const own = this.#entries.flatMap(saidIn).filter((said) => said.turn === turn);
    this.#answers?.takeBack(this.#entries, turn);
    this.#replace(this.#entries.filter((entry) => entry.turn !== turn));
    return [...(turn.replaced.splice(0) as M[]), ...own.flatMap(({ prompts }) => prompts)];
  }

  /** Puts messages in the place of those before an index; what would be torn apart there stays. */
  replaceBefore(end: number, messages: readonly M[]): void {
    const at = wholeBefore(this.#parts.rules, this.#entries.map(this.#write), end);
    for (const { turn, prompts } of this.#entries.slice(0, at).flatMap(saidIn)) turn?.replaced.push(...prompts);
    this.#replace([{ turn: undefined, messages, prompts: [] }, ...this.#entries.slice(at)]);
  }

  readonly #write = (entry: Entry<M>): readonly M[] => this.#answers?.write(entry) ?? this.#parts.writer.write(entry);

  /** Behind what the request carries that is under way, or else some place. */
  #place(other: number): number {
    const at = this.#asked === undefined ? -1 : this.#entries.lastIndexOf(this.#asked);
    return at === -1 ? other : at + 1;
  }

  /** What the model has read, or says, of what it was asked. */
  #follow(entry: Entry<M>): void {
    this.#push(entry, () => this.#place(this.#entries.length));
    if (this.#asked !== undefined) this.#asked = entry;
  }

  #push(entry: Entry<M>, place = (): number => this.#entries.length): void {
    if (this.#waiting?.goOn(this.#entries) === true) this.#told.reset();
    this.#entries.splice(place(), 0, entry);
    this.#changed();
  }

  readonly #replace = (entries: Entry<M>[]): void => {
    this.#entries = entries;
    this.#told.reset();
    this.#changed();
  };

  #changed(): void {
    this.listeners.changed(() => this.messages);
  }
}
