/**
 * One model call of a conversation: what it is shown, and what of it is taken, however it ends.
 *
 * @module
 */
import { isBody } from '../../core/foundation/results/live-body.ts';
import type { TranscriptCall } from '../dialect.ts';
import type { Cause } from '../dialects/rules.ts';
import type { Interjection, ModelContext, ModelOptions, ModelOutcome, RecordedReply } from '../from-core.ts';
import type { ToolOutcome, Turn } from '../from-core.ts';
import { field, isRecord } from '../reading/fields.ts';
import { isKind } from '../words/causes.ts';
import type { TurnState } from './entries.ts';
import { endedTwice } from '../reading/ends/reply-failures.ts';
import type { TakenReply } from './take-reply.ts';
import type { Orders } from './waiting/orders.ts';

/**
 * What a model call of a conversation is given.
 *
 * @since 0.1.0
 */
export interface ConversationContext<M> extends ModelContext {
  /**
   * What to send: the whole conversation, with what the person said meanwhile. Reading it reads those messages, as
   * `readInterjections()` does: they are delivered when the call returns. While the provider has yet to end what it runs
   * itself, they wait for the call after this one.
   */
  readonly messages: M[];
}

/**
 * What a model call of a conversation came to; the reply is in the conversation already.
 *
 * @since 0.1.0
 */
export type ConversationReply<T> = ModelOutcome<T> & {
  /**
   * The calls that may run; of a cut reply none. Run these very objects with `turn.tools`: what became of a call is known
   * by its object, and by nothing else.
   */
  readonly calls: readonly TranscriptCall[];
  /**
   * Whether nothing has to follow: no call is to run, or a person is asked about one and the others have ended; nothing is
   * open, the reply did not end inside a call, and no message waits. A limit or a filter outside a call ends it as well: its
   * word for that is in `value`.
   */
  readonly isLast: boolean;
};

/**
 * A turn of a conversation. `tool`, `tools`, `step` and everything else are the turn's own.
 *
 * @since 0.1.0
 */
export interface ConversationTurn<M> extends Omit<Turn, 'model'> {
  /**
   * Calls the model and takes what it says into the conversation, whole or cut. One call at a time; what is asked beside
   * it with `aside: true` is not of the conversation, and is given no `messages`.
   *
   * @checkpoint always, before and after
   * @throws CancelledError, DeadlineExceededError – as a rejection, as `turn.model`.
   * @throws TypeError – as a rejection: a call of this conversation is running, or what it returned is no reply;
   * or it returned, or had kept, one of another dialect; or it is the second that has not read the `messages` while one of a person waited.
   * @throws RangeError, Error – as a rejection: its limit ended the reply inside a call, or something else did, and the one
   * before it ended inside one as well; what they said is taken. Or the provider says that it failed.
   */
  readonly model: {
    <T>(
      call: (context: ModelContext) => T | PromiseLike<T>,
      options: ModelOptions & { readonly aside: true },
    ): Promise<ModelOutcome<T>>;
    <T>(
      call: (context: ConversationContext<M>) => T | PromiseLike<T>,
      options?: ModelOptions & { readonly aside?: false | undefined },
    ): Promise<ConversationReply<T>>;
  };
}

/** How a reply is taken. */
export interface Taking {
  readonly turn: TurnState;
  /** What cut it, if anything did. */
  readonly cutBy?: Cause | undefined;
  /** A framework runs its calls, and knows them by their ids: `unseen` where that need not be in the ledger. */
  readonly ranBy?: 'framework' | 'framework, unseen' | undefined;
}

/** What a model call needs of its conversation. */
export interface ModelCallHost<M> {
  /** A model call begins. @throws TypeError – another one is running. */
  begin(): void;
  end(): void;
  /** Whether the provider goes on with what it runs itself: nobody speaks before it has. */
  isOpen(): boolean;
  /** The conversation as it is sent; what is in it is told from here on. */
  tell(): M[];
  /** What is sent may let the provider run something. */
  readonly orders: Pick<Orders<object>, 'begin' | 'failed'> | undefined;
  /** A message of a person as one of the provider. */
  messageOf(interjection: Interjection): M;
  /** Puts messages of a person where they were read: behind everything that is there. */
  read(messages: readonly Interjection[], turn: TurnState): void;
  note(text: string, turn: TurnState): void;
  /** Takes what the model said, whole if nothing cut it. @throws TypeError – it is no reply. */
  take(value: unknown, taking: Taking): TakenReply<M>;
  /** Takes what the model had said when it was cut, if anything, and that can be read; `mayBeSaidAgain` until somebody asks anew. */
  takeCut(said: { readonly value: unknown } | undefined, taking: Taking, mayBeSaidAgain?: boolean): void;
  /** The model is saying this, of which a framework may run calls already. */
  says(value: unknown, taking: Taking): void;
  /** @throws TypeError – it can never be taken for a reply; `isWhole` for a whole one. */
  requireReply(value: unknown, isWhole?: boolean): void;
  /** What became of the call with this id, as far as it is known. */
  outcomeOf(id: string): ToolOutcome | undefined;
  /** @throws Error, TypeError – it says of itself that it failed, or that it has yet to come. */
  requireEnd(value: unknown): void;
}

