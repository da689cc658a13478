/**
 * What people hold of an agent: its documented members and nothing else, each function bound.
 *
 * @module
 */
import { asyncDisposeKey } from '../foundation/disposable.ts';
import { show } from '../foundation/check.ts';
import { reasonFromJSON, reasonToJSON } from '../foundation/reason-json.ts';
import type { CancelReason, CancelReasonLike } from '../foundation/reason.ts';
import type { CancelContext } from '../combinators/engine/work-context.ts';
import type { Registration } from '../token/tree/listeners.ts';
import type { CancellationToken } from '../token/cancellation-token.ts';
import { Agent, type AgentMakers } from './agent/agent.ts';
import { AgentTurns } from './agent/agent-turns.ts';
import { sendToBackground } from './background/background.ts';
import { SubagentLink, type CallOfSubagent } from './agent/subagents.ts';
import type { InterruptState } from './machine.ts';
import { stopAll, stopCall, stopTurns } from './stops/stop-request.ts';
import type {
  AgentSnapshot,
  Background,
  BackgroundOptions,
  Interruption,
  InterruptControllerOptions,
  RunTurnOptions,
  SubagentOptions,
  TurnTicket,
} from './public-types/agent-options.ts';
import type { Turn } from './public-types/turn.ts';
import type { TurnReport } from './public-types/turn-report.ts';
import type { EventOptions, InterruptEvent } from './public-types/events.ts';
import type { LateToolOutcome } from './public-types/outcomes.ts';
import type { Delivery, Interjection } from './public-types/messages.ts';
import type { StopReceipt, StopReport } from './public-types/stop-report.ts';

/**
 * One agent that can be told to stop, or told something new, while it works. Every function is bound:
 * `process.on('SIGINT', () => agent.cancel())` and `button.onclick = agent.cancel` both work. `M` is the type of the
 * messages that people send it.
 *
 * @since 0.1.0
 */
export interface InterruptController<M = string> {
  readonly name: string;
  /** Tells instances apart that share a name. */
  readonly instanceId: string;
  readonly state: InterruptState;
  /** Now: set by the interrupt, cleared when the turn ends, or when the message was delivered. */
  readonly interrupted: boolean;
  /** The last turn was cancelled, and the model has not been told yet. */
  readonly wasInterrupted: boolean;
  /** What is going on, while `interrupted`. */
  readonly interruption: Interruption | undefined;
  /** The agent's token: everything of it hangs here. Not for a request or a tool: a cancel of the turn does not end it. */
  readonly lifetime: CancellationToken;
  /** The report of the last stop. */
  readonly lastReport: StopReport | undefined;
  /** What was sent and is neither delivered nor given back. */
  readonly queued: readonly Interjection<M>[];
  /** The reason of the last cancelled turn, once: for the note that tells the model. */
  readonly consumeWasInterrupted: () => CancelReason | undefined;
  /** What became of calls that were `unknown` or `detached` and have ended since, each once; `lateNote` words them. */
  readonly takeLateOutcomes: () => readonly LateToolOutcome[];
  /** What has to be remembered over a restart: `wasInterrupted` and the late outcomes. */
  readonly snapshot: () => AgentSnapshot;
  /**
   * Takes over what another process remembered.
   *
   * @throws TypeError – not a snapshot.
   */
  readonly restore: (snapshot: AgentSnapshot) => void;
  /** A prompt exists from here on: a cancel before `runTurn` sticks to it. */
  readonly accept: () => TurnTicket;
  /**
   * Runs one turn. Rejects only for misuse: what happens to the turn is in the report.
   *
   * @checkpoint always, before: a turn that was cancelled early runs nothing
   * @throws TypeError – as a rejection: a ticket used twice or of another controller, a turn running (`reject`), a
   * closed controller. CancelledError – as a rejection: an automatic turn after a person's stop, with its reason.
   */
  readonly runTurn: <T>(
    body: (turn: Turn<M>) => T | PromiseLike<T>,
    options?: RunTurnOptions,
  ) => Promise<TurnReport<T, M>>;
  /**
   * Asks the running turn, and every accepted one, to stop. Background work goes on. While nothing runs and nothing is
   * accepted it does nothing. Repeated, it answers with the same report, until another turn starts or something that the
   * report names ends.
   *
   * Never throws: what is no reason cancels with kind `unknown` and the value as `cause`, and is reported as misuse.
   *
   * @param reason Kind `user`, "User cancelled" if you do not say; `unknown` on a sub-agent.
   */
  readonly cancel: (reason?: CancelReasonLike) => StopReceipt;
  /** Stops one call, here or in a sub-agent, and nothing beside it. */
  readonly cancelCall: (callId: string, reason?: CancelReasonLike) => StopReceipt;
  /** Stops everything that runs now: turns, background work, detached sub-agents. Later turns are accepted. */
  readonly cancelAll: (reason?: CancelReasonLike) => StopReceipt;
  /**
   * The forceful rung: graces end now, and what earlier stops gave up is told by `onKilled`. With `all`, everything that
   * `cancelAll` reaches.
   */
  readonly kill: (reason?: CancelReasonLike, options?: { readonly all?: boolean | undefined }) => StopReceipt;
  /** Hands a message to the running turn: the innermost one, if sub-agents work. After a cancel it is refused. */
  readonly interject: (message: M, options?: { readonly delivery?: Delivery | undefined }) => Interjection<M>;
  /**
   * Runs work beside the turns: a cancel spares it, and `cancelAll`, `close` and a drain wait for it or name it.
   *
   * @throws TypeError, RangeError – not a function, an option that makes no sense, a closed controller.
   */
  readonly background: <R>(
    name: string,
    work: (context: CancelContext) => R | PromiseLike<R>,
    options?: BackgroundOptions,
  ) => Background<R>;
  /**
   * Sends a running call to the background, if its tool said `canDetach`: the call is answered `detached` now, and its
   * work goes on under the same signal. After a stop of its turn it is stopped with the turn. That of a sub-agent belongs to
   * the nearest agent that outlives it.
   *
   * @returns Whether there was such a call, and no stop of it came first.
   */
  readonly sendToBackground: (callId: string) => boolean;
  /** A sub-agent of this one. */
  readonly child: (name: string, options?: SubagentOptions) => InterruptController<M>;
  /**
   * Calls `fn` with everything that happens here and in sub-agents, synchronously and in order; the way of each
   * operation only with `operations: true`.
   */
  readonly onEvent: (fn: (event: InterruptEvent) => void, options?: EventOptions) => Registration;
  /** Stops everything, with kind `shutdown` if you do not say, and takes no more turns. */
  readonly close: (reason?: CancelReasonLike) => Promise<StopReport>;
  /** `close()`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Every function is made and bound when it is first read, so that an agent nobody talks to costs nothing. */
class Handle implements InterruptController<unknown> {
  static readonly disposable: unknown = /* @__PURE__ */ setUp(Handle);

