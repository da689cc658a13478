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
  /** A turn exists from here on, or background work, which has no number; returns why it is not to begin, if so. */
  starts(turnId: number | undefined): CancelReason | undefined;
  /** Why whatever comes is stopped, and so refused by nobody. */
  readonly endedBy: CancelReason | undefined;
  /** Nothing more comes. */
  close(): void;
}

/** A prompt that waits for its turn. Not what its sender holds, who may freeze that. */
export interface Prompt {
  readonly ticket: TurnTicket;
  hasStarted: boolean;
  /** Given to `runTurn`, perhaps still waiting for its turn. */
  isClaimed: boolean;
  /** The token that the turn was given, from its claim on: if that is cancelled, a stop of the prompt comes second. */
  outside: Token | undefined;
  /** Its own stop, since that came. */
  stop: Token | undefined;
  /** Asked when it is to start: why it gives its place to another that is accepted then, if so. */
  givesWay: (() => CancelReason | undefined) | undefined;
  /** Another has given way to it: it is not refused any more. */
  isAccepted: boolean;
}

function hasStarted(prompt: Prompt): boolean {
  return prompt.hasStarted;
}

function idOf({ ticket }: Prompt): number {
  return ticket.id;
}

/** The accepted turns of one controller. */
export class UnstartedTurns {
  readonly #waiting: CompactingList<Prompt> = new CompactingList(hasStarted);
  /** Stops one turn, whether or not it has started. */
  readonly #cancel: (turnId: number, reason: CancelReasonLike | undefined) => StopReceipt;
  /** Why nothing of the agent runs any more, if so. */
  readonly #reasonAbove: () => CancelReason | undefined;
  /** Why what is above lets nothing start here any more, if so. */
  readonly #endAbove: () => CancelReason | undefined;
  #lastId = 0;
  /** Those that nobody was to start any more, each of which has its end: whoever comes with one all the same is given another. */
  readonly #givenUp = new WeakSet<TurnTicket>();
  /** Stops for what is still to come, where somebody keeps such. */
  toCome: StopsToCome | undefined;

  constructor(
    cancel: (turnId: number, reason: CancelReasonLike | undefined) => StopReceipt,
    reasonAbove: () => CancelReason | undefined = () => undefined,
    endAbove: () => CancelReason | undefined = () => undefined,
  ) {
    this.#cancel = cancel;
    this.#reasonAbove = reasonAbove;
    this.#endAbove = endAbove;
  }

  /** How many were accepted so far: the id of the last. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Whether a ticket was not used in time. */
  hasGivenUp(ticket: TurnTicket): boolean {
    return this.#givenUp.has(ticket);
  }

  /** Why no turn starts any more, if so; what runs goes on. */
  get endedBy(): CancelReason | undefined {
    return this.toCome?.endedBy ?? this.#endAbove();
  }

  /** A turn, or background work, is given: why it is not to begin, if so. */
  stopToCome(turnId?: number): CancelReason | undefined {
    return this.toCome?.starts(turnId) ?? this.endedBy;
  }

  accept(): TurnTicket {
    const id = ++this.#lastId;
    const toCome = this.stopToCome(id);
    const ticket: TurnTicket = { id, cancel: (reason) => this.#cancel(id, reason) };
    this.#waiting.add({
      ticket,
      hasStarted: false,
      isClaimed: false,
      outside: undefined,
      stop: toCome === undefined ? undefined : stoppedToken(toCome),
      givesWay: undefined,
      isAccepted: false,
    });
    return ticket;
  }

  /**
   * Claims a ticket for one turn.
   *
   * @throws TypeError – it is not ours, or was claimed before.
   */
  claim(ticket: TurnTicket, outside?: Token): Prompt {
    const prompt = this.#waiting.find(ticket.id, idOf);
    if (prompt?.ticket !== ticket || prompt.isClaimed) {
      throw new TypeError(`the ticket was used already or is not of this controller, got ${show(ticket)}`);
    }
    prompt.isClaimed = true;
    prompt.outside = outside;
    return prompt;
  }

  /** Takes a prompt out when its turn starts, and with it what stopped it before. */
  start(prompt: Prompt): Token | undefined {
    const { givesWay } = prompt;
    const superseded = givesWay !== undefined && this.stopOf(prompt) === undefined ? givesWay() : undefined;
    this.#takeOut(prompt);
    return superseded === undefined ? prompt.stop : stoppedToken(superseded);
  }

  /** Cancels what waits: everything, or one turn. Tells of the last one it concerned, first of all of a new one. */
  cancel(reason: CancelReason, turnId?: number): EarlyCancel | undefined {
    let early: EarlyCancel | undefined;
    for (const prompt of turnId === undefined ? this.#waiting.list() : this.#named(turnId)) {
      const before = this.stopOf(prompt);
      const isFirst = before === undefined;
      if (isFirst) prompt.stop = stoppedToken(reason);
      const first = before ?? reason;
      if (isFirst || early?.isFirst !== true) early = { turnId: prompt.ticket.id, reason: first, isFirst };
    }
    return early;
  }

  #named(turnId: number): readonly Prompt[] {
    const prompt = this.#waiting.find(turnId, idOf);
    return prompt === undefined ? [] : [prompt];
  }

  /**
   * Cancels the turns before one in line, but not the prompts that nobody has started yet; returns how many. For a turn
   * that may be refused until it starts each of them asks `accept` when it is to start itself.
   */
  supersede(by: Prompt, reason: CancelReason, accept?: () => boolean): number {
    const before = this.#waiting
      .list()
      .filter((prompt) => prompt.isClaimed && prompt !== by && this.stopOf(prompt) === undefined);
    for (const prompt of before) {
      if (accept === undefined) prompt.stop = stoppedToken(reason);
      else {
        const { givesWay } = prompt;
        prompt.givesWay = () => (!by.hasStarted && this.stopOf(by) === undefined && accept() ? reason : givesWay?.());
      }
    }
    return before.length;
  }

  /** Those that wait. */
  list(): readonly Prompt[] {
    return this.#waiting.list();
  }

  /** It waits no more, and holds nothing of what it waited with. */
  #takeOut(prompt: Prompt): void {
    prompt.hasStarted = true;
    prompt.outside = undefined;
    prompt.givesWay = undefined;
    this.#waiting.ended();
  }

  /** What stopped it first: a cancel of the prompt, or what the turn will hang on, which it hears of only when it starts. */
  stopOf({ stop, outside }: Prompt): CancelReason | undefined {
    return stop?.reason ?? outside?.reason ?? this.#reasonAbove() ?? this.endedBy;
  }

  /** Gives up on everything that nobody will start any more. */
  drain(): readonly { readonly id: number; readonly cancelled: CancelReason | undefined }[] {
    this.toCome?.close();
    return this.#waiting.list().map((prompt) => {
      const left = { id: prompt.ticket.id, cancelled: this.stopOf(prompt) };
      if (!prompt.isClaimed) this.#givenUp.add(prompt.ticket);
      this.#takeOut(prompt);
      return left;
    });
  }
}