/** Whose call it is. */
export interface ModelCallParts<M, T> {
  readonly host: ModelCallHost<M>;
  readonly turn: Turn;
  readonly state: TurnState;
  /** Of a loop that a framework owns. */
  readonly reply?: RecordedReply<T> | undefined;
}

/** Calls the model. */
export async function callModel<M, T>(
  { host, turn, state, reply }: ModelCallParts<M, T>,
  call: (context: ConversationContext<M>) => T | PromiseLike<T>,
  options: ModelOptions,
): Promise<ConversationReply<T>> {
  const read = reply?.read ?? ((value: T): unknown => value);
  const ranBy = reply && (reply.mayRunUnseen === true ? 'framework, unseen' : 'framework');
  // A framework may still ask behind its turn: that call is refused, and is in nobody's way.
  const isLate = state.isOver;
  if (!isLate) host.begin();
  let shown: readonly Interjection[] = [];
  /** A message waits that this call does not read. */
  let isPassedOver = reply === undefined && turn.hasInterjections;
  /** The last that is known of what this attempt has said. */
  let said: { readonly value: unknown } | undefined;
  let outcome: ModelOutcome<T> | undefined;
  try {
    outcome = await turn.model(async (context) => {
      const { continuation } = context;
      host.orders?.begin(context);
      // Made again after its own limit: what it had said stands, and the note to go on from there.
      if (continuation !== undefined) host.takeCut(said, { turn: state, cutBy: continuation.reason, ranBy });
      if (continuation !== undefined && said !== undefined) host.note(continuation.note, state);
      said = undefined;
      const value = await call(
        contextOf<M>(context, {
          readInterjections: () => {
            isPassedOver = false;
            return context.readInterjections();
          },
          messages: () => {
            isPassedOver = false;
            // What the provider runs has its result first, as a call has that we run.
            shown = host.isOpen() ? [] : context.readInterjections();
            return [...host.tell(), ...shown.map((one) => host.messageOf(one))];
          },
          partial: (value) => {
            // At the first one: else only a stop would find it out.
            if (reply === undefined && said === undefined) host.requireReply(value);
            said = { value };
            if (ranBy !== undefined) host.says(value, { turn: state, ranBy });
            context.partial(value);
          },
        }),
      );
      // Nobody can tell what a stream that is handed on has said.
      if (isBody(value)) return value;
      const given = read(value);
      // What is no reply answers nothing: the call fails with it, and what it had read waits for the next one.
      if (!context.token.isCancelled) host.requireReply(given, true);
      if (value !== undefined) said = { value: given };
      if (!context.token.isCancelled) host.requireEnd(given);
      return value;
    }, options);
    host.read(outcome.delivered, state);
    state.passedOver = isPassedOver && turn.hasInterjections ? (state.passedOver ?? 0) + 1 : 0;
    if (state.passedOver > 1) {
      throw new TypeError(
        'a message waits that no model call has read: send the `messages` that the call is given, or the loop never ends',
      );
    }
    if (outcome.status === 'interjected') {
      state.endedInside = undefined;
      const whole = reply?.endedByCut?.();
      if (whole !== undefined) host.take(whole, { turn: state, ranBy });
      else host.takeCut(said, { turn: state, cutBy: outcome.reason, ranBy });
      return { ...outcome, calls: [], isLast: false };
    }
    const taken = host.take(read(outcome.value), { turn: state, ranBy });
    said = undefined;
    const { runnable, isOpen, asks, endedInside } = taken;
    // Once the others have ended, a person is to answer before the model goes on.
    const isOver = (call: TranscriptCall): boolean => asks && host.outcomeOf(call.id) !== undefined;
    const before = state.endedInside;
    state.endedInside = reply === undefined ? endedInside : undefined;
    if (before !== undefined && state.endedInside !== undefined) throw endedTwice(state.endedInside);
    return {
      ...outcome,
      calls: runnable,
      get isLast() {
        return runnable.every(isOver) && !isOpen && endedInside === undefined && !turn.hasInterjections;
      },
    };
  } catch (error) {
    const told = outcome === undefined ? shown.filter(({ status }) => status === 'delivered') : [];
    host.read(told, state);
    const cutBy = turn.token.reason ?? reasonIn(error);
    // A client that failed is asked again as a rule, and says it all anew.
    if (said === undefined && cutBy === undefined) host.orders?.failed(error);
    host.takeCut(said, { turn: state, cutBy, ranBy }, cutBy === undefined);
    throw error;
  } finally {
    if (!isLate) host.end();
  }
}

/** The members of the context, and those of the conversation in their place. */
function contextOf<M>(
  context: ModelContext,
  own: Pick<ModelContext, 'partial' | 'readInterjections'> & { readonly messages: () => M[] },
): ConversationContext<M> {
  const members: PropertyDescriptorMap = {
    ...Object.getOwnPropertyDescriptors(context),
    messages: { get: own.messages, enumerable: true },
    partial: { value: own.partial, enumerable: true },
    readInterjections: { value: own.readInterjections, enumerable: true },
  };
  return Object.defineProperties({}, members) as ConversationContext<M>;
}

/** Why one call of a turn ended that goes on itself. */
function reasonIn(error: unknown): Cause | undefined {
  const reason = error instanceof Error ? field(error, 'reason') : undefined;
  return isRecord(reason) && isKind(field(reason, 'kind')) ? (reason as Cause) : undefined;
}
