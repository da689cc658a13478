/**
 * One agent and its parts: what its turns, its messages, its background work and its sub-agents have in common.
 *
 * Invariant: a stop reaches the turns accepted before it and no later one; whoever waits for the agent waits for
 * everything that hangs on it.
 *
 * Prior art: the hand-made interrupt managers of coding agents, and the gaps they share.
 *
 * @module
 */
import { DEFAULT_GRACE_MS } from '../../combinators/engine/grace.ts';
import { requireMs, requireName, requireOneOf, requireOptions, type OptionNames } from '../../foundation/check.ts';
import type { Clock } from '../../foundation/clock.ts';
import { createReason, type CancelReason, type CancelReasonLike } from '../../foundation/reason.ts';
import { tokenOf } from '../../token/bridge/linked-tokens.ts';
import type { Token } from '../../token/token.ts';
import { clockOf, reportCallbackError } from '../../token/tree/environment.ts';
import type { AgentTurns } from './agent-turns.ts';
import { BackgroundWork } from '../background/background.ts';
import { readCancelArgument, type StopVerb } from '../stops/cancel-argument.ts';
import { EventHub } from '../events/event-hub.ts';
import { LateOutcomes } from '../ledger/late-outcomes.ts';
import { Lifetime } from './lifetime.ts';
import { StillRunning } from '../ledger/still-running.ts';
import type { CallOfSubagent, SubagentLink } from './subagents.ts';
import type { Operation } from '../ledger/operation-list.ts';
import { AgentMessages } from '../messages/agent-messages.ts';
import type { InterruptControllerOptions, SubagentOptions } from '../public-types/agent-options.ts';
import type { Controller } from '../public-types/controller.ts';
import type { InterruptEventBody } from '../public-types/events.ts';
import type { StopReceipt, StopReport } from '../public-types/stop-report.ts';
import { AgentStatus } from './agent-status.ts';
import { stopTurns, type AimedAgent } from '../stops/stop-request.ts';
import { hearStop } from '../stops/stop-turn.ts';
import type { TurnRun } from '../turn/turn-run.ts';
import { UnstartedTurns } from '../turn/waiting/unstarted-turns.ts';

/** What stands above the agent and is made there. */
export interface AgentMakers {
  readonly turnsOf: (agent: Agent) => AgentTurns;
  /** Makes what people hold of a sub-agent, beside the turns of an agent or on one of its calls. */
  readonly subagentOf: (
    parent: Agent,
    call: CallOfSubagent | undefined,
    name: string,
    options: SubagentOptions | undefined,
  ) => Controller<unknown>;
}

const undeliveredPolicies = ['return', 'keep', 'drop'] as const;

const optionNames: OptionNames<InterruptControllerOptions> = {
  name: 1,
  token: 1,
  undelivered: 1,
  graceMs: 1,
  clock: 1,
};

const NOBODY: ReadonlySet<Agent> = new Set();

/** An agent and its parts. */
export class Agent {
  readonly name: string;
  readonly graceMs: number;
  readonly clock: Clock;
  readonly link: SubagentLink<Agent> | undefined;
  readonly status: AgentStatus = new AgentStatus();
  readonly events: EventHub;
  readonly lifetime: Lifetime;
  readonly accepted: UnstartedTurns;
  readonly messages: AgentMessages;
  readonly stillRunning: StillRunning;
  #earlyReports: AimedAgent['earlyReports'] | undefined;
  #working: Set<Agent> | undefined;
  #busyBeside: Set<Agent> | undefined;
  readonly turns: AgentTurns;
  /** Told of what a stop has ended, here or below: turns that are part of no other, and background work. */
  onCut = (stopped: Token): void => this.link?.parent.onCut(stopped);
  readonly #outside: Token;
  #background: BackgroundWork | undefined;
  #lateOutcomes: LateOutcomes | undefined;

  readonly #makers: AgentMakers;

