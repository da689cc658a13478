/**
 * What a dialect must be able to do, and what it is told.
 * Apart from the table so that a dialect can name its contract without importing its neighbours.
 *
 * @module
 */
import type { CallPlace } from '../reading/ends/half-call.ts';
import type { IdPolicy, TranscriptCall } from '../dialect.ts';
import type { CancelKind, ToolOutcome } from '../from-core.ts';
import type { HeldByServer, Submission } from '../held-conversation.ts';
import type { NameCalls } from '../reading/id-book.ts';
import type { JoinRules } from '../reading/join-messages.ts';
import type { MessageRules } from '../reading/require-messages.ts';
import type { Answer } from '../words/values.ts';
import type { Render } from '../words/values.ts';
import type { Words } from '../words/wording.ts';
import type { HostedRules } from '../reading/hosted-calls.ts';

/** Writes down one finding: the index of a message, the rule, and what is wrong, in words. */
export type Note = (at: number, rule: string, what: string) => void;

/** Why something ended early, as far as words depend on it. */
export interface Cause {
  readonly kind: CancelKind;
}

/** What the words about a call depend on. */
export interface Telling {
  /** Why the turn ended. */
  readonly reason: Cause | undefined;
  /** The turn was not stopped: a call that was, was stopped alone. */
  readonly goesOn?: boolean | undefined;
  readonly words: Words;
  readonly render?: Render | undefined;
  /** A person reads it: a value is shown as its tool gave it, and what the model sees of it is made of that later. */
  readonly isPage?: boolean | undefined;
  /** A value that a tool returned in a form of the SDK's, as parts of a provider; `undefined` for any other. */
  readonly read?: ((value: unknown) => unknown) | undefined;
}

/** What is known about messages that are to be made legal. */
export interface SettleOptions extends Telling {
  /** Nobody goes on with what the provider had begun, nor waits for what a person allowed. */
  readonly isOver: boolean;
  /** Calls that have no result are left open: those of the `last` reply for whoever is to run them, or `all`. */
  readonly waits?: 'last' | 'all' | undefined;
  readonly ids: IdPolicy;
  /** What became of a call that has no result, where somebody knows. */
  readonly outcomeOf?: ((call: TranscriptCall) => ToolOutcome | undefined) | undefined;
  /** What the server holds; only a dialect that can be held is ever given one. */
  readonly held?: HeldByServer | undefined;
  /** The reply at the end was cut, and its end says so. */
  readonly cut?: Cut | undefined;
  /** What stands before these messages, where they are only a part: none of them has the id of one of those. */
  readonly before?: (() => readonly object[]) | undefined;
  /** What the provider began to run before these messages, where they are only a part: its result may stand in them. */
  readonly begun?: Pick<ReadonlySet<unknown>, 'has'> | undefined;
}

/** How a reply was cut. */
export interface Cut {
  readonly by: Cause;
  /** The provider had said that it was finished: nothing of it is missing. */
  readonly isWhole: boolean;
}

/** What a dialect gives back. */
export interface DialectResult<M> {
  readonly messages: readonly M[];
  /** What to send where the server holds the conversation. */
  readonly submit?: Submission<M>;
}

/** The outcome of a call, and what its result is to say. */
export interface AnsweredCall {
  readonly outcome: ToolOutcome;
  readonly answer: Answer;
}

/** A call as the model said it. */
export interface SaidCall extends TranscriptCall {
  /** A person is still to be asked whether it may run. */
  readonly isAsked?: true | undefined;
  /** The provider runs it, once that was allowed: `raw` is what it asks. */
  readonly isHosted?: true | undefined;
}

/** Who speaks in one dialect, and how the model's side says something. */
export interface TurnReader<M> {
  /** Whether the user wrote this message, or a part of it. */
  readonly isPrompt: (message: M) => boolean;
  /** Whether the model wrote it. */
  readonly isReply: (message: M) => boolean;
  /** A text as the model's own message, to stand behind the last one there is. */
  readonly say: (text: string, last?: M) => M | undefined;
}

