/**
 * The turns of one agent, one at a time: accepted, waiting in line, running, ended.
 *
 * Invariants: exactly one terminal event per accepted turn, and nothing of the turn after it; a turn that was stopped
 * before its start runs nothing.
 *
 * @module
 */
import type { Outcome } from '../../combinators/outcome.ts';
import {
  noOptions,
  optionalFlag,
  requireFunction,
  requireOneOf,
  requireOptions,
  type OptionNames,
  show,
} from '../../foundation/check.ts';
import { createCancelledError, type CancelledError } from '../../foundation/errors.ts';
import { createReason, type CancelReason } from '../../foundation/reason.ts';
import { never, tokenOf } from '../../token/bridge/linked-tokens.ts';
import type { TokenLike } from '../../token/cancellation-token.ts';
import type { Token } from '../../token/token.ts';
import { findOwner } from '../../token/tree/owner.ts';
import type { Agent } from './agent.ts';
import type { RunTurnOptions, TurnTicket } from '../public-types/agent-options.ts';
import type { StopReport } from '../public-types/stop-report.ts';
import type { TurnReport } from '../public-types/turn-report.ts';
import { stoppedToken } from '../stops/stop-record.ts';
import { hearStop, stopTurn } from '../stops/stop-turn.ts';
import { ambientToken } from '../turn/ambient-token.ts';
import { requireBudget, type TurnBudget } from '../turn/budget.ts';
import { watchLine } from '../turn/waiting/line-watch.ts';
import { SerialQueue } from '../turn/waiting/serial-queue.ts';
import type { Prompt } from '../turn/waiting/unstarted-turns.ts';
import { TurnRun } from '../turn/turn-run.ts';
import type { Turn } from '../public-types/turn.ts';

const busyPolicies = ['reject', 'queue', 'supersede'] as const;

const optionNames: OptionNames<RunTurnOptions> = { ticket: 1, token: 1, whenBusy: 1, budget: 1, isAutomatic: 1 };

/** What a turn that starts was given. */
interface TurnStart {
  readonly id: number;
  readonly isAutomatic: boolean;
  /** What came before its start. */
  readonly stop: Token | undefined;
  readonly outside: Token;
  readonly budget: TurnBudget | undefined;
}

/** Runs them. */
export class AgentTurns {
  readonly #agent: Agent;
  readonly #queue = new SerialQueue();
  #current: TurnRun | undefined;
  #lastReport: StopReport | undefined;
  /** How many that were given up had ended when the last report was made. */
  #endsThen = 0;
  #lastStarted = 0;
  #isClosed = false;
  /** The token that the running turn was given. */
  outside: Token = never;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** The running turn. */
  get current(): TurnRun | undefined {
    return this.#current;
  }

  get lastReport(): StopReport | undefined {
    return this.#lastReport;
  }

  /** The last report, where a stop of that turn, or of the last, is a repeat, and nothing that it names has ended since. */
  repeated(turnId: number = this.#lastStarted): StopReport | undefined {
    const isTrue = this.#endsThen === this.#agent.stillRunning.ends;
    return isTrue && this.#lastReport?.turnId === turnId ? this.#lastReport : undefined;
  }

  get isClosed(): boolean {
    return this.#isClosed && this.#agent.accepted.endedBy === undefined;
  }

  /** No turn is accepted from here on; what was accepted goes on. */
  refuse(): void {
    this.#isClosed = true;
  }

  /** A turn waits in line. */
  get isWaiting(): boolean {
    return this.#queue.isWaiting;
  }

  /** Resolves when no turn runs and none waits in line. */
  whenEmpty(): Promise<void> {
    return this.#queue.whenEmpty();
  }

  accept(): TurnTicket {
    const agent = this.#agent;
    if (this.isClosed) throw new TypeError(`the controller ${show(agent.name)} is closed`);
    const ticket = agent.accepted.accept();
    agent.emit({ type: 'turn-accepted', turnId: ticket.id });
    return ticket;
  }