  readonly #agent: Agent;
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  constructor(options: InterruptControllerOptions = {}, link?: SubagentLink<Agent>) {
    this.#agent = new Agent(options, link, makers);
  }

  static agentOf(controller: object): Agent | undefined {
    return #agent in controller ? controller.#agent : undefined;
  }

  #keep<K extends keyof InterruptController<unknown>>(
    name: K,
    value: InterruptController<unknown>[K],
  ): InterruptController<unknown>[K] {
    Object.defineProperty(this, name, { value, writable: true, configurable: true });
    return value;
  }

  get name(): string {
    return this.#agent.name;
  }

  get instanceId(): string {
    return this.#agent.events.instanceId;
  }

  get state(): InterruptState {
    return this.#agent.status.state;
  }

  get interrupted(): boolean {
    return this.#agent.status.interrupted;
  }

  get wasInterrupted(): boolean {
    return this.#agent.status.wasInterrupted;
  }

  get interruption(): Interruption | undefined {
    return this.#agent.status.interruption;
  }

  get lifetime(): CancellationToken {
    return this.#agent.lifetime.token;
  }

  get lastReport(): StopReport | undefined {
    return this.#agent.lastReport;
  }

  get queued(): readonly Interjection[] {
    return this.#agent.messages.queued;
  }

  get consumeWasInterrupted(): InterruptController['consumeWasInterrupted'] {
    return this.#keep('consumeWasInterrupted', () => this.#agent.status.consumeWasInterrupted());
  }

  get takeLateOutcomes(): InterruptController['takeLateOutcomes'] {
    return this.#keep('takeLateOutcomes', () => this.#agent.lateOutcomes.take());
  }

  get snapshot(): InterruptController['snapshot'] {
    return this.#keep('snapshot', () => snapshotOf(this.#agent));
  }

  get restore(): InterruptController['restore'] {
    return this.#keep('restore', (snapshot) => {
      restoreTo(this.#agent, snapshot);
    });
  }

  get accept(): InterruptController['accept'] {
    return this.#keep('accept', () => this.#agent.turns.accept());
  }

  get runTurn(): InterruptController<unknown>['runTurn'] {
    return this.#keep('runTurn', (body, options) => this.#agent.turns.run(body, options));
  }

  get cancel(): InterruptController['cancel'] {
    return this.#keep('cancel', (reason) => stopTurns(this.#agent, 'cancel', this.#agent.reasonOf(reason)));
  }

  get cancelCall(): InterruptController['cancelCall'] {
    return this.#keep('cancelCall', (callId, reason) =>
      stopCall(this.#agent, callId, this.#agent.reasonOf(reason, undefined, 'cancelCall')),
    );
  }

  get cancelAll(): InterruptController['cancelAll'] {
    return this.#keep('cancelAll', (reason) =>
      stopAll(this.#agent, 'cancel', this.#agent.reasonOf(reason, undefined, 'all')),
    );
  }

  get kill(): InterruptController['kill'] {
    return this.#keep('kill', (reason, options) => kill(this.#agent, reason, options?.all === true));
  }

  get interject(): InterruptController<unknown>['interject'] {
    return this.#keep('interject', (message, options) => this.#agent.messages.interject(message, options));
  }

  get background(): InterruptController['background'] {
    return this.#keep('background', (name, work, options = {}) =>
      this.#agent.outliving.background.start(name, work, options),
    );
  }

  get sendToBackground(): InterruptController['sendToBackground'] {
    return this.#keep('sendToBackground', (callId) => sendToBackground(this.#agent, callId));
  }

  get child(): InterruptController<unknown>['child'] {
    return this.#keep('child', (name, options) => this.#agent.subagent(undefined, name, options));
  }

  get onEvent(): InterruptController['onEvent'] {
    return this.#keep('onEvent', (fn, options) => this.#agent.events.on(fn, options));
  }

  get close(): InterruptController['close'] {
    return this.#keep('close', (reason) => close(this.#agent, reason));
  }
}

