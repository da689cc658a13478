/**
 * Prompts that exist and have not started: turn identity is an accept sequence and what was cancelled of it.
 *
 * Invariants: ids rise from 1; a ticket starts at most one turn; a cancel sticks to every ticket that was waiting when
 * it came, and to no later one; the first reason wins.
 *
 * @module
 */
import { show } from '../../../foundation/check.ts';
import type { CancelReason, CancelReasonLike } from '../../../foundation/reason.ts';
import type { TurnTicket } from '../../public-types/agent-options.ts';
import type { StopReceipt } from '../../public-types/stop-report.ts';
import type { Token } from '../../../token/token.ts';
import { stoppedToken } from '../../stops/stop-record.ts';
import { CompactingList } from '../../ledger/compacting-list.ts';

/** A cancel that came before its turn. */
export interface EarlyCancel {
  readonly turnId: number;
  readonly reason: CancelReason;
  /** Whether this cancel is the first for the turn. */
  readonly isFirst: boolean;
}

/** Stops that came before there was anything to stop: a host of sessions keeps them. */
export interface StopsToCome {
  /** A turn exists from here on; returns why it is not to begin, if so. */
  turnAccepted(turnId: number): CancelReason | undefined;
  /** Background work starts; returns why it is not to, if so. */
  backgroundStarts(): CancelReason | undefined;
  /** Nothing more comes. */
  close(): void;
}

interface Ticket extends TurnTicket {
  /** Whose it is, until its turn starts. */
  owner: UnstartedTurns | undefined;
  /** Given to `runTurn`, perhaps still waiting for its turn. */
  isClaimed: boolean;
  /** The token that the turn was given, from its claim on: if that is cancelled, a stop of the prompt comes second. */
  outside: Token | undefined;
  /** Its own stop, since that came. */
  stop: Token | undefined;
}

function hasStarted({ owner }: Ticket): boolean {
  return owner === undefined;
}

function idOf({ id }: Ticket): number {
  return id;
}

/** The accepted turns of one controller. */
export class UnstartedTurns {
  readonly #waiting: CompactingList<Ticket> = new CompactingList(hasStarted);
  /** Stops one turn, whether or not it has started. */
  readonly #cancel: (turnId: number, reason: CancelReasonLike | undefined) => StopReceipt;
  /** Why nothing of the agent runs any more, if so. */
  readonly #reasonAbove: () => CancelReason | undefined;
  #lastId = 0;
  /** Stops for what is still to come, where somebody keeps such. */
  toCome: StopsToCome | undefined;

  constructor(
    cancel: (turnId: number, reason: CancelReasonLike | undefined) => StopReceipt,
    reasonAbove: () => CancelReason | undefined = () => undefined,
  ) {
    this.#cancel = cancel;
    this.#reasonAbove = reasonAbove;
  }

  /** How many were accepted so far: the id of the last. */
  get lastId(): number {
    return this.#lastId;
  }

  accept(): TurnTicket {
    const id = ++this.#lastId;
    const toCome = this.toCome?.turnAccepted(id);
    const ticket: Ticket = {
      owner: this,
      id,
      cancel: (reason) => this.#cancel(id, reason),
      isClaimed: false,
      outside: undefined,
      stop: toCome === undefined ? undefined : stoppedToken(toCome),
    };
    this.#waiting.add(ticket);
    return ticket;
  }

  /**
   * Claims a ticket for one turn.
   *
   * @throws TypeError – it is not ours, or was claimed before.
   */
  claim(ticket: TurnTicket, outside?: Token): void {
    if ((ticket as Ticket).owner !== this || (ticket as Ticket).isClaimed) {
      throw new TypeError(`the ticket was used already or is not of this controller, got ${show(ticket)}`);
    }
    (ticket as Ticket).isClaimed = true;
    (ticket as Ticket).outside = outside;
  }

  /** Takes a claimed ticket out when its turn starts, and with it the cancel that came early. */
  start(ticket: TurnTicket): Token | undefined {
    const { stop } = ticket as Ticket;
    this.#leaves(ticket as Ticket);
    return stop;
  }

  /** Cancels what waits: everything, or one turn. Tells of the last one it concerned, first of all of a new one. */
  cancel(reason: CancelReason, turnId?: number): EarlyCancel | undefined {
    let early: EarlyCancel | undefined;
    for (const ticket of turnId === undefined ? this.#waiting.list() : this.#named(turnId)) {
      const before = this.#stopOf(ticket);
      const isFirst = before === undefined;
      if (isFirst) ticket.stop = stoppedToken(reason);
      const first = before ?? reason;
      if (isFirst || early?.isFirst !== true) early = { turnId: ticket.id, reason: first, isFirst };
    }
    return early;
  }

  #named(turnId: number): readonly Ticket[] {
    const ticket = this.#waiting.find(turnId, idOf);
    return ticket === undefined ? [] : [ticket];
  }

  /** Cancels the turns that wait in line, but not the prompts that nobody has started yet; returns how many. */
  supersede(reason: CancelReason): number {
    let count = 0;
    for (const ticket of this.#waiting.list()) {
      if (!ticket.isClaimed || this.#stopOf(ticket) !== undefined) continue;
      ticket.stop = stoppedToken(reason);
      count++;
    }
    return count;
  }

  /** It waits no more, and holds nothing of what it waited with. */
  #leaves(ticket: Ticket): void {
    ticket.owner = undefined;
    ticket.outside = undefined;
    this.#waiting.ended();
  }

  /** What stopped it first: a cancel of the prompt, or what the turn will hang on, which it hears of only when it starts. */
  #stopOf({ stop, outside }: Ticket): CancelReason | undefined {
    return stop?.reason ?? outside?.reason ?? this.#reasonAbove();
  }

  /** Gives up on everything that nobody will start any more. */
  drain(): readonly { readonly id: number; readonly cancelled: CancelReason | undefined }[] {
    this.toCome?.close();
    return this.#waiting.list().map((ticket) => {
      const left = { id: ticket.id, cancelled: this.#stopOf(ticket) };
      this.#leaves(ticket);
      return left;
    });
  }
}
