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
   * @throws TypeError – as a rejection: a ticket used twice or of another controller, a turn running (`reject`; the
   * error has the code `ERR_AGENT_BUSY`), a closed controller. CancelledError – as a rejection: an automatic turn after a person's stop, with its reason.
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
   * @param reason Kind `user`, "User cancelled" if you do not say; `unknown` on a sub-agent, in words that are no kind, and of an error.
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
  /** Stops everything, with kind `shutdown` if you say none (words and errors are `unknown`), and takes no more turns. */
  readonly close: (reason?: CancelReasonLike) => Promise<StopReport>;
  /** `close()`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** What is read anew each time. */
const fields: Members<
  | 'name'
  | 'instanceId'
  | 'state'
  | 'interrupted'
  | 'wasInterrupted'
  | 'interruption'
  | 'lifetime'
  | 'lastReport'
  | 'queued'
> = {
  name: ({ name }) => name,
  instanceId: ({ events }) => events.instanceId,
  state: ({ status }) => status.state,
  interrupted: ({ status }) => status.interrupted,
  wasInterrupted: ({ status }) => status.wasInterrupted,
  interruption: ({ status }) => status.interruption,
  lifetime: ({ lifetime }) => lifetime.token,
  lastReport: ({ lastReport }) => lastReport,
  queued: ({ messages }) => messages.queued,
};

/** Functions: each is made and bound when it is first read, so that an agent nobody talks to costs nothing. */
const functions: Members<Exclude<keyof InterruptController, keyof typeof fields | typeof Symbol.asyncDispose>> = {
  consumeWasInterrupted:
    ({ status }) =>
    () =>
      status.consumeWasInterrupted(),
  takeLateOutcomes: (agent) => () => agent.lateOutcomes.take(),
  snapshot: (agent) => () => snapshotOf(agent),
  restore: (agent) => (snapshot) => {
    restoreTo(agent, snapshot);
  },
  accept:
    ({ turns }) =>
    () =>
      turns.accept(),
  runTurn:
    ({ turns }) =>
    (body, options) =>
      turns.run(body, options),
  cancel: (agent) => (reason) => stopTurns(agent, 'cancel', agent.reasonOf(reason)),
  cancelCall: (agent) => (callId, reason) => stopCall(agent, callId, agent.reasonOf(reason, undefined, 'cancelCall')),
  cancelAll: (agent) => (reason) => stopAll(agent, 'cancel', agent.reasonOf(reason, undefined, 'all')),
  kill: (agent) => (reason, options) => kill(agent, reason, options?.all === true),
  interject:
    ({ messages }) =>
    (message, options) =>
      messages.interject(message, options),
  background:
    ({ outliving }) =>
    (name, work, options = {}) =>
      outliving.background.start(name, work, options),
  sendToBackground: (agent) => (callId) => sendToBackground(agent, callId),
  child: (agent) => (name, options) => agent.subagent(undefined, name, options),
  onEvent:
    ({ events }) =>
    (fn, options) =>
      events.on(fn, options),
  close: (agent) => (reason) => close(agent, reason),
};

type Members<K extends keyof InterruptController> = {
  readonly [Name in K]: (agent: Agent) => InterruptController<unknown>[Name];
};

class Handle {
  static readonly members: unknown = /* @__PURE__ */ setUp(Handle);

  readonly #agent: Agent;

  constructor(options: InterruptControllerOptions = {}, link?: SubagentLink<Agent>) {
    this.#agent = new Agent(options, link, makers);
  }

  static agentOf(controller: object): Agent | undefined {
    return #agent in controller ? controller.#agent : undefined;
  }
}

/** The agent behind a controller of this copy of the package. */
export function agentOf(controller: object): Agent | undefined {
  return Handle.agentOf(controller);
}

/** The members, as part of the class: a bundler drops both or neither. */
function setUp({ prototype }: typeof Handle): typeof Handle | undefined {
  const define = (key: PropertyKey, make: (agent: Agent) => unknown, isKept: boolean): void => {
    Object.defineProperty(prototype, key, {
      get(this: object) {
        const value = make(agentOf(this) as Agent);
        if (isKept) Object.defineProperty(this, key, { value, writable: true, configurable: true });
        return value;
      },
      configurable: true,
    });
  };
  for (const [name, read] of Object.entries(fields)) define(name, read, false);
  for (const [name, make] of Object.entries(functions)) define(name, make, true);
  define(
    asyncDisposeKey,
    (agent) => async () => {
      await close(agent, undefined);
    },
    true,
  );
  return undefined;
}

/** A sub-agent, beside the agent's turns or on one of its calls. */
function subagentOf(
  parent: Agent,
  call: CallOfSubagent | undefined,
  name: string,
  options: SubagentOptions | undefined,
): InterruptController<unknown> {
  const link = new SubagentLink(parent, call, options);
  return new Handle({ name, graceMs: parent.graceMs, clock: parent.clock }, link) as never;
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