/** The agent behind a controller of this copy of the package. */
export function agentOf(controller: object): Agent | undefined {
  return Handle.agentOf(controller);
}

/** The member with a computed key, as part of the class: in its body it would keep all of this in every bundle. */
function setUp(type: typeof Handle): typeof Handle {
  Object.defineProperty(type.prototype, asyncDisposeKey, {
    get(this: Handle) {
      const { close } = this;
      return async () => {
        await close();
      };
    },
    configurable: true,
  });
  return type;
}

/** A sub-agent, beside the agent's turns or on one of its calls. */
function subagentOf(
  parent: Agent,
  call: CallOfSubagent | undefined,
  name: string,
  options: SubagentOptions | undefined,
): InterruptController<unknown> {
  const link = new SubagentLink(parent, call, options);
  return new Handle({ name, graceMs: parent.graceMs, clock: parent.clock }, link);
}

const makers: AgentMakers = { turnsOf: (agent) => new AgentTurns(agent), subagentOf };

function kill(agent: Agent, input: CancelReasonLike | undefined, all: boolean): StopReceipt {
  const reason = agent.reasonOf(input, undefined, all ? 'all' : 'kill');
  const receipt = all ? stopAll(agent, 'kill', reason) : stopTurns(agent, 'kill', reason);
  // After the turns have it written down: one of a sub-agent would take the reason of an earlier stop for that of the kill.
  const isNew = agent.stillRunning.kill(reason, all);
  if (!isNew || receipt.accepted) return receipt;
  agent.events.announce('kill', reason);
  return { ...receipt, accepted: true };
}

async function close(agent: Agent, input: CancelReasonLike | undefined): Promise<StopReport> {
  const reason = agent.reasonOf(input, 'shutdown', 'all');
  agent.turns.refuse();
  agent.lifetime.close();
  const [report] = await Promise.all([stopAll(agent, 'cancel', reason).settled, agent.whenEmpty()]);
  agent.messages.close();
  agent.turns.drain(reason);
  return report;
}

function snapshotOf({ status, lateOutcomes }: Agent): AgentSnapshot {
  const untold = status.untold;
  const late = lateOutcomes.toJSON();
  return {
    version: 1,
    ...(untold === undefined ? {} : { wasInterrupted: reasonToJSON(untold) }),
    ...(late.length === 0 ? {} : { late }),
  };
}

function restoreTo({ status, lateOutcomes }: Agent, snapshot: AgentSnapshot): void {
  // Read from a disk, it may be anything.
  const { version, wasInterrupted, late } = (snapshot as Partial<AgentSnapshot> | null) ?? {};
  if (version !== 1) throw new TypeError(`not a snapshot of an agent: ${show(snapshot)}`);
  const reason = wasInterrupted === undefined ? undefined : reasonFromJSON(wasInterrupted);
  if (late !== undefined) lateOutcomes.restore(late);
  if (reason !== undefined) status.endCancelled(reason);
}

/**
 * One agent that can be told to stop, or told something new, while it works.
 *
 * @example Stop a turn and see that nothing started afterwards
 * ```ts
 * import { InterruptController } from 'desist'
 *
 * const agent = new InterruptController({ name: 'main' })
 * const turn = agent.runTurn(async ({ model, tools }) => {
 *   await model(async () => 'call the tool')
 *   agent.cancel()
 *   return tools([{ id: 'c1', name: 'write_file' }], () => 'never runs')
 * })
 * const report = await turn
 * report.status // => 'cancelled'
 * report.calls[0]?.status // => 'not-started'
 * agent.wasInterrupted // => true
 * ```
 * @throws TypeError, RangeError – an option that makes no sense.
 * @cleanup `close()`, or `await using`.
 * @source hand-made interrupt managers of coding agents; ACP's `session/cancel`
 * @class
 * @since 0.1.0
 */
export const InterruptController: {
  /** Makes the controller of one agent. */
  new <M = string>(options?: InterruptControllerOptions): InterruptController<M>;
  readonly prototype: InterruptController;
} = Handle as never;
