/**
 * Prompts that exist and have not started: turn identity is an accept sequence and what was cancelled of it.
 *
 * Invariants: ids rise from 1; a ticket starts at most one turn; a cancel sticks to every ticket that was waiting when
 * it came, and to no later one; the first reason wins.
 *
 * @module
 */
import { isObject, show } from '../../../foundation/check.ts';
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

/** A prompt that waits for its turn. */
export interface Prompt {
  /** Of its ticket, and of its turn. */
  readonly id: number;
  /** Whose it is, until its turn starts. */
  owner: UnstartedTurns | undefined;
  /** Given to `runTurn`, perhaps still waiting for its turn. */
  isClaimed: boolean;
  /** The token that the turn was given, from its claim on: if that is cancelled, a stop of the prompt comes second. */
  outside: Token | undefined;
  /** Its own stop, since that came. */
  stop: Token | undefined;
  /** Those that take its place, if they still are to start when it is. */
  successors: Successor[] | undefined;
  /** Another has given its place to it: it is not refused any more. */
  isAccepted: boolean;
}

/** A turn that supersedes those before it in line, and may be refused until it starts. */
export interface Successor {
  readonly prompt: Prompt;
  readonly reason: CancelReason;
}

/** What its sender holds: nothing of the prompt itself, which a stop writes on. */
class Ticket implements TurnTicket {
  readonly id: number;
  readonly cancel: TurnTicket['cancel'];
  readonly #prompt: Prompt;

  constructor(prompt: Prompt, cancel: TurnTicket['cancel']) {
    this.id = prompt.id;
    this.cancel = cancel;
    this.#prompt = prompt;
  }

  static promptOf(ticket: unknown): Prompt | undefined {
    return isObject(ticket) && #prompt in ticket ? ticket.#prompt : undefined;
  }
}

function hasStarted({ owner }: Prompt): boolean {
  return owner === undefined;
}

function idOf({ id }: Prompt): number {
  return id;
}

/** The accepted turns of one controller. */
export class UnstartedTurns {
  readonly #waiting: CompactingList<Prompt> = new CompactingList(hasStarted);
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
    const prompt: Prompt = {
      owner: this,
      id,
      isClaimed: false,
      outside: undefined,
      stop: toCome === undefined ? undefined : stoppedToken(toCome),
      successors: undefined,
      isAccepted: false,
    };
    this.#waiting.add(prompt);
    return new Ticket(prompt, (reason) => this.#cancel(id, reason));
  }

  /**
   * Claims a ticket for one turn.
   *
   * @throws TypeError – it is not ours, or was claimed before.
   */
  claim(ticket: TurnTicket, outside?: Token): Prompt {
    const prompt = Ticket.promptOf(ticket);
    if (prompt?.owner !== this || prompt.isClaimed) {
      throw new TypeError(`the ticket was used already or is not of this controller, got ${show(ticket)}`);
    }
    prompt.isClaimed = true;
    prompt.outside = outside;
    return prompt;
  }

  /** Takes a prompt out when its turn starts, and with it the cancel that came early. */
  start(prompt: Prompt): Token | undefined {
    this.#takeOut(prompt);
    return prompt.stop;
  }

  /** Cancels what waits: everything, or one turn. Tells of the last one it concerned, first of all of a new one. */
  cancel(reason: CancelReason, turnId?: number): EarlyCancel | undefined {
    let early: EarlyCancel | undefined;
    for (const prompt of turnId === undefined ? this.#waiting.list() : this.#named(turnId)) {
      const before = this.stopOf(prompt);
      const isFirst = before === undefined;
      if (isFirst) prompt.stop = stoppedToken(reason);
      const first = before ?? reason;
      if (isFirst || early?.isFirst !== true) early = { turnId: prompt.id, reason: first, isFirst };
    }
    return early;
  }

  #named(turnId: number): readonly Prompt[] {
    const prompt = this.#waiting.find(turnId, idOf);
    return prompt === undefined ? [] : [prompt];
  }

  /** Cancels the turns before one in line, but not the prompts that nobody has started yet; returns how many. */
  supersede(by: Prompt, reason: CancelReason): number {
    const before = this.#inLineBefore(by);
    for (const prompt of before) prompt.stop = stoppedToken(reason);
    return before.length;
  }

  /** The same for a turn that may be refused until it starts: each of the others is asked when it is to start itself. */
  supersedeLater(by: Prompt, reason: CancelReason): void {
    for (const prompt of this.#inLineBefore(by)) (prompt.successors ??= []).push({ prompt: by, reason });
  }

  /** The turn that takes the place of one that is to start, if there is one: it waits, and was not stopped itself. */
  successorOf(prompt: Prompt): Successor | undefined {
    const { successors } = prompt;
    if (successors === undefined || this.stopOf(prompt) !== undefined) return undefined;
    return successors.find(({ prompt: by }) => !hasStarted(by) && this.stopOf(by) === undefined);
  }

  /** Tokens of turns in line that were cancelled: nobody has told of it yet. */
  get cancelledOutside(): readonly Token[] {
    return this.#waiting.list().flatMap(({ outside }) => (outside?.isCancelled === true ? outside : []));
  }

  #inLineBefore(by: Prompt): readonly Prompt[] {
    return this.#waiting
      .list()
      .filter((prompt) => prompt.isClaimed && prompt !== by && this.stopOf(prompt) === undefined);
  }

  /** It waits no more, and holds nothing of what it waited with. */
  #takeOut(prompt: Prompt): void {
    prompt.owner = undefined;
    prompt.outside = undefined;
    prompt.successors = undefined;
    this.#waiting.ended();
  }

  /** What stopped it first: a cancel of the prompt, or what the turn will hang on, which it hears of only when it starts. */
  stopOf({ stop, outside }: Prompt): CancelReason | undefined {
    return stop?.reason ?? outside?.reason ?? this.#reasonAbove();
  }

  /** Gives up on everything that nobody will start any more. */
  drain(): readonly { readonly id: number; readonly cancelled: CancelReason | undefined }[] {
    this.toCome?.close();
    return this.#waiting.list().map((prompt) => {
      const left = { id: prompt.id, cancelled: this.stopOf(prompt) };
      this.#takeOut(prompt);
      return left;
    });
  }
}
