/**
 * Work of an agent beside its turns: started there by `background`, or sent there while a call of a turn was running.
 * It hangs on the agent's lifetime: a cancel of the turn spares it, and everything that stops the whole agent waits for
 * it or names it.
 *
 * @module
 */
import { Work } from '../../combinators/engine/work.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { CancelReason, CancelReasonLike } from '../../foundation/reason.ts';
import type { CancelContext } from '../../combinators/engine/work-context.ts';
import type { LateOutcome, Outcome } from '../../combinators/outcome.ts';
import {
  requireFunction,
  requireMs,
  requireName,
  requireOptions,
  type OptionNames,
  show,
} from '../../foundation/check.ts';
import { Source } from '../../token/source.ts';
import { cancelIfOverdue } from '../../token/time/overdue.ts';
import { childOf, type Token } from '../../token/token.ts';
import { listen, type Registration } from '../../token/tree/listeners.ts';
import { createOperation, type Operation } from '../ledger/operation-list.ts';
import type { BackgroundOfCall, OpenToolCall, OpenWork } from '../calls/turn-of-calls.ts';
import type { CompactingList } from '../ledger/compacting-list.ts';
import type { Background, BackgroundOptions } from '../public-types/agent-options.ts';
import { runAmbient } from '../turn/ambient-token.ts';
import type { UnstartedTurns } from '../turn/waiting/unstarted-turns.ts';
import type { InterruptEventBody } from '../public-types/events.ts';
import type { LateOutcomes } from '../ledger/late-outcomes.ts';
import type { Lifetime } from '../agent/lifetime.ts';
import type { StillRunning } from '../ledger/still-running.ts';
import { openCallsOf } from '../agent/subagents.ts';

const optionNames: OptionNames<BackgroundOptions> = { graceMs: 1, timeoutMs: 1 };

/** The agent that background work belongs to. */
interface AgentOfBackground {
  readonly name: string;
  readonly graceMs: number;
  readonly clock: Clock;
  readonly lifetime: Lifetime;
  readonly stillRunning: StillRunning;
  readonly lateOutcomes: LateOutcomes;
  readonly background: { remove(entry: BackgroundEntry): void };
  readonly turns: { readonly isClosed: boolean };
  readonly accepted: Pick<UnstartedTurns, 'stopToCome' | 'endedBy'>;
  emit(event: InterruptEventBody): void;
  /** Its token was cancelled, and perhaps no turn is there to say so. */
  lifetimeEnded(reason: CancelReason): void;
  reasonOf(input: CancelReasonLike | undefined, kind: CancelReason['kind']): CancelReason;
  /** Background work has begun or ended. */
  backgroundChanged(): void;
  /** It has ended by a stop. */
  onCut(stopped: Token): void;
}

/** A call that was sent there, and the turn that it was part of. */
interface SentCall {
  readonly call: OpenToolCall;
  readonly run: { readonly id: number };
  readonly agent: Pick<AgentOfBackground, 'emit'>;
}

/** One piece while it runs. */
export class BackgroundEntry implements BackgroundOfCall {
  readonly id: string;
  readonly name: string;
  readonly source: Source;
  readonly operation: Operation;
  /** Resolves when it has ended or was given up. */
  readonly whenEnded: Promise<void>;
  readonly #agent: AgentOfBackground;
  readonly #sent: SentCall | undefined;
  /** Hears of a stop that came by the agent's own token: no turn may be there to announce it. */
  readonly #onLifetimeEnded: Registration;
  #resolve: () => void = () => undefined;

