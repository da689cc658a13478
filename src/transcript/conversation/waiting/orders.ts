/**
 * Orders: answers that let the provider run something. Each is given once.
 *
 * Invariant: a yes that a request has carried stands in the list as a no that says it may have run, until the reply to that
 * request says more; only the request itself has the yes. So nobody sends it again, whatever becomes of the request, of the
 * process or of a copy.
 *
 * @module
 */
import { holdMessages } from '../../../core/interrupt/messages/hold-messages.ts';
import type { Cause, DialectRules } from '../../dialects/rules.ts';
import type { ModelContext } from '../../from-core.ts';
import { field, isRecord } from '../../reading/fields.ts';
import type { Words } from '../../words/wording.ts';
import type { CallAnswer, Entry, EntryWriter } from '../entries.ts';
import type { TakenReply } from '../take-reply.ts';

/** How far an order has come; one that has none was not sent. */
export type OrderState =
  /** A request carries it. */
  | 'sent'
  /** The provider has refused the request: it can be sent again, if nobody says anything else. */
  | 'unsent'
  /** Carried out, or nobody knows. */
  | 'over'
  /** Taken back before it was sent. */
  | 'refused';

/** What became of the request that carried it: the provider refused it, or nobody knows; else the reply. */
export type OrderEnd<M> = 'refused' | 'unknown' | Pick<TakenReply<M>, 'messages' | 'cutBy'>;

/** What it is made of. */
export interface OrderParts<M> {
  readonly rules: DialectRules<M>;
  readonly words: Words;
  readonly writer: EntryWriter<M>;
}

/** The conversation that they are of. */
export interface OrderHost<M> {
  readonly entries: () => readonly Entry<M>[];
  readonly changed: () => void;
}

/** The orders among the answers of one conversation. */
export class Orders<M extends object> {
  readonly #parts: OrderParts<M>;
  readonly #host: OrderHost<M>;
  /** The model call whose request may carry them. */
  #call: ModelContext | undefined;

  constructor(parts: OrderParts<M>, host: OrderHost<M>) {
    this.#parts = parts;
    this.#host = host;
  }

  /** Whether an answer of an entry has an order of which something can still come. */
  areOpenIn(entry: Entry<M>): boolean {
    return entry.answers?.some((one) => this.#isOpen(entry, one)) === true;
  }

  /** A model call begins. */
  begin(call: ModelContext): void {
    this.#call = call;
    this.ask();
  }

  /** A request is made with what is there: it has each yes that nobody has carried out yet. */
  ask(): void {
    this.#each((entry, one) => (this.#isOpen(entry, one) ? yesOf(one, 'sent') : one));
  }

  /** It goes out. */
  send(): void {
    const isAny = this.#each((entry, one) => (this.#isOpen(entry, one) ? this.#noOf(entry, one, 'sent') : one));
    if (!isAny) return;
    // Nobody cuts what a person has allowed, to say something else.
    if (this.#call !== undefined) holdMessages(this.#call);
    this.#host.changed();
  }

  /** It has ended. */
  end(end: OrderEnd<M>): void {
    const isAny = this.#each((entry, one) => {
      if (one.order?.state !== 'sent') return one;
      if (end === 'unknown') return this.#noOf(entry, one, 'over');
      if (end !== 'refused' && end.cutBy !== undefined) return this.#noOf(entry, one, 'over', end.cutBy, end.messages);
      this.#isAnswered(entry, end !== 'refused');
      return yesOf(one, end === 'refused' ? 'unsent' : 'over');
    });
    if (isAny) this.#host.changed();
  }

  /** Its request has failed, without a word of what became of it. */
  failed(error: unknown): void {
    if (isRefusal(error)) this.end('refused');
  }

  /** Nobody carries out what was not sent, if there is a reason. */
  refuse(cause: Cause | undefined, only?: OrderState): void {
    if (cause === undefined) return;
    const isAny = this.#each((entry, one) => {
      const isMeant = one.order?.state !== 'sent' && (only === undefined || one.order?.state === only);
      if (!isMeant || !this.#isOpen(entry, one)) return one;
      this.#isAnswered(entry, true);
      return this.#noOf(entry, one, 'refused', cause);
    });
    if (isAny) this.#host.changed();
  }

  /** What is left of an answer of a turn that is taken out: of what may have run, that. */
  leftOf(entry: Entry<M>, one: CallAnswer<M>): CallAnswer<M> | undefined {
    const { state } = one.order ?? {};
    if (state === 'sent' || state === 'over')
      return { ...this.#noOf(entry, one, 'over'), turn: undefined, prompts: [] };
    this.#isAnswered(entry, false);
    return undefined;
  }

  #isOpen(entry: Entry<M>, one: CallAnswer<M>): boolean {
    const { state, yes = one.message } = one.order ?? {};
    return state !== 'over' && state !== 'refused' && this.#refused(entry, yes, '') !== yes;
  }

  /** As a no, but for what has a result in a reply. */
  #noOf(entry: Entry<M>, one: CallAnswer<M>, state: OrderState, cause?: Cause, reply?: readonly M[]): CallAnswer<M> {
    const { rules, words } = this.#parts;
    const { yes } = one.order ?? { yes: one.message };
    const text = words(cause?.kind ?? 'unknown', state === 'refused' ? 'not-started' : 'unrecorded');
    const message = this.#refused(entry, yes, text, reply);
    const isTold = message === yes || state === 'refused' || rules.orders?.isMute !== true;
    return { ...one, message, order: { yes, state, notes: isTold ? [] : [rules.user(`[${text}]`)] } };
  }

  #refused(entry: Entry<M>, yes: M, text: string, reply: readonly M[] = []): M {
    const { orders } = this.#parts.rules;
    return orders?.refused(yes, orders.openIn((entry.reply ?? entry).messages, reply), text) ?? yes;
  }

  /** What answers a call that the provider runs stands in the list, or does not. */
  #isAnswered(entry: Entry<M>, isThere: boolean): void {
    for (const call of entry.reply?.calls ?? [])
      if (call.isHosted === true) Object.assign(this.#parts.writer.stateOf(call) ?? {}, { isAnswered: isThere });
  }

  /** Puts another in the place of each answer; returns whether any is another. */
  #each(next: (entry: Entry<M>, one: CallAnswer<M>) => CallAnswer<M>): boolean {
    let isAny = false;
    for (const entry of this.#host.entries()) {
      const answers = entry.answers?.map((one) => next(entry, one));
      if (answers === undefined || answers.every((one, at) => one === entry.answers?.[at])) continue;
      [entry.answers, entry.told] = [answers, undefined];
      isAny = true;
    }
    return isAny;
  }
}

/** Whether the provider answered that it did nothing: what has no answer, or one of a server in trouble, may have been carried out. */
function isRefusal(error: unknown): boolean {
  const status = isRecord(error) ? (field(error, 'status') ?? field(error, 'statusCode')) : undefined;
  return typeof status === 'number' && status >= 400 && status < 500;
}

function yesOf<M>(one: CallAnswer<M>, state: OrderState): CallAnswer<M> {
  const yes = one.order?.yes ?? one.message;
  return { ...one, message: yes, order: { yes, state, notes: [] } };
}
