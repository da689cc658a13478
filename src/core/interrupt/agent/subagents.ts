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
import type { CompactingList } from '../ledger/compacting-list.ts';
import type { OpenToolCall, OpenWork } from '../calls/turn-of-calls.ts';
import { markStop } from '../stops/stop-record.ts';
import { hearStop, type StoppableTurn } from '../stops/stop-turn.ts';
import type { SubagentOptions } from '../public-types/agent-options.ts';
import type { OperationOutcome } from '../public-types/stop-report.ts';
import type { AgentStatus } from './agent-status.ts';
import type { Lifetime } from './lifetime.ts';

const parentPolicies = ['forward', 'finish', 'stop'] as const;
const childPolicies = ['propagate', 'contain'] as const;

const optionNames: OptionNames<SubagentOptions> = { detached: 1, onChildInterrupted: 1, onParentInterject: 1 };

/** A call that asked for a sub-agent. */
export interface CallOfSubagent {
  readonly source: { readonly token: Token };
  /** Why nothing starts on it any more, if it has ended. */
  readonly endedBy: CancelReason | undefined;
  readonly hasLeftTurn: boolean;
  /** The sub-agents whose last turn was stopped. */
  interruptedChildren: Map<object, InterruptedChild> | undefined;
}

/** What became of a sub-agent's last turn, if it was stopped. */
export interface InterruptedChild {
  readonly name: string;
  readonly reason: CancelReason;
  /** Not by what stopped the call as well. */
  readonly alone: boolean;
}

/** An agent that has a sub-agent, or is one. */
interface Relative {
  readonly name: string;
  readonly current: RelativeTurn | undefined;
  readonly status: AgentStatus;
  readonly lifetime: Lifetime;
  readonly outliving: { readonly lifetime: Lifetime };
  readonly accepted: { readonly endedBy: CancelReason | undefined };
  /** A sub-agent works. */
  started(child: Relative): void;
}

/** Its running turn. */
interface RelativeTurn extends StoppableTurn {
  readonly token: Token;
  /** The turn above waits for it no more. */
  detach(): void;
  endRow(outcome: OperationOutcome): void;
}

/** One sub-agent's tie to its parent. */
export class SubagentLink<A extends Relative = Relative> {
  readonly parent: A;
  /** Not detached. */
  readonly isAttached: boolean;
  readonly onParentInterject: (typeof parentPolicies)[number];
  readonly #onChildInterrupted: (typeof childPolicies)[number] | undefined;
  /** The call that asked for it. */
  readonly call: CallOfSubagent | undefined;
  /** The parent's turn that the running turn of the sub-agent is part of. */
  #run: A['current'] = undefined;

  constructor(parent: A, call: CallOfSubagent | undefined, options: SubagentOptions = {}) {
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

  /** The parent's turn that the running turn of the sub-agent is part of. */
  get run(): A['current'] {
    return this.#run;
  }

  /** It is attached, and works for no call and no turn of the parent. */
  get isBeside(): boolean {
    return this.isAttached && this.#run === undefined && this.call === undefined;
  }

  /** Why no turn starts any more: its call has ended, or nothing starts above, where no turn goes on that may need it. */
  get endedBy(): CancelReason | undefined {
    if (this.call !== undefined) return this.call.endedBy;
    const { current, accepted } = this.parent;
    return current === undefined || current.stops.reason !== undefined ? accepted.endedBy : undefined;
  }

  /** A turn of the sub-agent starts; returns the parent's turn that it is part of. */
  started(child: A): A['current'] {
    this.parent.started(child);
    const isPart = this.isAttached && this.call?.hasLeftTurn !== true && this.call?.endedBy === undefined;
    this.#run = isPart ? this.parent.current : undefined;
    return this.#run;
  }

  /** Its call goes on in the background. */
  detach(child: { readonly current: { detach(): void } | undefined }): void {
    this.#run = undefined;
    child.current?.detach();
  }

  /** Whether a stop for this reason came from above. */
  isFromAbove(reason: CancelReason): boolean {
    return reason === this.#run?.token.reason || reason === this.above.reason;
  }

  /**
   * A turn of the sub-agent ends: what stopped it alone stops the parent's turn too, if it is to, before anybody hears of
   * the end. Returns what is to be done when everybody has.
   */
  ends(child: Relative, run: RelativeTurn, outcome: OperationOutcome): () => void {
    const parentRun = this.#run;
    const { reason } = run.stops;
    const isPassedOn = this.#noteEnd(child, reason);
    // Also where the turn above was stopped first: a person meant it, too, and that may count later.
    if (reason !== undefined && this.#isPartOfTurn && this.#propagates({ kind: 'user' }))
      this.parent.status.stoppedWith(child.status, this.call?.source.token.reason);
    if (isPassedOn && reason !== undefined && parentRun !== undefined) markStop(parentRun.stops, 'cancel', reason);
    return () => {
      if (isPassedOn && parentRun !== undefined) hearStop(parentRun);
      this.#run = undefined;
      // After the stop of the parent, whose report has a row for it then.
      run.endRow(outcome);
    };
  }

  /** Returns whether the parent's turn is to be stopped for the same reason. */
  #noteEnd(child: Relative, reason: CancelReason | undefined): boolean {
    const { call } = this;
    if (reason === undefined) {
      call?.interruptedChildren?.delete(child);
      return false;
    }
    const alone = !this.isFromAbove(reason);
    // Whatever the tool makes of it: what its sub-agent was stopped from doing is not done.
    if (call !== undefined) (call.interruptedChildren ??= new Map()).set(child, { name: child.name, reason, alone });
    return alone && this.#propagates(reason) && this.#isPartOfTurn;
  }

  get #isPartOfTurn(): boolean {
    return this.#run !== undefined && this.parent.current === this.#run;
  }