  constructor(agent: AgentOfBackground, id: string, name: string, source: Source, sent?: SentCall) {
    this.#agent = agent;
    this.id = id;
    this.name = name;
    this.source = source;
    this.#sent = sent;
    this.operation = createOperation('background', name, agent.name);
    this.whenEnded = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#onLifetimeEnded = listen(agent.lifetime.token, (reason) => {
      agent.lifetimeEnded(reason);
    });
  }

  /** It ends, and something that it started goes on: later stops of everything name that. */
  leftBehind(operation: Operation): void {
    operation.outcome = 'abandoned';
    this.#agent.stillRunning.add(operation, this.source);
  }

  /** It has ended, or was given up. */
  ended(outcome: Outcome<unknown>): void {
    const { id, name, operation } = this;
    const { status } = outcome;
    this.#onLifetimeEnded.unregister();
    operation.outcome = status;
    operation.endedAt = this.#agent.clock.now();
    if (outcome.status === 'abandoned') this.#agent.stillRunning.add(operation, this.source);
    else this.#told(outcome);
    if ('reason' in outcome && outcome.reason !== this.#agent.accepted.endedBy) this.#agent.onCut(this.source.token);
    this.#agent.background.remove(this);
    this.#agent.emit({ type: 'background-ended', id, name, status });
    this.#resolve();
  }

  /** It had been given up, and has ended after all. */
  endedLate(outcome: LateOutcome<unknown>): void {
    this.#agent.stillRunning.ended(this.operation);
    this.#told(outcome);
    const { status } = outcome;
    // The turn is the call's, and so is the agent.
    const agent = this.#sent?.agent ?? this.#agent;
    agent.emit({ type: 'late-settled', turnId: this.#sent?.run.id, name: this.name, status });
  }

  /** The model was answered without it, and is to be told. */
  #told(outcome: LateOutcome<unknown>): void {
    const sent = this.#sent;
    if (sent !== undefined) this.#agent.lateOutcomes.add(sent.call, sent.run.id, 'detached', outcome);
  }
}

/** All background work of one agent. */
export class BackgroundWork {
  readonly #agent: AgentOfBackground;
  readonly #entries = new Set<BackgroundEntry>();
  #count = 0;

  constructor(agent: AgentOfBackground) {
    this.#agent = agent;
  }

  /** What runs now. */
  list(): readonly BackgroundEntry[] {
    return [...this.#entries];
  }

  /** Starts work beside the turns. */
  start<R>(
    name: string,
    work: (context: CancelContext) => R | PromiseLike<R>,
    options: BackgroundOptions,
  ): Background<R> {
    const agent = this.#agent;
    requireName('name', name);
    requireFunction('work', work);
    requireOptions(options, optionNames);
    const graceMs = requireMs('graceMs', options.graceMs ?? agent.graceMs, 'infinity-allowed');
    const timeoutMs = requireMs('timeoutMs', options.timeoutMs ?? Infinity, 'infinity-allowed');
    const { token } = agent.lifetime;
    if (agent.turns.isClosed || token.isCancelled) throw new TypeError(`the controller ${show(agent.name)} is closed`);
    const source = new Source(childOf(token), timeoutMs === Infinity ? { name } : { name, timeoutMs });
    const entry = this.#add(new BackgroundEntry(agent, this.#nextId(), name, source));
    this.#sayStarted(entry);
    const early = agent.accepted.stopToCome();
    if (early !== undefined) source.cancel(early);
    else cancelIfOverdue(source.token);
    const outcome = new Promise<Outcome<R>>((resolve) => {
      const run = new Work<R>(source, {
        settings: { graceMs },
        name,
        done: (ended) => {
          entry.ended(ended);
          resolve(ended);
        },
        endedLate: (late) => {
          entry.endedLate(late);
        },
      });
      // Started in a turn, it is no part of that.
      run.run((context) => runAmbient(source.token, () => work(context)));
    });
    return { id: entry.id, name, outcome, cancel: (reason) => source.cancel(agent.reasonOf(reason, 'unknown')) };
  }

  /**
   * Takes a running call out of its turn, says so, and then answers the call: who hears of it may stop either, so that it
   * is part of the background before.
   */
  adopt(sent: SentCall, announce: () => void): void {
    const { call } = sent;
    const entry = this.#add(new BackgroundEntry(this.#agent, call.id, call.name, call.source, sent));
    call.leaveTurn(entry);
    announce();
    this.#sayStarted(entry);
    call.answerDetached();
  }

  remove(entry: BackgroundEntry): void {
    this.#entries.delete(entry);
    this.#agent.backgroundChanged();
  }

  #nextId(): string {
    return `background-${String(++this.#count)}`;
  }

  #add(entry: BackgroundEntry): BackgroundEntry {
    this.#entries.add(entry);
    this.#agent.backgroundChanged();
    return entry;
  }

  #sayStarted({ id, name }: BackgroundEntry): void {
    this.#agent.emit({ type: 'background-started', id, name });
  }
}

/** An agent whose calls may be sent there, and the sub-agents below it. */
interface SendingAgent {
  readonly current: SendingTurn | undefined;
  readonly working: Iterable<SendingAgent>;
  readonly link:
    | { readonly call: object | undefined; detach(child: { readonly current: { detach(): void } | undefined }): void }
    | undefined;
  readonly outliving: { readonly background: BackgroundWork };
  emit(event: InterruptEventBody): void;
}

/** Its running turn. */
interface SendingTurn {
  readonly id: number;
  detach(): void;
  readonly open: CompactingList<OpenWork>;
}

/** Sends a running call, here or below, to the background of the nearest agent that outlives it. */
export function sendToBackground(agent: SendingAgent, callId: string): boolean {
  const found = openCallsOf(agent, callId);
  const call = found?.calls.find(({ canDetach }) => canDetach);
  if (found === undefined || call === undefined) return false;
  const { run, agent: owner } = found;
  for (const child of owner.working) if (child.link?.call === call) child.link.detach(child);
  owner.outliving.background.adopt({ call, run, agent: owner }, () => {
    owner.emit({ type: 'call-detached', turnId: run.id, callId, name: call.name });
  });
  return true;
}
