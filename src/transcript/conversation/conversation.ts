/**
 * A conversation that knows: it hands out the messages of each model call, takes each reply when it comes or is cut, and
 * each outcome by the very call that it handed out. Nothing is found out afterwards.
 *
 * Invariants: `messages` can be sent at any moment, whatever was stopped where; what the model was told stays as it was
 * told; a message of a person stands where it was read.
 *
 * Prior art: the message stores of agent frameworks, without their repairs.
 *
 * @module
 */
import { recorderKey } from '../../core/foundation/brand.ts';
import { requireFunction, requireOptions, show, wrongType, type OptionNames } from '../../core/foundation/check.ts';
import { lateNote } from '../../core/interrupt/messages/model-notes.ts';
import type { TranscriptCall, TranscriptDialect } from '../dialect.ts';
import { rulesOf } from '../dialects/create-dialect.ts';
import type { DialectRules } from '../dialects/rules.ts';
import type {
  CancelReason,
  InterruptController,
  LateToolOutcome,
  LoopRecorder,
  ModelOptions,
  RunTurnOptions,
  ToolOutcome,
  Turn,
  TurnReport,
} from '../from-core.ts';
import { field, isRecord } from '../reading/fields.ts';
import { requireList } from '../reading/require-messages.ts';
import { createWords, type Words } from '../words/wording.ts';
import { ConversationLog } from './conversation-log.ts';
import { requireConversationOptions, type ConversationOptions } from './conversation-options.ts';
import { EntryWriter, type TurnState } from './entries.ts';
import type { FrameworkLoops } from './loops/framework-loops.ts';
import { callModel, type ConversationTurn } from './model-call.ts';
import { SpokenMessages } from './spoken-messages.ts';

const compactOptions: OptionNames<NonNullable<Parameters<Conversation<object>['compact']>[1]>> = { upTo: 1 };

/**
 * The messages of one agent with one provider, legal at any moment.
 *
 * @example A loop with your client
 * ```ts
 * import { InterruptController } from 'desist'
 * import { Conversation } from 'desist/transcript'
 * import { anthropic } from 'desist/transcript/anthropic'
 *
 * const script = [
 *   { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
 *   { role: 'assistant', content: [{ type: 'text', text: 'Two lines.' }] },
 * ]
 * const chat = new Conversation(anthropic)
 * await chat.runTurn(new InterruptController(), 'How long is a.txt?', async (turn) => {
 *   for (;;) {
 *     const reply = await turn.model(({ messages }) => script[(messages.length - 1) / 2])
 *     await turn.tools(reply.calls, () => 'one, two')
 *     if (reply.isLast) return
 *   }
 * })
 * chat.messages.map(({ role }) => role) // => ['user', 'assistant', 'user', 'assistant']
 * ```
 * @since 0.1.0
 */
export class Conversation<M extends object> {
  readonly #dialect: TranscriptDialect<M, unknown>;
  readonly #rules: DialectRules<M>;
  readonly #loops: FrameworkLoops | undefined;
  readonly #options: ConversationOptions<M>;
  readonly #words: Words;
  readonly #spoken: SpokenMessages<M>;
  readonly #log: ConversationLog<M>;
  readonly #turns = new WeakMap<object, TurnState>();
  readonly #late = new Set<string>();

