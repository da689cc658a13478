/**
 * Prompts that exist and have not started, and the order in which turns may start.
 * In the interrupt room below the controller: turn identity is an accept sequence and what was cancelled of it.
 *
 * Invariants: ids rise from 1; a ticket starts at most one turn; a cancel sticks to every ticket that was waiting when
 * it came, and to no later one.
 *
 * @module
 */
import { show } from '../foundation/check.ts';
import type { CancelReason } from '../foundation/reason.ts';
import type { TurnTicket } from './turn-report.ts';

class Ticket implements TurnTicket {
  readonly id: number;
  cancelled: CancelReason | undefined;

  constructor(id: number) {
    this.id = id;
  }
}

/** The accepted turns of one controller. */
export class AcceptedTurns {
  readonly #waiting = new Set<Ticket>();
  #lastId = 0;

  accept(): Ticket {
    const ticket = new Ticket(++this.#lastId);
    this.#waiting.add(ticket);
    return ticket;
  }

  /**
   * Checks that a ticket is ours and unused.
   *
   * @throws TypeError – it is not.
   */
  require(ticket: TurnTicket): void {
    if (this.#find(ticket) === undefined) {
      throw new TypeError(`the ticket was used already or is not of this controller, got ${show(ticket)}`);
    }
  }

  #find(ticket: TurnTicket): Ticket | undefined {
    for (const waiting of this.#waiting) if (waiting === ticket) return waiting;
    return undefined;
  }

  /** Takes a ticket out, and with it the cancel that came early. */
  use(ticket: TurnTicket): CancelReason | undefined {
    const found = this.#find(ticket);
    if (found === undefined) return undefined;
    this.#waiting.delete(found);
    return found.cancelled;
  }

  /** Cancels what waits: everything, or one turn. First reason wins. Returns the last id it concerned. */
  cancel(reason: CancelReason, turnId?: number): number | undefined {
    let concerned: number | undefined;
    for (const ticket of this.#waiting) {
      if (turnId !== undefined && ticket.id !== turnId) continue;
      ticket.cancelled ??= reason;
      concerned = ticket.id;
    }
    return concerned;
  }

  /** Gives up on everything that waits. */
  drain(): readonly TurnTicket[] {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    return waiting;
  }
}
