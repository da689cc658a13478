/**
 * How a sub-agent hangs on the agent that delegates to it.
 * In the interrupt room below the controller, which it sees through a port.
 *
 * Invariants: a stop from above reaches every attached sub-agent with the same reason object; a stop of the sub-agent
 * alone is known to the parent before the delegating call returns.
 *
 * Prior art: none that tells the parent; that gap is why this file exists.
 *
 * @module
 */
import { requireOneOf } from '../foundation/check.ts';
import type { CancelReason, CancelReasonInit } from '../foundation/reason.ts';
import type { EventHub } from './event-hub.ts';
import type { StopReceipt, SubagentOptions } from './turn-report.ts';
import type { Delivery, Interjection } from './interjections.ts';
import type { OperationOutcome } from './report.ts';
import type { TurnRun } from './turn-run.ts';
import type { RunningCall } from './turn-state.ts';

/** What parent and child see of each other. */
export interface Family {
  readonly name: string;
  readonly events: EventHub;
  readonly link: SubagentLink | undefined;
  readonly current: TurnRun | undefined;
  /** The sub-agents that have a turn running, the latest last. */
  readonly working: Set<Family>;
  stop(run: TurnRun, reason: CancelReason): void;
  cancel(init?: CancelReasonInit | string): StopReceipt;
  interject(message: unknown, options?: { readonly delivery?: Delivery | undefined }): Interjection;
  findCall(callId: string): { readonly call: RunningCall; readonly turnId: number } | undefined;
}

/** One sub-agent's tie to its parent. */
export class SubagentLink {
  readonly parent: Family;
  readonly isAttached: boolean;
  readonly onParentInterject: 'forward' | 'finish' | 'stop';
  readonly #onChildInterrupted: 'propagate' | 'contain';
  readonly #call: RunningCall | undefined;

  constructor(parent: Family, call: RunningCall | undefined, options: SubagentOptions = {}) {
    this.parent = parent;
    this.#call = call;
    this.isAttached = options.detached !== true;
    this.onParentInterject = requireOneOf('onParentInterject', options.onParentInterject ?? 'forward', [
      'forward',
      'finish',
      'stop',
    ]);
    this.#onChildInterrupted = requireOneOf('onChildInterrupted', options.onChildInterrupted ?? 'propagate', [
      'propagate',
      'contain',
    ]);
  }

  /** The parent's turn that a turn of the sub-agent is part of. */
  get parentRun(): TurnRun | undefined {
    return this.isAttached ? this.parent.current : undefined;
  }

  /** A turn of the sub-agent has ended: the parent hears of it before anybody who awaits it. */
  ended(child: Family, run: TurnRun, status: OperationOutcome): void {
    this.parent.working.delete(child);
    run.endRow(status);
    const reason = run.state.token.reason;
    const call = this.#call;
    if (reason === undefined) {
      if (call !== undefined) call.interruptedChild = undefined;
      return;
    }
    const parentRun = this.parentRun;
    const alone = reason !== parentRun?.state.token.reason && reason !== call?.source.token.reason;
    // Whatever the tool makes of it: what its sub-agent was stopped from doing is not done.
    if (call !== undefined) call.interruptedChild = { name: child.name, reason, alone };
    // What came from above is known there; newer work in the sub-agent is its own affair.
    if (!alone || reason.kind === 'superseded') return;
    if (this.#onChildInterrupted === 'propagate' && parentRun !== undefined && reason.kind !== 'interjection') {
      this.parent.stop(parentRun, reason);
    }
  }
}