  /**
   * @param dialect Whose messages they are: `anthropic` of `desist/transcript/anthropic`, for example.
   * @param options What was stored, and other words.
   * @throws TypeError – no dialect, or an option that is not what it should be.
   */
  constructor(dialect: TranscriptDialect<M, unknown>, options: ConversationOptions<M> = {}) {
    this.#rules = rulesOf({ dialect });
    const waits = requireConversationOptions(options, this.#rules);
    this.#dialect = dialect;
    this.#options = options;
    this.#words = createWords(options.wording);
    this.#spoken = new SpokenMessages(this.#rules, this.#words);
    const writer = new EntryWriter(this.#rules, this.#words, options.render);
    const loops = this.#rules.loops as FrameworkLoops | undefined;
    this.#loops = loops;
    this.#log = new ConversationLog({ rules: this.#rules, words: this.#words, spoken: this.#spoken, writer, loops });
    const { messages = [] } = options;
    this.#log.restore(this.#spoken.stored(messages, waits), messages);
  }

  /** What can be sent, and stored, at any moment. A new list each time; what is told keeps its objects. */
  get messages(): M[] {
    return this.#log.messages;
  }

  /**
   * Adds what somebody says between turns.
   *
   * @param prompts Texts of the user, or messages of the provider.
   * @throws TypeError – neither; or it answers a call or a question that does not wait here by its id in `messages`.
   */
  push(...prompts: readonly (string | M)[]): void {
    this.#said(prompts).say(undefined);
  }

  /**
   * Runs a turn of an agent, as `agent.runTurn`, whose model calls are of this conversation.
   *
   * @param agent The agent.
   * @param prompt What the user says; `undefined` for a turn that goes on without a word.
   * @param body The loop: `turn.model` is given `messages`, and its reply has `calls` and `isLast`.
   * @param options As for `agent.runTurn`.
   * @returns The turn's report, when everything that it left behind is in `messages`.
   * @checkpoint as `agent.runTurn`
   * @throws As `agent.runTurn`: then the prompt is not taken.
   */
  async runTurn<T>(
    agent: InterruptController,
    prompt: string | M | undefined,
    body: (turn: ConversationTurn<M>) => T | PromiseLike<T>,
    options?: RunTurnOptions,
  ): Promise<TurnReport<T>> {
    requireFunction('body', body);
    let own: Turn | undefined;
    const stage = { isBegun: false };
    let stopped: CancelReason | undefined;
    const state: TurnState = { reason: () => stopped ?? own?.token.reason, isOver: false, replaced: [] };
    const { say, goesOn } = this.#said(prompt === undefined ? [] : [prompt]);
    const begin = (): void => {
      stage.isBegun = true;
      say(state);
      this.#log.beginTurn(state);
    };
    const heard = agent.onEvent((event) => {
      if (event.type === 'tool-outcome') this.#log.ended(event.outcome);
    });
    try {
      const report = await agent.runTurn((turn) => {
        own = turn;
        // Kept from a turn before: said before this prompt, and no longer in the middle of anything. What goes on reads it itself.
        const kept = goesOn ? [] : turn.takeInterjections();
        this.#log.add(
          kept.map((one) => this.#spoken.saidIn(one)),
          state,
          true,
        );
        begin();
        return body(this.#turnOf(turn, state));
      }, options);
      // Stopped before it began: it was said all the same.
      if (!stage.isBegun) begin();
      state.isCompleted = report.status === 'completed';
      stopped = report.stop?.reason ?? (report.status === 'cancelled' ? report.reason : undefined);
      for (const row of report.calls) this.#log.ended(row);
      this.#turns.set(report, state);
      return report;
    } finally {
      heard.unregister();
      // One that was refused was never of this conversation.
      if (stage.isBegun) this.#log.close(state);
    }
  }

  /**
   * Takes a turn out, wherever it stands. What its tools did stays done, and the model no longer knows of it, but for what
   * {@link late} tells: that is told whether or not the call is still there.
   *
   * @param report What `runTurn` resolved with.
   * @returns What the person had said in it, in order; a second time nothing.
   * @throws TypeError – no report: a promise of one, for example; or it is of no turn of this conversation, as one before
   * `fork()` is.
   */
  drop(report: TurnReport<unknown>): M[] {
    if (!isRecord(report) || !Array.isArray(field(report, 'calls'))) {
      throw wrongType('report', 'what runTurn resolved with', report);
    }
    const turn = this.#turns.get(report);
    if (turn === undefined)
      throw new TypeError('report must be of a turn of this conversation: a fork has none of before');
    return this.#log.drop(turn);
  }

  /**
   * Puts a summary in the place of what came before. What it replaces is never told again, whatever becomes of it.
   *
   * @param replacement Messages of the provider, or texts of the user.
   * @param options `upTo`: how many of `messages` are replaced, all of them by default. A reply is not torn from its
   * results: one that would be stays.
   * @throws TypeError, RangeError – not messages, or `upTo` is no length of `messages`.
   */
  compact(replacement: readonly (string | M)[], options: { readonly upTo?: number | undefined } = {}): void {
    requireOptions(options, compactOptions);
    const all = this.messages.length;
    const { upTo: end = all } = options;
    if (!Number.isInteger(end) || end < 0 || end > all) {
      throw new RangeError(`upTo must be a number of messages, 0 to ${String(all)}, got ${show(end)}`);
    }
    this.#log.replaceBefore(end, this.#spoken.legal(requireList('replacement', replacement)));
  }

  /**
   * Tells what ended after its turn had been answered without it; each outcome once, also as a copy from JSON.
   *
   * @param outcomes Of `agent.takeLateOutcomes()`.
   * @throws TypeError – no list of late outcomes.
   */
  late(outcomes: readonly LateToolOutcome[]): void {
    for (const outcome of requireList('outcomes', outcomes)) {
      const note = lateNote(outcome);
      const { id, name, turnId, was, status, at } = outcome;
      const key = JSON.stringify([id, name, turnId, was, status, at]);
      if (this.#late.has(key)) continue;
      this.#late.add(key);
      this.#log.note(note, undefined);
    }
  }

  /** Lets the model's side say that the last turn was interrupted, unless it has the last word anyway. */
  mark(): void {
    const turn = this.#log.lastTurn;
    const reason = turn?.reason();
    const { isSent = () => true } = this.#rules;
    const last = this.messages.filter(isSent).at(-1);
    if (reason === undefined || last === undefined || this.#rules.turns.isReply(last)) return;
    const message = this.#rules.turns.say(this.#words(reason.kind, 'interrupted'), last);
    if (message !== undefined) this.#log.add([message], turn, false);
  }

  /**
   * What became of a call that this conversation has taken, by its id: for `repair`, where somebody else keeps a list of the
   * same calls – a page, a graph with a checkpointer. Of a fork, only of calls since it was made.
   */
  readonly outcomeOf = ({ id }: Pick<TranscriptCall, 'id'>): ToolOutcome | undefined => this.#log.outcomeOf(id);

  /** The same conversation as it is now, to go on beside this one: for a sub-agent, or for another try. */
  fork(): Conversation<M> {
    const fork = new Conversation(this.#dialect, { ...this.#options, messages: this.messages, waits: this.#log.waits });
    fork.#log.know(this.#log);
    for (const key of this.#late) fork.#late.add(key);
    return fork;
  }

  /**
   * Calls a function with the messages whenever they change, for who stores them. It hears of each outcome as it comes, so
   * that what a process has done is known when it dies.
   *
   * @param listener What it throws is reported, and harms nobody.
   * @returns A function that ends it.
   */
  onChange(listener: (messages: M[]) => void): () => void {
    requireFunction('listener', listener);
    return this.#log.listeners.add(listener);
  }

  /** What somebody says, read now and added later: answers to what waits, and everything else made legal. */
  #said(given: readonly (string | M)[]): {
    readonly say: (turn: TurnState | undefined) => void;
    /** What waits goes on without a word. */
    readonly goesOn: boolean;
  } {
    const { asking, asked, ownIn } = this.#log;
    const { isPrompt, isReply } = this.#rules.turns;
    const isAnswer = (one: string | M): one is M =>
      isRecord(one) && (asked(one) !== undefined || (asking !== undefined && !isPrompt(one) && !isReply(one)));
    const answers = given.filter(isAnswer);
    const results = answers.filter((one) => asked(one) === undefined).map(ownIn);
    if (asking !== undefined) this.#spoken.requireAnswers([...asking, ...results], results);
    const rest = this.#spoken.said(given.filter((one) => !answers.includes(one as M)));
    const say = (turn: TurnState | undefined): void => {
      for (const one of answers) this.#log.answer(one, turn);
      this.#log.add(rest, turn, true);
    };
    return { say, goesOn: this.#log.waits && rest.length === 0 };
  }

  /** What the loop of the dialect's framework tells; any other may run aside. */
  #recorder(turn: Turn, state: TurnState): LoopRecorder | Pick<LoopRecorder, 'turn' | 'dialect'> {
    const known = { turn, dialect: this.#rules.name };
    return this.#loops === undefined ? known : { ...known, ...this.#loops.recorderFor(this.#log, turn, state) };
  }

  #turnOf(turn: Turn, state: TurnState): ConversationTurn<M> {
    const model = (call: () => unknown, options: ModelOptions = {}): Promise<unknown> =>
      options.aside === true ? turn.model(call, options) : callModel({ host: this.#log, turn, state }, call, options);
    const members: PropertyDescriptorMap = {
      ...Object.getOwnPropertyDescriptors(turn),
      model: { value: model, enumerable: true },
      // A copy of the turn is the same turn.
      [recorderKey]: { value: this.#recorder(turn, state), enumerable: true },
    };
    return Object.defineProperties({}, members) as ConversationTurn<M>;
  }
}