  constructor(options: InterruptControllerOptions, link: SubagentLink<Agent> | undefined, makers: AgentMakers) {
    requireOptions(options, optionNames);
    const { graceMs = DEFAULT_GRACE_MS, clock, undelivered = 'return' } = options;
    const { name = 'agent' } = options;
    requireName('name', name);
    const outside = tokenOf(options.token);
    this.name = name;
    this.graceMs = requireMs('graceMs', graceMs, 'infinity-allowed');
    this.clock = clock ?? clockOf(outside);
    this.link = link;
    this.#makers = makers;
    this.turns = makers.turnsOf(this);
    this.#outside = outside;
    this.lifetime = new Lifetime(() => link?.above ?? outside, {
      name,
      clock: this.clock,
      onCallbackError: (error) => {
        if (this.current === undefined) this.report(error);
        else this.current.callbackThrew(error);
      },
    });
    this.stillRunning = new StillRunning(link?.parent.stillRunning, link?.isAttached === false);
    this.events = new EventHub(name, link?.parent.events, this.clock, (error) => {
      if (this.current?.stop !== undefined) this.current.callbackThrew(error);
      else this.report(error);
    });
    this.messages = new AgentMessages(this, requireOneOf('undelivered', undelivered, undeliveredPolicies));
    this.accepted = new UnstartedTurns(
      (turnId, reason) => stopTurns(this, 'cancel', this.reasonOf(reason), turnId),
      () => this.lifetime.token.reason,
      () => link?.endedBy,
    );
  }

  /** The sub-agents that work, or have somebody working below them, the latest last. */
  get working(): ReadonlySet<Agent> {
    return this.#working ?? NOBODY;
  }

  /** The sub-agents that have background work, or somebody below them has. */
  get busyBeside(): ReadonlySet<Agent> {
    return this.#busyBeside ?? NOBODY;
  }

  /** The running turn. */
  get current(): TurnRun | undefined {
    return this.turns.current;
  }

  get lastReport(): StopReport | undefined {
    return this.turns.lastReport;
  }