  run<T>(body: (turn: Turn) => T | PromiseLike<T>, options: RunTurnOptions = noOptions): Promise<TurnReport<T>> {
    try {
      return this.#enqueue(body, options);
    } catch (error) {
      // Misuse, told like everything else that goes wrong with a promise.
      return new Promise((_resolve, reject) => {
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it was thrown
        reject(error);
      });
    }
  }

  #enqueue<T>(body: (turn: Turn) => T | PromiseLike<T>, options: RunTurnOptions): Promise<TurnReport<T>> {
    requireFunction('body', body);
    requireOptions(options, optionNames);
    const whenBusy = requireOneOf('whenBusy', options.whenBusy ?? 'reject', busyPolicies);
    const outside = tokenOf(options.token);
    const budget = options.budget === undefined ? undefined : requireBudget(options.budget);
    const isAutomatic = optionalFlag('isAutomatic', options.isAutomatic);
    const { name, accepted } = this.#agent;
    const behind = this.#current;
    const isBusy = behind !== undefined || this.isWaiting;
    // What waits in line is asked when it is to start: by then the person may have spoken, or stopped what runs.
    const refused = isAutomatic && !(isBusy && whenBusy === 'queue') ? this.#refusal() : undefined;
    if (refused !== undefined) throw refused;
    if (isBusy && whenBusy === 'reject') {
      const text = `a turn of ${show(name)} is running; say whenBusy: 'queue' or 'supersede'`;
      throw Object.assign(new TypeError(text), { code: 'ERR_AGENT_BUSY' });
    }
    if (whenBusy === 'queue' && [ambientToken(), outside].some((token) => this.#leadsToCurrent(token))) {
      throw new TypeError(
        `a turn of ${show(name)} was to wait in line inside the turn that runs, which may wait for it: start it when that has ended, or send a message`,
      );
    }
    const { ticket: given } = options;
    const ticket = given === undefined || accepted.hasGivenUp(given) ? this.accept() : given;
    const prompt = accepted.claim(ticket, outside);
    if (whenBusy === 'supersede') this.#supersede(prompt, isAutomatic);
    const watch = whenBusy === 'queue' && behind !== undefined ? watchLine(this.#agent, ticket.id) : undefined;
    return this.#queue.add(() => {
      watch?.release();
      const stop = accepted.start(prompt);
      const late = isAutomatic && stop === undefined && !prompt.isAccepted ? this.#refusal() : undefined;
      if (late === undefined) return this.#run(body, { id: ticket.id, outside, budget, isAutomatic, stop });
      this.#endsUnstarted(ticket.id, late.reason);
      this.#agent.over();
      return Promise.reject(late);
    });
  }

  /** Whether a token is that of the running turn, or of something below it. */
  #leadsToCurrent(token: TokenLike | undefined): boolean {
    const current = this.#current;
    const isCurrent = (owner: object): owner is TurnRun => owner === current;
    return token !== undefined && current !== undefined && findOwner(tokenOf(token), isCurrent) !== undefined;
  }

  /** Why no automatic turn starts, if so. */
  #refusal(): CancelledError | undefined {
    const { accepted, name, clock } = this.#agent;
    for (const { outside } of accepted.list()) this.#stoppedFromOutside(outside);
    const cause = this.#agent.stoppedByPerson;
    if (cause === undefined) return undefined;
    const message = `A person has stopped ${show(name)}: an automatic turn waits until they have said something`;
    return createCancelledError(createReason({ kind: 'user', message, by: cause.by, cause, at: clock.now() }));
  }

  /** Cancels what waits in line and what runs, for another turn; one that was stopped before will run nothing. */
  #supersede(by: Prompt, isAutomatic: boolean): void {
    const { accepted, events } = this.#agent;
    if (accepted.stopOf(by) !== undefined) return;
    const reason = this.#agent.reasonOf({ kind: 'superseded' });
    // One that may still be refused would have dropped for nothing what waits in line.
    const accept = (): boolean => (by.isAccepted ||= this.#refusal() === undefined);
    const waiting = accepted.supersede(by, reason, isAutomatic ? accept : undefined);
    if (this.#current !== undefined) stopTurn(this.#current, reason);
    if (!isAutomatic && waiting > 0) events.announce('cancel', reason);
  }

  /** A turn that was stopped before no longer hears of a person's stop by its own token, and what waits in line has to. */
  #stoppedFromOutside(outside: Token | undefined): void {
    if (outside?.reason !== undefined) this.#agent.status.stopped(outside.reason, false, -outside.stamp);
  }

  async #run<T>(body: (turn: Turn) => T | PromiseLike<T>, start: TurnStart): Promise<TurnReport<T>> {
    const run = this.#start(start);
    const outcome = await run.runBody(body);
    // Nothing to wait for is the rule, and costs nothing. Something may begin before this goes on.
    for (let open = run.bodyEnded(outcome); open !== undefined; open = run.whenIdle()) await open;
    return this.#end(run, outcome, start);
  }

  #start({ id, outside, budget, isAutomatic, stop: early }: TurnStart): TurnRun {
    const agent = this.#agent;
    const { link, lifetime, status, messages } = agent;
    const above = link?.started(agent);
    const { token } = lifetime;
    const ended = token.isCancelled ? undefined : agent.accepted.endedBy;
    const stop = early ?? (ended && stoppedToken(ended));
    // What was stopped while it waited hangs on that alone: a stop of what is above comes second, and its body never runs.
    const parents: Token[] = [stop ?? token];
    // A sub-agent on a call hangs on the turn through its lifetime already.
    if (stop === undefined && above !== undefined && link?.call === undefined) parents.unshift(above.token);
    if (stop === undefined && outside !== never) parents.push(outside);
    const run = new TurnRun(id, agent, { parents, above, budget, isAutomatic });
    this.#current = run;
    this.outside = outside;
    this.#lastStarted = run.id;
    status.apply('start');
    // Before anybody hears of the start: a listener may hand over what was typed ahead.
    messages.opened(run);
    // A listener of the start that stops the turn comes second.
    if (!run.token.isCancelled) run.listen();
    agent.emit({ type: 'turn-started', turnId: id });
    hearStop(run);
    messages.takeKept();
    return run;
  }

  /** The one terminal state and event of a turn. */
  #end<T>(run: TurnRun, outcome: Outcome<T>, { outside, stop }: TurnStart): TurnReport<T> {
    const agent = this.#agent;
    const { status, messages, clock, link, accepted } = agent;
    status.apply('end');
    // What a message that is given back now does to others is no stop of this turn.
    run.seal();
    const report = run.end(outcome, messages.closed(run));
    const { reason } = run.stops;
    if (reason !== undefined && reason.kind !== 'interjection') status.endCancelled(reason);
    const isPart = link?.run !== undefined || link?.call !== undefined;
    // Of what was refused when it was given, nothing was cut.
    if (report.status === 'cancelled' && !isPart && (stop === undefined || stop.reason !== accepted.endedBy))
      agent.onCut(run.token);
    this.#stoppedFromOutside(outside);
    this.outside = never;
    if (report.stop !== undefined) {
      this.#lastReport = report.stop;
      this.#endsThen = agent.stillRunning.ends;
    }
    this.#current = undefined;
    const tellParent = link?.ends(agent, run, report.status);
    if (agent.events.isHeard) {
      agent.emit({
        type: 'turn-ended',
        turnId: run.id,
        status: report.status,
        interrupted: reason !== undefined,
        ...(reason === undefined ? {} : { reason, kind: reason.kind }),
        ms: clock.now() - run.startedAt,
      });
    }
    tellParent?.();
    agent.over();
    return report;
  }

  /** Gives up on the accepted turns that nobody will start any more. */
  drain(reason: CancelReason): void {
    for (const { id, cancelled = reason } of this.#agent.accepted.drain()) this.#endsUnstarted(id, cancelled);
  }

  #endsUnstarted(turnId: number, reason: CancelReason): void {
    const { kind } = reason;
    this.#agent.emit({ type: 'turn-ended', turnId, status: 'cancelled', interrupted: true, reason, kind, ms: 0 });
  }
}