  /** What came from above is known there; newer work in the sub-agent is its own affair. */
  #propagates({ kind }: Pick<CancelReason, 'kind'>): boolean {
    if (kind === 'superseded' || kind === 'interjection') return false;
    return (this.#onChildInterrupted ?? (kind === 'user' ? 'propagate' : 'contain')) === 'propagate';
  }
}

/** An agent, its running turn, and the sub-agents that work, the latest last. */
interface Working<A> {
  readonly current: object | undefined;
  readonly working: Iterable<A>;
}

/** One that takes messages. */
interface Listening<A> extends Working<A> {
  readonly link: { readonly run: object | undefined; readonly isBeside: boolean } | undefined;
  readonly status: { readonly takesMessages: boolean };
}

/**
 * The sub-agent that a message goes on to: the latest that works for the running turn, or else the latest that works beside
 * the turns and takes messages, itself or by one below it. One beside that was stopped has no use for it, and its sender has.
 */
export function workingFor<A extends Listening<A>>(agent: A): A | undefined {
  const run = agent.current;
  const latestFirst = [...agent.working].reverse();
  const isPart = ({ current, link }: A): boolean => current !== undefined && link?.run === run;
  const takes = (child: A): boolean =>
    child.link?.isBeside === true && (child.status.takesMessages || workingFor(child) !== undefined);
  return (run === undefined ? undefined : latestFirst.find(isPart)) ?? latestFirst.find(takes);
}

/** An agent that works, and all that do below it: of each a turn runs, or waits in line. */
export function workingIn<A extends Working<A>>(agent: A): A[] {
  return [agent, ...[...agent.working].flatMap((child) => workingIn(child))];
}

/** Whose open calls can be looked for. */
interface Calling<A> extends Working<A> {
  readonly current: { readonly open: CompactingList<OpenWork> } | undefined;
}

/** Open calls of one turn, the latest first, and whose turn that is. */
export interface FoundCalls<A extends Calling<A>> {
  readonly calls: readonly OpenToolCall[];
  readonly run: NonNullable<A['current']>;
  readonly agent: A;
}

/** The open calls of that id that are part of a turn, here or else below: servers begin their ids anew, or give one twice. */
export function openCallsOf<A extends Calling<A>>(agent: A, callId: string): FoundCalls<A> | undefined {
  for (const working of workingIn(agent)) {
    const run = working.current as NonNullable<A['current']> | undefined;
    const open = run?.open.list().filter((each) => each.kind === 'tool' && each.id === callId && !each.hasLeftTurn);
    if (run !== undefined && open !== undefined && open.length > 0)
      return { calls: open.reverse() as OpenToolCall[], run, agent: working };
  }
  return undefined;
}
