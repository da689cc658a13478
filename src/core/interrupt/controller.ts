/**
 * What people hold of an agent: its documented members and nothing else, each function bound.
 *
 * @module
 */
import { asyncDisposeKey } from '../foundation/disposable.ts';
import { show } from '../foundation/check.ts';
import { reasonFromJSON, reasonToJSON } from '../foundation/reason-json.ts';
import type { CancelReasonLike } from '../foundation/reason.ts';
import type { CancellationToken } from '../token/cancellation-token.ts';
import { Agent, type AgentMakers } from './agent/agent.ts';
import { AgentTurns } from './agent/agent-turns.ts';
import { sendToBackground } from './background/background.ts';
import { SubagentLink, type CallOfSubagent } from './agent/subagents.ts';
import type { InterruptState } from './machine.ts';
import { stopAll, stopCall, stopTurns } from './stops/stop-request.ts';
import type {
  AgentSnapshot,
  Interruption,
  InterruptControllerOptions,
  SubagentOptions,
} from './public-types/agent-options.ts';
import type { InterruptController as Controller } from './public-types/interrupt-controller.ts';
import type { Interjection } from './public-types/messages.ts';
import type { StopReceipt, StopReport } from './public-types/stop-report.ts';

/** Every function is made and bound when it is first read, so that an agent nobody talks to costs nothing. */
class Handle implements Controller<unknown> {
  static readonly disposable: unknown = /* @__PURE__ */ setUp(Handle);

  readonly #agent: Agent;
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  constructor(options: InterruptControllerOptions = {}, link?: SubagentLink<Agent>) {
    this.#agent = new Agent(options, link, makers);
  }

  static agentOf(controller: object): Agent | undefined {
    return #agent in controller ? controller.#agent : undefined;
  }

  #keep<K extends keyof Controller<unknown>>(name: K, value: Controller<unknown>[K]): Controller<unknown>[K] {
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

  get consumeWasInterrupted(): Controller['consumeWasInterrupted'] {
    return this.#keep('consumeWasInterrupted', () => this.#agent.status.consumeWasInterrupted());
  }

  get takeLateOutcomes(): Controller['takeLateOutcomes'] {
    return this.#keep('takeLateOutcomes', () => this.#agent.lateOutcomes.take());
  }

  get snapshot(): Controller['snapshot'] {
    return this.#keep('snapshot', () => snapshotOf(this.#agent));
  }

  get restore(): Controller['restore'] {
    return this.#keep('restore', (snapshot) => {
      restoreTo(this.#agent, snapshot);
    });
  }

  get accept(): Controller['accept'] {
    return this.#keep('accept', () => this.#agent.turns.accept());
  }

  get runTurn(): Controller<unknown>['runTurn'] {
    return this.#keep('runTurn', (body, options) => this.#agent.turns.run(body, options));
  }

  get cancel(): Controller['cancel'] {
    return this.#keep('cancel', (reason) => stopTurns(this.#agent, 'cancel', this.#agent.reasonOf(reason)));
  }

  get cancelCall(): Controller['cancelCall'] {
    return this.#keep('cancelCall', (callId, reason) =>
      stopCall(this.#agent, callId, this.#agent.reasonOf(reason, undefined, 'cancelCall')),
    );
  }

  get cancelAll(): Controller['cancelAll'] {
    return this.#keep('cancelAll', (reason) =>
      stopAll(this.#agent, 'cancel', this.#agent.reasonOf(reason, undefined, 'all')),
    );
  }

  get kill(): Controller['kill'] {
    return this.#keep('kill', (reason, options) => kill(this.#agent, reason, options?.all === true));
  }

  get interject(): Controller<unknown>['interject'] {
    return this.#keep('interject', (message, options) => this.#agent.messages.interject(message, options));
  }

  get background(): Controller['background'] {
    return this.#keep('background', (name, work, options = {}) =>
      this.#agent.outliving.background.start(name, work, options),
    );
  }

  get sendToBackground(): Controller['sendToBackground'] {
    return this.#keep('sendToBackground', (callId) => sendToBackground(this.#agent, callId));
  }

  get child(): Controller<unknown>['child'] {
    return this.#keep('child', (name, options) => this.#agent.subagent(undefined, name, options));
  }

  get onEvent(): Controller['onEvent'] {
    return this.#keep('onEvent', (fn, options) => this.#agent.events.on(fn, options));
  }

  get close(): Controller['close'] {
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
): Controller<unknown> {
  const link = new SubagentLink(parent, call, options);
  return new Handle({ name, graceMs: parent.graceMs, clock: parent.clock }, link);
}

const makers: AgentMakers = { turnsOf: (agent) => new AgentTurns(agent), subagentOf };

function kill(agent: Agent, input: CancelReasonLike | undefined, all: boolean): StopReceipt {
  const reason = agent.reasonOf(input, undefined, all ? 'all' : 'kill');
  const receipt = all ? stopAll(agent, 'kill', reason) : stopTurns(agent, 'kill', reason);
  // After the turns have it written down: one of a sub-agent would take the reason of an earlier stop for that of the kill.
  const isNews = agent.stillRunning.kill(reason, all);
  if (!isNews || receipt.accepted) return receipt;
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
 * What `new InterruptController()` gives.
 *
 * @since 0.1.0
 */
export type InterruptController<M = string> = Controller<M>;

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
 * @since 0.1.0
 */
export const InterruptController: {
  /** Makes the controller of one agent. */
  new <M = string>(options?: InterruptControllerOptions): Controller<M>;
  readonly prototype: Controller;
} = Handle as never;
