/**
 * What people hold of an agent: its documented members and nothing else, each function bound.
 *
 * @module
 */
import { asyncDisposeKey } from '../foundation/disposable.ts';
import { isObject, noOptions, optionalFlag, requireOptions, show, type OptionNames } from '../foundation/check.ts';
import { reasonFromJSON, reasonToJSON } from '../foundation/reason-json.ts';
import { fieldOf } from '../foundation/reason-of-stop.ts';
import type { CancelReasonLike } from '../foundation/reason.ts';
import { Agent, type AgentMakers } from './agent/agent.ts';
import { AgentTurns } from './agent/agent-turns.ts';
import { sendToBackground } from './background/background.ts';
import { SubagentLink, type CallOfSubagent } from './agent/subagents.ts';
import { stopAll, stopCall, stopTurns } from './stops/stop-request.ts';
import type { AgentSnapshot, InterruptControllerOptions, SubagentOptions } from './public-types/agent-options.ts';
import type { Controller } from './public-types/controller.ts';
import type { StopReceipt, StopReport } from './public-types/stop-report.ts';

/**
 * One agent that can be told to stop, or told something new, while it works. Every function is bound:
 * `process.on('SIGINT', () => agent.cancel())` and `button.onclick = agent.cancel` both work. `M` is the type of the
 * messages that people send it. `instanceof` knows the controllers of this copy of the package, not those of another that was
 * loaded beside it.
 *
 * @since 0.1.0
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- it stands beside what makes it, its members with the turn and the tools that they show
export interface InterruptController<M = string> extends Controller<M> {}

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

/**
 * Functions: each is made and bound when it is first read, so that an agent nobody talks to costs nothing. Who looks for
 * it unread, as the spies of test runners do, finds a method as of any class.
 */
const functions: Methods<Exclude<keyof Controller, keyof typeof fields | typeof Symbol.asyncDispose>> = {
  consumeWasInterrupted: ({ status }) => status.consumeWasInterrupted(),
  takeLateOutcomes: (agent) => agent.lateOutcomes.take(),
  snapshot: (agent) => snapshotOf(agent),
  restore: (agent, snapshot) => {
    restoreTo(agent, snapshot);
  },
  accept: ({ turns }) => turns.accept(),
  runTurn: ({ turns }, body, options) => turns.run(body, options),
  cancel: (agent, reason) => stopTurns(agent, 'cancel', agent.reasonOf(reason)),
  cancelCall: (agent, callId, reason) => stopCall(agent, callId, agent.reasonOf(reason, undefined, 'cancelCall')),
  cancelAll: (agent, reason) => stopAll(agent, 'cancel', agent.reasonOf(reason, undefined, 'all')),
  kill: (agent, reason, options) => kill(agent, reason, isForAll(agent, options)),
  interject: ({ messages }, message, options) => messages.interject(message, options),
  background: ({ outliving }, name, work, options = {}) => outliving.background.start(name, work, options),
  sendToBackground: (agent, callId) => sendToBackground(agent, callId),
  child: (agent, name, options) => agent.subagent(undefined, name, options),
  onEvent: ({ events }, fn, options) => events.on(fn, options),
  close: (agent, reason) => close(agent, reason),
};

type KillOptions = NonNullable<Parameters<Controller['kill']>[1]>;

type Methods<K extends keyof Controller> = {
  readonly [Name in K]: Controller<unknown>[Name] extends (...args: infer Args) => infer Result
    ? (agent: Agent, ...args: Args) => Result
    : never;
};

