/**
 * How a sub-agent hangs on the agent that delegates to it.
 * In the interrupt room below the controller, which it sees through a port.
 *
 * Invariants: a stop from above reaches every sub-agent that works for the stopped turn, with the same reason object; a
 * stop of the sub-agent alone is known to the parent before the delegating call returns.
 *
 * Prior art: none that tells the parent; that gap is why this file exists.
 *
 * @module
 */
import { requireOneOf } from '../foundation/check.ts';
import type { CancelReason, CancelReasonInit } from '../foundation/reason.ts';
import type { Token } from '../token/source.ts';
import type { EventHub } from './event-hub.ts';
import type { Message } from './interjections.ts';
import type { OperationOutcome } from './report.ts';
import type { StopKind } from './stops.ts';
import type { StopReceipt, SubagentOptions } from './turn-report.ts';
import type { TurnRun } from './turn-run.ts';
import type { OpenCall } from './turn-state.ts';

/** What parent and child see of each other. */
export interface Family {
  readonly name: string;
  readonly events: EventHub;
  readonly link: SubagentLink | undefined;
  readonly current: TurnRun | undefined;
  /** The life of now. */
  readonly token: Token;
  /** The sub-agents that work, or have somebody working below them, the latest last. */
  readonly working: Set<Family>;
  /** Resolves when nothing runs or waits for its turn, here or below. */
  whenEmpty(): Promise<void>;
  enter(child: Family): void;
  leave(child: Family): void;
  stop(run: TurnRun, kind: StopKind, reason: CancelReason): boolean;
  cancel(init?: CancelReasonInit | string): StopReceipt;
  /** Takes a message of an agent above. */
  forward(message: Message): void;
}

const parentPolicies = ['forward', 'finish', 'stop'] as const;
const childPolicies = ['propagate', 'contain'] as const;

/** One sub-agent's tie to its parent. */
export class SubagentLink {
  readonly parent: Family;
  readonly isAttached: boolean;
  readonly onParentInterject: (typeof parentPolicies)[number];
  readonly #onChildInterrupted: (typeof childPolicies)[number];
  readonly #call: OpenCall | undefined;
  /** The parent's turn that the running turn of the sub-agent is part of. */
  #run: TurnRun | undefined;

  constructor(parent: Family, call: OpenCall | undefined, options: SubagentOptions = {}) {
    this.parent = parent;
    this.isAttached = options.detached !== true;
    // What lives beside the turn is nothing to the call that started it.
    this.#call = this.isAttached ? call : undefined;
    this.onParentInterject = requireOneOf('onParentInterject', options.onParentInterject ?? 'forward', parentPolicies);
    this.#onChildInterrupted = requireOneOf(
      'onChildInterrupted',
      options.onChildInterrupted ?? 'propagate',
      childPolicies,
    );
  }

  /** What the sub-agent's life hangs on: the call that asked for it, or the parent's life of now. */
  get above(): Token {
    return this.#call?.source.token ?? this.parent.token;
  }

  /** A turn of the sub-agent starts; returns the parent's turn that it is part of. */
  started(child: Family): TurnRun | undefined {
    this.parent.enter(child);
    this.#run = this.isAttached ? this.parent.current : undefined;
    return this.#run;
  }

  /** Whether the sub-agent works for this turn of the parent. */
  worksFor(run: TurnRun): boolean {
    return this.#run === run;
  }

  /** A turn of the sub-agent has ended: the parent hears of it before anybody who awaits it. */
  ended(child: Family, run: TurnRun, outcome: OperationOutcome): void {
    const parentRun = this.#run;
    this.#run = undefined;
    this.#tell(child, run.token.reason, parentRun);
    // After the stop of the parent, whose report has a row for it then.
    run.endRow(outcome);
  }

  #tell(child: Family, reason: CancelReason | undefined, parentRun: TurnRun | undefined): void {
    const call = this.#call;
    if (reason === undefined) {
      call?.interruptedChildren?.delete(child);
      return;
    }
    const alone = reason !== parentRun?.token.reason && reason !== call?.source.token.reason;
    // Whatever the tool makes of it: what its sub-agent was stopped from doing is not done.
    if (call !== undefined) (call.interruptedChildren ??= new Map()).set(child, { name: child.name, reason, alone });
    // What came from above is known there; newer work in the sub-agent is its own affair.
    if (!alone || reason.kind === 'superseded' || reason.kind === 'interjection') return;
    if (this.#onChildInterrupted === 'propagate' && parentRun !== undefined && this.parent.current === parentRun) {
      this.parent.stop(parentRun, 'cancel', reason);
    }
  }
}

/** The sub-agent that works for the running turn; the latest, if several do. */
export function workingFor(agent: Family): Family | undefined {
  const run = agent.current;
  if (run === undefined) return undefined;
  return [...agent.working].reverse().find((child) => child.current !== undefined && child.link?.worksFor(run));
}

/** Every turn that runs, here or below. */
export function busyIn(agent: Family): TurnRun[] {
  const below = [...agent.working].flatMap(busyIn);
  return agent.current === undefined ? below : [agent.current, ...below];
}

/** The open call of that id, here or below. */
export function findCallOf(
  agent: Family,
  callId: string,
): { readonly call: OpenCall; readonly turnId: number } | undefined {
  for (const run of busyIn(agent)) {
    for (const call of run.open.list()) {
      if (call.kind === 'tool' && call.id === callId) return { call, turnId: run.id };
    }
  }
  return undefined;
}
