/**
 * How a sub-agent hangs on the agent that delegates to it.
 *
 * Invariants: a stop from above reaches every sub-agent that works for the stopped turn, with the same reason object; a
 * stop of the sub-agent alone is known to the parent before the delegating call returns, and stops it only if a person
 * meant it or the options say so.
 *
 * @module
 */
import { optionalFlag, requireOneOf, requireOptions, type OptionNames } from '../../foundation/check.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import type { Token } from '../../token/token.ts';
import type { Agent } from '../agent.ts';
import type { ToolCall } from '../calls/tool-call.ts';
import { hearStop, noteEarlier } from '../stops/stop-turn.ts';
import type { TurnRun } from '../turn/turn-run.ts';
import type { SubagentOptions } from '../public-types/agent-options.ts';
import type { OperationOutcome } from '../public-types/stop-report.ts';

const parentPolicies = ['forward', 'finish', 'stop'] as const;
const childPolicies = ['propagate', 'contain'] as const;

const optionNames: OptionNames<SubagentOptions> = { detached: 1, onChildInterrupted: 1, onParentInterject: 1 };

/** One sub-agent's tie to its parent. */
export class SubagentLink {
  readonly parent: Agent;
  /** Not detached. */
  readonly isAttached: boolean;
  readonly onParentInterject: (typeof parentPolicies)[number];
  readonly #onChildInterrupted: (typeof childPolicies)[number] | undefined;
  /** The call that asked for it. */
  readonly call: ToolCall<unknown, unknown> | undefined;
  /** The parent's turn that the running turn of the sub-agent is part of. */
  #run: TurnRun | undefined;

  constructor(parent: Agent, call: ToolCall<unknown, unknown> | undefined, options: SubagentOptions = {}) {
    requireOptions(options, optionNames);
    const { detached, onParentInterject = 'forward', onChildInterrupted } = options;
    this.parent = parent;
    this.isAttached = !optionalFlag('detached', detached);
    // What lives beside the turn is nothing to the call that started it.
    this.call = this.isAttached ? call : undefined;
    this.onParentInterject = requireOneOf('onParentInterject', onParentInterject, parentPolicies);
    this.#onChildInterrupted =
      onChildInterrupted === undefined
        ? undefined
        : requireOneOf('onChildInterrupted', onChildInterrupted, childPolicies);
  }

  /** What the sub-agent's lifetime hangs on: the call that asked for it, or the parent's lifetime of now. */
  get above(): Token {
    if (!this.isAttached) return this.parent.outliving.lifetime.token;
    return this.call?.source.token ?? this.parent.lifetime.token;
  }

  /** The first stop of what a turn of the sub-agent would hang on, besides a turn of the parent. */
  get stopAbove(): CancelReason | undefined {
    return this.call?.firstStop ?? this.call?.endedBy ?? this.above.reason;
  }

  /** The parent's turn that the running turn of the sub-agent is part of. */
  get run(): TurnRun | undefined {
    return this.#run;
  }

  /** It is attached, and works for no call and no turn of the parent. */
  get isBeside(): boolean {
    return this.isAttached && this.#run === undefined && this.call === undefined;
  }

  /** A turn of the sub-agent starts; returns the parent's turn that it is part of. */
  started(child: Agent): TurnRun | undefined {
    this.parent.enter(child);
    const isPart = this.isAttached && this.call?.hasLeftTurn !== true && this.call?.endedBy === undefined;
    this.#run = isPart ? this.parent.current : undefined;
    return this.#run;
  }

  /** Its call goes on in the background. */
  detach(child: Agent): void {
    this.#run = undefined;
    child.current?.detach();
  }

  /** Whether a stop for this reason came from above. */
  isFromAbove(reason: CancelReason): boolean {
    return reason === this.#run?.firstStop || reason === this.above.reason;
  }

  /**
   * A turn of the sub-agent ends: what stopped it alone stops the parent's turn too, if it is to, before anybody hears of
   * the end. Returns what is to be done when everybody has.
   */
  ends(child: Agent, run: TurnRun, outcome: OperationOutcome): () => void {
    const parentRun = this.#run;
    const reason = run.stop?.askedFor;
    const isPassedOn = this.#noteEnd(child, reason);
    if (isPassedOn && reason !== undefined) parentRun?.noteStop(reason);
    return () => {
      if (isPassedOn && parentRun !== undefined) hearStop(parentRun);
      this.#run = undefined;
      // After the stop of the parent, whose report has a row for it then.
      run.endRow(outcome);
    };
  }

  /** Returns whether the parent's turn is to be stopped for the same reason. */
  #noteEnd(child: Agent, reason: CancelReason | undefined): boolean {
    const { call } = this;
    if (reason === undefined) {
      call?.interruptedChildren?.delete(child);
      return false;
    }
    const alone = !this.isFromAbove(reason);
    // Whatever the tool makes of it: what its sub-agent was stopped from doing is not done.
    if (call !== undefined) (call.interruptedChildren ??= new Map()).set(child, { name: child.name, reason, alone });
    const run = this.#run;
    if (!alone || !this.#propagates(reason) || run === undefined || this.parent.current !== run) return false;
    noteEarlier(run);
    return true;
  }

  /** What came from above is known there; newer work in the sub-agent is its own affair. */
  #propagates({ kind }: CancelReason): boolean {
    if (kind === 'superseded' || kind === 'interjection') return false;
    return (this.#onChildInterrupted ?? (kind === 'user' ? 'propagate' : 'contain')) === 'propagate';
  }
}

/**
 * The sub-agent that a message goes on to: the latest that works for the running turn, or else the latest that works beside
 * the turns and takes messages, itself or by one below it. One beside that was stopped has no use for it, and its sender has.
 */
export function workingFor(agent: Agent): Agent | undefined {
  const run = agent.current;
  const latestFirst = [...agent.working].reverse();
  const isPart = ({ current, link }: Agent): boolean => current !== undefined && link?.run === run;
  const takes = (child: Agent): boolean =>
    child.link?.isBeside === true && (child.status.takesMessages || workingFor(child) !== undefined);
  return (run === undefined ? undefined : latestFirst.find(isPart)) ?? latestFirst.find(takes);
}

/** Every turn that runs, here or below. */
export function busyIn(agent: Agent): TurnRun[] {
  const below = [...agent.working].flatMap(busyIn);
  return agent.current === undefined ? below : [agent.current, ...below];
}

/** An open call and the turn it is part of. */
export interface Aimed {
  readonly call: ToolCall<unknown, unknown>;
  readonly run: TurnRun;
}

/** The open call of that id that is part of a turn, here or below; of several the latest, for servers begin their ids anew. */
export function openCallOf(agent: Agent, callId: string): Aimed | undefined {
  for (const run of busyIn(agent)) {
    for (const call of run.open.list().reverse()) {
      if (call.kind === 'tool' && call.id === callId && !call.hasLeftTurn) return { call, run };
    }
  }
  return undefined;
}