  get background(): BackgroundWork {
    return (this.#background ??= new BackgroundWork(this));
  }

  get lateOutcomes(): LateOutcomes {
    return (this.#lateOutcomes ??= new LateOutcomes(this.clock));
  }

  /** The nearest agent upwards, this one included, that does not end with a call: background work belongs to it. */
  get outliving(): Agent {
    const { link } = this;
    return link?.call === undefined ? this : link.parent.outliving;
  }

  /** The reports of stops that came before their turn. */
  get earlyReports(): AimedAgent['earlyReports'] {
    return (this.#earlyReports ??= new WeakMap());
  }

  /** Misuse, and what a listener threw while no turn could tell it in its report. */
  report(error: unknown): void {
    reportCallbackError(this.link?.parent.lifetime.token ?? this.#outside, error);
  }

  emit(event: InterruptEventBody): void {
    this.events.emit(event);
  }

  readonly #misused = (error: unknown): void => {
    this.report(error);
  };

  /** The reason of a stop, with this agent's defaults; what makes no sense is reported, and stops all the same. */
  reasonOf(
    input: CancelReasonLike | undefined,
    kind: CancelReason['kind'] = this.link === undefined ? 'user' : 'unknown',
    verb?: StopVerb,
  ): CancelReason {
    const defaults = { kind, source: this.name, at: this.clock.now() };
    const reason = readCancelArgument(input, defaults, this.#misused, verb);
    // One that was used before: this is another stop, which listeners are to hear of, too.
    return this.events.hasAnnounced('cancel', reason) ? createReason({ ...reason, cause: reason.cause }) : reason;
  }

  /** The token of all work was cancelled, and perhaps no turn is there to say so. */
  lifetimeEnded(reason: CancelReason): void {
    // A turn above is about to hear of it, and says it.
    for (const agent of this.#chain) if (agent.current !== undefined) hearStop(agent.current);
    this.events.announce('cancel', reason);
  }

  /**
   * A person's stop of this agent, or of one that it works for, if they have said nothing to any of them since. Of those
   * beside whose turns it lives, a stop of everything.
   */
  get stoppedByPerson(): CancelReason | undefined {
    return this.#stoppedByPerson(false, 0);
  }

  /** The same, of stops of everything: those that live beside its turns wait for that, too. */
  get allStoppedByPerson(): CancelReason | undefined {
    return this.#stoppedByPerson(true, 0);
  }

  #stoppedByPerson(isOfAll: boolean, before: number): CancelReason | undefined {
    const agents = this.#worksFor;
    const spokeAt = Math.max(before, ...agents.map(({ status }) => status.spokeAt));
    for (const { status } of agents) {
      const reason = status.stoppedByPerson(isOfAll, spokeAt);
      if (reason !== undefined) return reason;
    }
    const { link } = agents.at(-1) ?? this;
    return link === undefined ? undefined : link.parent.#stoppedByPerson(true, spokeAt);
  }

  /** This agent, and those that it works for. */
  get #worksFor(): readonly Agent[] {
    return this.link?.isAttached === true ? [this, ...this.link.parent.#worksFor] : [this];
  }

  /** From the outermost agent to this one. */
  get #chain(): readonly Agent[] {
    return this.link === undefined ? [this] : [...this.link.parent.#chain, this];
  }

  /** Says that a stop goes on to a sub-agent. */
  propagated(child: Agent, reason: CancelReason): void {
    this.emit({ type: 'interrupt-propagated', child: child.name, childId: child.events.instanceId, reason });
  }

  /** Says of the turns that are part of this one that its stop goes on to them. */
  stopGoesOn(run: object, reason: CancelReason): void {
    for (const child of this.working)
      if (child.link?.run === run && child.current !== undefined) this.propagated(child, reason);
  }

  /** The turn's budget is used up, and nothing of it runs any more. */
  endTurn({ id }: { readonly id: number }, reason: CancelReason): void {
    stopTurns(this, 'cancel', reason, id);
  }

  /** A stop of the turn by one of its operations, or by its body: the report waits for everybody else. */
  cancelFrom(turn: TurnRun, input: CancelReasonLike | undefined, caller?: Operation): StopReceipt {
    const receipt = stopTurns(this, 'cancel', this.reasonOf(input, 'unknown'), turn.id);
    if (this.current !== turn) return receipt;
    return { ...receipt, settled: turn.settledFor(caller, () => this.messages.returned(turn)) };
  }

  /** A model call ran into its own limit, and is made again or not. */
  timedOut(run: { readonly id: number }, reason: CancelReason, canContinueAfterTimeout: boolean): void {
    this.status.timedOut(reason, canContinueAfterTimeout);
    this.emit({ type: 'model-timed-out', turnId: run.id, reason, canContinueAfterTimeout });
  }

  /** A sub-agent, on a call or beside the turns. */
  subagent(call: CallOfSubagent | undefined, name: string, options: SubagentOptions | undefined): Controller<unknown> {
    return this.#makers.subagentOf(this, call, name, options);
  }

  /** Background work has begun or ended, here or below: the agents above wait for it. */
  backgroundChanged(): void {
    const parent = this.link?.parent;
    if (parent === undefined) return;
    const isBusy = (this.#background?.list().length ?? 0) > 0 || this.busyBeside.size > 0;
    if (isBusy) (parent.#busyBeside ??= new Set()).add(this);
    else parent.#busyBeside?.delete(this);
    parent.backgroundChanged();
  }

  /** A sub-agent works, or somebody below it does. */
  started(child: Agent): void {
    (this.#working ??= new Set()).add(child);
    this.link?.parent.started(this);
  }

  /** It does not any more. */
  ended(child: Agent): void {
    this.#working?.delete(child);
    this.over();
  }

  /** A turn, or a sub-agent, is over: who has nothing to do any more works for nobody. */
  over(): void {
    if (!this.isBusy) this.link?.parent.ended(this);
  }

  /** Whether anything runs or is about to, here or below: between two turns in line it works on, for a stop has to find it. */
  get isBusy(): boolean {
    return this.current !== undefined || this.turns.isWaiting || this.working.size > 0;
  }

  async whenEmpty(): Promise<void> {
    do {
      const background = this.#background?.list() ?? [];
      await Promise.all([
        this.turns.whenEmpty(),
        ...[...this.working, ...this.busyBeside].map((child) => child.whenEmpty()),
        ...background.map(({ whenEnded }) => whenEnded),
      ]);
    } while (this.isBusy || this.busyBeside.size > 0);
  }
}