/** One provider's rules, twice: how to make a transcript legal, and how to tell that it is not. */
export interface FormatRules<M> extends MessageRules {
  /** Makes the transcript legal. Leaves its input alone and reuses every message that did not change. */
  readonly settle: (messages: readonly M[], options: SettleOptions) => DialectResult<M>;
  /**
   * Notes every breach. Shares no code with `settle`: the one is tested by the other.
   *
   * @param isOver Whether nobody goes on with what is open at the end.
   */
  readonly check: (messages: readonly M[], note: Note, ids: IdPolicy, isOver?: boolean) => void;
  /** Whether a server may hold a conversation of this dialect. */
  readonly isHeld?: boolean;
  /** Changes what a message holds, where messages are instances of classes; by default they are plain objects. */
  readonly rewrite?: (message: M, each: <T>(value: T) => T) => M;
}

/** The rules of messages that a conversation can be held in. */
export interface DialectRules<M> extends FormatRules<M>, JoinRules<M> {
  /** What is a prompt and what a reply. */
  readonly turns: TurnReader<M>;
  /** Whether a call is not whole, where that shows in other places than its arguments; by default `isHalfCall`. */
  readonly isHalf?: (call: TranscriptCall, place: CallPlace<M>) => boolean;
  /** What a model call returned, as messages, with the names that the model said; `undefined` if there is no reply in it. */
  readonly repliesIn: (value: unknown) => readonly M[] | undefined;
  /** The provider's word for how a reply ended; nothing where it has not said. */
  readonly ended: (reply: object) => unknown;
  /** What the provider says of its failure elsewhere than in the `error` of a reply; nothing where it has not failed. */
  readonly failure?: ((reply: object) => unknown) | undefined;
  /** The calls of a reply that stand in none of its messages, by their ids and names: its framework could not read them. */
  readonly unread?: ((reply: object) => readonly object[]) | undefined;
  /** Refuses what a model call returned, `isWhole`, or had kept, if it is of another dialect; by default by what its messages hold. */
  readonly requireReply?: ((value: unknown, isWhole?: boolean) => void) | undefined;
  /**
   * The calls of replies that nobody has answered, in order.
   *
   * @param reply What the messages are of, where it is at hand.
   */
  readonly callsIn: (messages: readonly M[], reply?: unknown) => readonly SaidCall[];
  /** Results of calls, without the calls. */
  readonly results: (answered: readonly AnsweredCall[]) => readonly M[];
  /** A text as a message of the user. */
  readonly user: (text: string) => M;
  /** A message with other ids in its calls, given one after the other; absent where calls need none. */
  readonly named?: NameCalls<M>;
  /** Of questions of the provider's side that a person answers: what a conversation needs for that. */
  readonly questions?: {
    /** The question that a message answers, if it answers one. */
    readonly answerTo: (message: M) => unknown;
    /** The question that a message asks, by its id; nothing where it asks nothing. */
    readonly asks: (message: M) => unknown;
    /** Whether the model's side made a message. */
    readonly isOfModel: (message: M) => boolean;
    readonly Questions: unknown;
  };
  /** Of answers by which a person lets the provider run something. */
  readonly orders?: {
    /** The questions that messages ask, but for those whose calls have a result in a reply. */
    readonly openIn: (messages: readonly M[], reply: readonly M[]) => ReadonlySet<unknown>;
    /** An answer as a no that says this, where it is a yes to one of these; else the same message. */
    readonly refused: (message: M, open: ReadonlySet<unknown>, reason: string) => M;
    /** The provider is not sent what a no says: the model is told in a message. */
    readonly isMute?: true;
    /** What a conversation needs for that. */
    readonly Orders: unknown;
  };
  /** A result as a framework has it, of a call that completed, as a message of these; by default it is one. */
  readonly adopt?: (
    message: object,
    calls: readonly (Pick<ToolOutcome, 'id' | 'name'> & { readonly status: 'completed' })[],
  ) => M;
  /** Of what the provider runs itself. */
  readonly hosted?: HostedRules<M>;
  /** Of what goes on over several replies: what a conversation needs for that. */
  readonly OpenReplies?: unknown;
  /** Of a framework, whose loop tells the conversation what it asks and runs: what a conversation needs for that. */
  readonly loops?: object;
  /** A prompt before which nothing has to stand. */
  readonly opening: M;
}