type Members<K extends keyof Controller> = {
  readonly [Name in K]: (agent: Agent) => Controller<unknown>[Name];
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

/** The agent of what a member was read or called on. */
function ownerOf(controller: unknown): Agent {
  const agent = agentOf(Object(controller) as object);
  if (agent !== undefined) return agent;
  throw new TypeError('used without its InterruptController: a proxy or a copy has no agent');
}

type Method = (this: unknown, ...args: readonly unknown[]) => unknown;

/** The members, as part of the class: a bundler drops both or neither. */
function setUp({ prototype }: typeof Handle): typeof Handle | undefined {
  // See the token's.
  Object.defineProperty(prototype, Symbol.toStringTag, { value: 'InterruptController', configurable: true });
  for (const [name, read] of Object.entries(fields)) {
    const get = function (this: unknown): unknown {
      return read(ownerOf(this));
    };
    Object.defineProperty(prototype, name, { get, configurable: true });
  }
  const methods = {};
  const define = (name: PropertyKey, run: (agent: Agent, ...args: never[]) => unknown): void => {
    const value: Method = function (...args) {
      return run(ownerOf(this), ...(args as never[]));
    };
    Object.defineProperty(methods, name, { value, writable: true, configurable: true });
  };
  for (const [name, run] of Object.entries(functions)) define(name, run);
  define(asyncDisposeKey, async (agent) => {
    await close(agent, undefined);
  });
  Object.setPrototypeOf(prototype, new Proxy(methods, { get: bind }));
  return undefined;
}

/** Binds what is read of a controller, once. */
function bind(methods: object, name: PropertyKey, controller: object): unknown {
  const method: unknown = Reflect.get(methods, name);
  if (!Object.hasOwn(methods, name) || agentOf(controller) === undefined) return method;
  const value = (method as Method).bind(controller);
  // Not `Object.defineProperty`, which throws on a controller that somebody has frozen.
  Reflect.defineProperty(controller, name, { value, writable: true, configurable: true });
  return value;
}

/** A sub-agent, beside the agent's turns or on one of its calls. */
function subagentOf(
  parent: Agent,
  call: CallOfSubagent | undefined,
  name: string,
  options: SubagentOptions | undefined,
): Controller<unknown> {
  const link = new SubagentLink(parent, call, options);
  return new Handle({ name, graceMs: parent.graceMs, clock: parent.clock }, link) as never;
}

const makers: AgentMakers = { turnsOf: (agent) => new AgentTurns(agent), subagentOf };

const killOptions: OptionNames<KillOptions> = { all: 1 };

/** A kill never fails because of what it was given: what makes no sense is reported. */
function isForAll(agent: Agent, options: KillOptions | null = noOptions): boolean {
  try {
    if (options !== null) requireOptions(options, killOptions);
    return optionalFlag('all', options?.all);
  } catch (error) {
    agent.report(error);
    return isObject(options) && fieldOf(options, 'all') === true;
  }
}

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

function snapshotOf({ status, lateOutcomes, stoppedByPerson, allStoppedByPerson }: Agent): AgentSnapshot {
  const untold = status.untold;
  const late = lateOutcomes.toJSON();
  return {
    version: 1,
    ...(untold === undefined ? {} : { wasInterrupted: reasonToJSON(untold) }),
    ...(stoppedByPerson === undefined ? {} : { stoppedByPerson: reasonToJSON(stoppedByPerson) }),
    ...(allStoppedByPerson === undefined ? {} : { isStopOfAll: true }),
    ...(late.length === 0 ? {} : { late }),
  };
}

function restoreTo({ status, lateOutcomes }: Agent, snapshot: AgentSnapshot): void {
  // Read from a disk, it may be anything.
  const { version, wasInterrupted, stoppedByPerson, isStopOfAll, late } =
    (snapshot as Partial<AgentSnapshot> | null) ?? {};
  if (version !== 1) throw new TypeError(`not a snapshot of an agent: ${show(snapshot)}`);
  const reason = wasInterrupted === undefined ? undefined : reasonFromJSON(wasInterrupted);
  const stop = stoppedByPerson === undefined ? undefined : reasonFromJSON(stoppedByPerson);
  if (late !== undefined) lateOutcomes.restore(late);
  if (reason !== undefined) status.endCancelled(reason);
  if (stop !== undefined) status.stopped(stop, isStopOfAll === true);
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
} = Handle as never;
