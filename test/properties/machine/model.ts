/**
 * What a family of agents owes its user, kept by somebody who only watches: which work functions have been called and
 * have not returned, which messages were sent and seen, which stops were asked for and whom they concern. It never looks
 * at a controller. `broken` lists every law that did not hold.
 *
 * @module
 */
import type {
  CancelReason,
  Interjection,
  InterruptEvent,
  StopReport,
  OperationRow,
  ToolOutcome,
  ToolStatus,
  TurnReport,
} from '../../../src/index.ts';

/** One agent; `call` is what it hangs on, if it is the sub-agent of a call. */
export interface AgentBook {
  readonly name: string;
  readonly parent: AgentBook | undefined;
  readonly call: CallBook | undefined;
  readonly isDetached: boolean;
  readonly onChildInterrupted: 'propagate' | 'contain' | undefined;
}

/** One accepted prompt. */
export interface TurnBook {
  readonly agent: AgentBook;
  readonly id: number;
  /** The turn that it is part of. */
  above: TurnBook | undefined;
  readonly calls: CallBook[];
  status: 'accepted' | 'running' | 'ended';
  startedIn: number | undefined;
  /** The step in which its body ended. */
  closedIn: number | undefined;
  hasFailed: boolean;
  /** What the token it was given said before it began. */
  outside: Stop | undefined;
  /** The first stop that concerned it. */
  stop: Stop | undefined;
  /** Stops asked for while that one was being announced: one of them may have reached it first. */
  readonly alsoAsked: Stop[];
  /** The stops that were meant for it, and not for the turn above. */
  readonly alone: Set<Stop>;
  isKilled: boolean;
  /** What ran when its body threw: it has to be told. */
  leftByFailure: readonly Work[];
  /** What ran when it ended. */
  left: readonly Work[];
  /** What returned in the very step of its end: the library may have heard of it, or not. */
  justEnded: readonly Work[];
}

/** One tool call. */
export interface CallBook {
  readonly id: string;
  readonly turn: TurnBook;
  readonly hasLimit: boolean;
  readonly isCutByMessage: boolean;
  /** It only waits for its sub-agent, and obeys. */
  readonly onlyDelegates: boolean;
  readonly asks: boolean;
  /** It is for work elsewhere, of which nobody says what became of it. */
  readonly requests: boolean;
  work: Work | undefined;
  outcomes: number;
  /** What its row says. */
  status: ToolStatus | undefined;
  /** Handed over after the body had ended. */
  readonly isLate: boolean;
  stop: Stop | undefined;
  isDetached: boolean;
}

/** One function of the user's, from its call to its return. */
export interface Work {
  readonly name: string;
  readonly kind: 'body' | 'model' | 'tool' | 'question' | 'commit' | 'tracked' | 'background';
  readonly agent: AgentBook;
  /** None for background work. */
  readonly turn: TurnBook | undefined;
  /** The call that it is, or that started it. */
  readonly call: CallBook | undefined;
  /** Which stops came before it. */
  readonly startedAfter: number;
  isRunning: boolean;
  /** The step in which it returned. */
  endedIn: number | undefined;
  isGivenUp: boolean;
  /** From when on the library may have given up a model call that its limit, or a message, has cut. */
  leftFrom: number;
  /** The rung of the stops of everything that it was told: what comes later and is no higher reaches it no more. */
  told: 0 | 1 | 2;
}

/** One stop that somebody asked for; its message tells it apart. */
export interface Stop {
  readonly message: string;
  readonly kind: CancelReason['kind'];
  readonly order: number;
  /** Whether it reached anything that had not been told before. */
  isNews: boolean;
  /** Whether something nobody asked for may have come first. */
  isDoubtful: boolean;
  announced: number;
}

/** The book of everything. */
export class MachineModel {
  readonly broken: string[] = [];
  readonly turns: TurnBook[] = [];
  readonly works: Work[] = [];
  readonly calls: CallBook[] = [];
  readonly now: () => number;
  /** Counts the steps of the clock; what happens in one step happens in one tick. */
  step = 0;
  /** Whether listeners are being told of a stop that has not reached everything yet. */
  isAnnouncing = false;
  readonly #stops: Stop[] = [];
  readonly #sent = new Map<Interjection, string[]>();
  /** From here on no turn of the family runs. */
  #aborted: Stop | undefined;

  constructor(now: () => number) {
    this.now = now;
  }

  law(holds: boolean, text: string): void {
    if (!holds) this.broken.push(text);
  }

  // What is accepted, what starts, what ends.

  accepts(agent: AgentBook, id: number): TurnBook {
    const turn: TurnBook = {
      agent,
      id,
      above: undefined,
      calls: [],
      status: 'accepted',
      startedIn: undefined,
      closedIn: undefined,
      hasFailed: false,
      outside: undefined,
      stop: undefined,
      alsoAsked: [],
      alone: new Set(),
      isKilled: false,
      leftByFailure: [],
      left: [],
      justEnded: [],
    };
    this.turns.push(turn);
    return turn;
  }

  turnStarts(turn: TurnBook): void {
    const { agent } = turn;
    this.law(turn.status === 'accepted', `${nameOf(turn)} started twice`);
    this.law(!this.turns.some((one) => one.agent === agent && one.status === 'running'), `two turns of ${agent.name}`);
    turn.status = 'running';
    turn.startedIn = this.step;
    // A stop while it waited came after one of what it hangs on; that of the turn above, which it is part of from now on,
    // may have come before both.
    const wasBornUnder = turn.stop !== undefined && turn.stop === this.#bornUnder(turn);
    const isPart = agent.parent !== undefined && !agent.isDetached && agent.call?.isDetached !== true;
    if (isPart) turn.above = this.turns.find((one) => one.agent === agent.parent && one.status === 'running');
    // What may have reached the turn above, in the step of its end or as the first of two signals to which nobody listened,
    // may reach this one through it.
    const { stop, alsoAsked = [] } = turn.above ?? {};
    if (stop === undefined || alsoAsked.includes(stop)) turn.alsoAsked.push(...alsoAsked);
    const born = this.#bornUnder(turn);
    if (wasBornUnder) turn.stop = born;
    if (born !== undefined) this.#hit(turn, born, false);
  }

  starts(work: Omit<Work, 'startedAfter' | 'isRunning' | 'endedIn' | 'isGivenUp' | 'leftFrom' | 'told'>): Work {
    const begun: Work = {
      ...work,
      startedAfter: this.#stops.length,
      isRunning: true,
      endedIn: undefined,
      isGivenUp: false,
      leftFrom: Infinity,
      told: 0,
    };
    this.works.push(begun);
    const { kind, name, turn, call } = work;
    // What a user starts and only tells the library of is the user's own affair.
    if (kind === 'tracked' || kind === 'background') return begun;
    if (kind === 'tool' && call !== undefined) {
      this.law(call.work === undefined, `${name} started twice`);
      call.work = begun;
    }
    this.law(call?.stop === undefined, `${name} started after the stop of its call`);
    if (turn === undefined || call?.isDetached === true) return begun;
    for (let each: TurnBook | undefined = turn; each !== undefined; each = waitingFor(each))
      this.law(each.stop === undefined, `${name} started after the stop of ${nameOf(each)}`);
    this.law(turn.status === 'running', `${name} started while ${nameOf(turn)} had not begun or was over`);
    const isOwn = kind === 'model' || kind === 'tool';
    this.law(
      !isOwn || (turn.closedIn ?? Infinity) >= this.step,
      `${name} started after the body of ${nameOf(turn)} had ended`,
    );
    return begun;
  }

  /** A limit or a message cuts model calls; after their grace the library waits for them no more. */
  cuts(works: readonly Work[], at: number): void {
    for (const work of works)
      if (work.kind === 'model' && work.isRunning) work.leftFrom = Math.min(work.leftFrom, at + GRACE_MS);
  }

  /** The body of a turn throws. */
  fails(turn: TurnBook): void {
    turn.hasFailed = true;
    turn.leftByFailure = this.works.filter(
      (work) =>
        work.isRunning && work.turn === turn && (work.kind === 'tool' || work.kind === 'model') && !isSpared(work),
    );
  }

  ends(work: Work): void {
    work.isRunning = false;
    work.endedIn = this.step;
  }

  // Stops.

  /** A stop is asked for; whom it concerns follows. */
  asks(kind: Stop['kind']): Stop {
    const order = this.#stops.length;
    const stop: Stop = {
      message: `stop ${String(order)}`,
      kind,
      order,
      isNews: false,
      isDoubtful: this.isAnnouncing,
      announced: 0,
    };
    this.#stops.push(stop);
    return stop;
  }

  /** The first stop of what a prompt hangs on: it hears of that when it begins. */
  #bornUnder({ agent: { call }, outside, above, alsoAsked }: TurnBook): Stop | undefined {
    if (this.#aborted !== undefined && outside !== undefined) {
      // Nobody listened to either signal, so nobody knows which was first.
      this.#aborted.isDoubtful = outside.isDoubtful = true;
      alsoAsked.push(this.#aborted, outside);
    }
    const stops = [
      this.#aborted,
      outside,
      above?.stop,
      call?.stop,
      call?.isDetached === true ? undefined : call?.turn.stop,
    ];
    return stops.filter((stop) => stop !== undefined).sort((a, b) => a.order - b.order)[0];
  }

  /** One turn, and the turns that are part of it. */
  #hit(turn: TurnBook, stop: Stop, isAlone: boolean, isKill = false): void {
    if (turn.status === 'ended') return;
    if (isAlone) turn.alone.add(stop);
    const isEnding = this.#isEnding(turn);
    if (isEnding) {
      stop.isDoubtful = true;
      turn.alsoAsked.push(stop);
    }
    const isUpgrade = isKill && !turn.isKilled;
    if (turn.status === 'accepted' && turn.stop === undefined) {
      turn.stop = this.#bornUnder(turn);
    }
    if (isEnding) stop.isDoubtful = true;
    else if (turn.stop === undefined) {
      turn.stop = stop;
      stop.isNews = true;
      stop.isDoubtful ||= turn.alsoAsked.length > 0;
    } else if (this.isAnnouncing) {
      turn.alsoAsked.push(stop);
    } else if (isUpgrade && turn.status === 'running') {
      stop.isNews = true;
      // One that was born under a stop says both in one.
      stop.isDoubtful ||= turn.startedIn === this.step;
    }
    if (isKill) turn.isKilled = true;
    for (const below of this.turns)
      if (below.above === turn && below.agent.call?.isDetached !== true) this.#hit(below, stop, false, isKill);
  }

  /** Nothing of it runs any more: in this very step its end is being made. */
  #isEnding(turn: TurnBook): boolean {
    if (turn.closedIn === undefined) return false;
    const works = this.works.filter((work) => isPartOf(work.turn, turn));
    const isLeft = (work: Work): boolean =>
      work.isRunning && (work.leftFrom <= this.now() || isLeftByItsCall(work) || isAnswered(work));
    const isOver = works.every((work) => !work.isRunning || isLeft(work));
    return isOver && works.some((work) => work.endedIn === this.step || isLeft(work));
  }

  stopsTurn(turn: TurnBook, stop: Stop, isKill = false): void {
    this.#hit(turn, stop, true, isKill);
  }

  /** The turns of an agent, and those of sub-agents that work beside them; all: whatever hangs on the agent. */
  stopsAgent(agent: AgentBook, stop: Stop, { isKill = false, all = false, isAbort = false } = {}): void {
    for (const turn of this.turns) {
      // A prompt that has not begun hears of an outside token when it begins.
      if (isAbort && turn.status === 'accepted') continue;
      const isBelow = turn.agent !== agent && isIn(turn.agent, agent, all);
      const isBeside = turn.agent.parent !== undefined && turn.agent.call === undefined && turn.above === undefined;
      if (turn.agent === agent) this.#hit(turn, stop, true, isKill);
      else if (isBelow && (all || isBeside) && turn.status !== 'accepted') this.#hit(turn, stop, false, isKill);
    }
    if (!all) return;
    for (const work of this.works)
      if (work.isRunning && isSpared(work) && !isLeftByItsCall(work) && isIn(ownerOf(work), agent, true)) {
        // What hangs on the call has heard of the stop of its own turn.
        const wasTold = work.call?.isDetached !== true && work.turn?.stop !== undefined && work.turn.stop !== stop;
        const rung = isKill ? 2 : 1;
        stop.isNews ||= !wasTold && work.told < rung && (isKill || work.call?.stop === undefined);
        if (work.told < rung) work.told = rung;
      }
    for (const call of this.calls)
      if (call.isDetached && call.work?.isRunning === true && isIn(outliving(call.turn.agent), agent, true))
        call.stop ??= stop;
  }

  /** The token that one turn was given. */
  abortsTurn(turn: TurnBook, stop: Stop): void {
    if (turn.status === 'accepted') turn.outside ??= stop;
    else this.#hit(turn, stop, true);
  }

  /** The outside token of the family. */
  aborts(root: AgentBook, stop: Stop): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = stop;
    this.stopsAgent(root, stop, { all: true, isAbort: true });
  }

  stopsCall(call: CallBook, stop: Stop): void {
    if (call.outcomes > 0 && !(call.isDetached && call.work?.isRunning === true)) return;
    // Its turn was stopped before it, unless it had left that turn.
    const before = call.isDetached ? undefined : call.turn.stop;
    if (before !== undefined && !this.isAnnouncing) return;
    if (before === undefined && call.stop === undefined) {
      call.stop = stop;
      // A limit or a message may have stopped it before.
      stop.isNews = call.work?.isRunning === true && !mayBeTold(call);
    }
    for (const turn of this.turns)
      if (turn.agent.call === call) this.#hit(turn, this.isAnnouncing ? stop : (call.stop ?? stop), false);
  }

  // What the library says.

  hears(event: InterruptEvent, turn: TurnBook | undefined): void {
    if (event.type === 'interrupt-requested' && event.kind !== 'interjection') {
      const stop = this.#stops.find(({ message }) => message === event.reason.message);
      if (stop !== undefined) stop.announced += 1;
    }
    if (event.type === 'background-ended') {
      for (const work of this.works) {
        const isIt = work.name === event.name || (work.kind === 'commit' && work.call?.id === event.name);
        if (isIt && event.status === 'abandoned') work.isGivenUp = true;
      }
      const work = this.works.find(({ name }) => name === event.name);
      if (work !== undefined)
        this.law(
          work.isRunning === (event.status === 'abandoned'),
          `background ${event.name} is ${event.status}, running: ${String(work.isRunning)}`,
        );
    }
    if (turn === undefined) return;
    this.law(
      turn.status !== 'ended' || event.type === 'late-settled',
      `${event.type} after the end of ${nameOf(turn)}`,
    );
    if (event.type === 'turn-started') this.turnStarts(turn);
    if (event.type === 'turn-ended') this.#turnEnds(turn, event.reason);
    if (event.type === 'tool-outcome') this.#outcome(event.outcome);
    // Of a body that still runs it says that the turn waits for it no more.
    if (event.type === 'body-ended') {
      const body = this.works.find((work) => work.kind === 'body' && work.turn === turn);
      if (body !== undefined) body.isGivenUp = body.isRunning;
    }
    if (event.type === 'call-detached') {
      const call = this.calls.find(({ id }) => id === event.callId);
      if (call !== undefined) call.isDetached = true;
    }
  }

  #outcome({ id, status }: ToolOutcome): void {
    const call = this.calls.find((one) => one.id === id);
    if (call === undefined) return void this.broken.push(`an outcome of ${id}, which is no call`);
    call.outcomes += 1;
    call.status = status;
    this.law(call.outcomes === 1, `${id} has ${String(call.outcomes)} outcomes`);
    const { work } = call;
    // A grace waits for those below, after a kill too.
    this.law(status !== 'unknown' || !call.onlyDelegates, `${id} is unknown, and only waited for others`);
    const didStart = !(status === 'not-started' || status === 'skipped');
    // Of a call that was still asking, nothing has begun.
    const isRight = didStart === (work !== undefined) || (status === 'not-started' && call.asks);
    this.law(isRight, `${id} is ${status}, started: ${String(work !== undefined)}`);
    if (work === undefined || work.endedIn === this.step) return;
    const runsOn = status === 'unknown' || status === 'detached';
    // What is over here may go on elsewhere.
    if (status === 'unknown' && call.requests && !work.isRunning) return;
    this.law(work.isRunning === runsOn, `${id} is ${status}, running: ${String(work.isRunning)}`);
  }

  #turnEnds(turn: TurnBook, reason: CancelReason | undefined): void {
    const { agent } = turn;
    if (turn.stop === undefined) {
      turn.stop = turn.alsoAsked.find(({ message }) => message === reason?.message);
    }
    const { stop } = turn;
    turn.status = 'ended';
    turn.left = this.works.filter((work) => work.isRunning && isNamedBy(turn, work));
    turn.justEnded = this.works.filter(
      (work) => work.endedIn === this.step || (work.isRunning && !turn.left.includes(work) && isGivenUp(work)),
    );
    const isDerived = reason !== undefined && isDerivedFor(turn, reason.kind);
    // A body that threw before the stop has stopped the rest itself.
    if (
      stop !== undefined &&
      ((reason === undefined && turn.hasFailed) || (reason?.message !== stop.message && isDerived))
    ) {
      stop.isDoubtful = true;
      return;
    }
    if (stop === undefined)
      this.law(
        reason === undefined || isDerived,
        `${nameOf(turn)} ended by ${String(reason?.message)}, and nobody stopped it`,
      );
    else
      this.law(
        [stop, ...turn.alsoAsked].some(({ message }) => message === reason?.message) || isDerived,
        `${nameOf(turn)} ended by ${String(reason?.message)}, not by ${stop.message}`,
      );
    // Nobody above waits for what was sent to the background.
    if (stop === undefined || turn.above === undefined || agent.call?.isDetached === true) return;
    if (!turn.alone.has(stop)) {
      // One that was meant for it alone may have come first.
      if (turn.alsoAsked.some((each) => turn.alone.has(each))) turn.above.alsoAsked.push(stop, ...turn.alsoAsked);
      return;
    }
    const propagates = (agent.onChildInterrupted ?? (stop.kind === 'user' ? 'propagate' : 'contain')) === 'propagate';
    if (propagates) this.#hit(turn.above, stop, true);
  }

  /** The report of a stop of everything: background work of before it is gone or named. */
  settlesAll(agent: AgentBook, stop: Stop, { abandoned }: StopReport): void {
    for (const work of this.works) {
      if (work.kind !== 'background' || work.startedAfter > stop.order || !isIn(work.agent, agent, true)) continue;
      this.law(!work.isRunning || abandoned.includes(work.name), `${stop.message} has settled, and ${work.name} runs`);
    }
  }

  /** A row and a report never contradict each other, whoever asked for the report. */
  agrees({ operations, abandoned }: Pick<StopReport, 'operations' | 'abandoned'>): void {
    const statusOf = (name: string): ToolStatus | undefined => this.calls.find(({ id }) => id === name)?.status;
    for (const { kind, name, outcome } of operations) {
      const status = kind === 'tool' ? statusOf(name) : undefined;
      if (status === undefined || outcome === 'caller') continue;
      this.law(outcomesOf[status].includes(outcome), `${name} is ${status} in its row, and ${outcome} in a report`);
    }
    for (const name of abandoned) {
      const status = statusOf(name) ?? 'unknown';
      const mayRun = status === 'unknown' || status === 'detached';
      this.law(mayRun, `${name} is ${status} in its row, and a report names it as left running`);
    }
  }

  reports(turn: TurnBook, report: TurnReport<unknown>): void {
    this.agrees({ operations: [], abandoned: report.abandoned ?? [] });
    for (const { id, status } of report.calls) {
      const told = this.calls.find((call) => call.id === id)?.status;
      this.law(told === status, `${id} was told as ${String(told)}, and is ${status} in its report`);
    }
    this.law(turn.status === 'ended', `the report of ${nameOf(turn)} came before its end`);
    const ids = (list: readonly { readonly id: string }[]): string => list.map(({ id }) => id).join();
    this.law(
      ids(report.calls) === ids(turn.calls),
      `${nameOf(turn)}: rows ${ids(report.calls)} for calls ${ids(turn.calls)}`,
    );
    if (report.stop !== undefined) {
      this.agrees(report.stop);
      const running = sorted(turn.left.map(({ name }) => name));
      const gone = turn.justEnded.map(({ name }) => name);
      const named = sorted(report.stop.abandoned.filter((name) => running.includes(name) || !gone.includes(name)));
      this.law(named.join() === running.join(), `${nameOf(turn)} names [${named.join()}], and [${running.join()}] run`);
      this.law(
        report.stop.settledMs <= LONGEST_STOP_MS,
        `${nameOf(turn)}: a stop of ${String(report.stop.settledMs)} ms`,
      );
    } else {
      const unnamed = turn.left.filter((work) => !wasGivenUp(work, turn)).map(({ name }) => name);
      this.law(unnamed.length === 0, `${nameOf(turn)} has no stop report, and [${unnamed.join()}] run`);
    }
    // Obedient work that the body's failure did not stop would have gone on to its own end.
    const wasLeft = turn.leftByFailure.some(
      (work) => work.endedIn !== turn.closedIn && work.call?.isDetached !== true && !turn.left.includes(work),
    );
    this.law(!wasLeft || report.stop !== undefined, `${nameOf(turn)} failed, and told nobody`);
    if (turn.stop === undefined) return;
    const isRight = report.status === 'cancelled' || (turn.hasFailed && report.status === 'failed');
    this.law(report.stop !== undefined && isRight, `${nameOf(turn)} was stopped and is ${report.status}`);
  }

  // Messages.

  sends(message: Interjection): void {
    this.#sent.set(message, []);
  }

  found(messages: readonly Interjection[], where: 'a model call' | 'a report'): void {
    for (const message of messages) {
      this.#sent.get(message)?.push(where);
      const expected = where === 'a report' ? 'undelivered' : 'delivered';
      this.law(message.status === expected, `message ${String(message.message)} in ${where} is ${message.status}`);
    }
  }

  withdraws(message: Interjection, done: boolean): void {
    if (done) this.#sent.get(message)?.push('its sender');
  }

  /** Everything is over. */
  closes(isReturning: boolean): void {
    for (const turn of this.turns) this.law(turn.status === 'ended', `${nameOf(turn)} has no end`);
    for (const call of this.calls)
      this.law(call.outcomes === 1 || call.isLate || !call.turn.calls.includes(call), `${call.id} has no outcome`);
    for (const stop of this.#stops) {
      const expected = stop.isNews && !stop.isDoubtful ? stop.announced === 1 : stop.announced <= 1;
      this.law(
        expected,
        `${stop.message} (${stop.isNews ? 'news' : 'no news'}) was announced ${String(stop.announced)} times`,
      );
    }
    for (const [message, places] of this.#sent) {
      const name = `message ${String(message.message)} (${message.delivery}, ${message.status})`;
      this.law(places.length <= 1, `${name} turned up in ${places.join(' and ')}`);
      this.law(message.status !== 'queued', `${name} is still queued`);
      if (message.status === 'delivered') this.law(places[0] === 'a model call', `${name} was shown to nobody`);
      if (message.status === 'withdrawn') this.law(places[0] === 'its sender', `${name} was withdrawn by nobody`);
      if (isReturning && message.status === 'undelivered' && places.length === 0)
        this.broken.push(`${name} is in no report`);
    }
  }
}

/** What a report may say of a call whose row says that; what was left behind may have ended by the time of the report. */
const outcomesOf: Readonly<Record<ToolStatus, readonly OperationRow['outcome'][]>> = {
  completed: ['completed'],
  declined: ['completed'],
  failed: ['failed'],
  stopped: ['cancelled'],
  'not-started': ['not-started'],
  skipped: ['not-started'],
  detached: ['detached'],
  unknown: ['abandoned', 'completed', 'failed', 'cancelled'],
};

/** The grace of everything, by default. */
export const GRACE_MS = 100;

/** A stop of four levels, each with its grace of 100 ms, a cleaning of 30 ms and a commit of 200 ms. */
const LONGEST_STOP_MS = 1_500;

function sorted(names: readonly string[]): string[] {
  return [...names].sort();
}

function nameOf({ agent, id }: TurnBook): string {
  return `${agent.name}#${String(id)}`;
}

/** Whether an agent hangs on another, or is it. */
function isIn(agent: AgentBook, above: AgentBook, isThroughDetached: boolean): boolean {
  for (let each: AgentBook | undefined = agent; each !== undefined; each = each.parent) {
    if (each === above) return true;
    if (each.isDetached && !isThroughDetached) return false;
  }
  return false;
}

/** Whether one turn is the other, or part of it. */
function isPartOf(turn: TurnBook | undefined, whole: TurnBook): boolean {
  for (let each = turn; each !== undefined; each = each.above) if (each === whole) return true;
  return false;
}

/** The turn above, unless the call between them was sent to the background. */
function waitingFor({ agent, above }: TurnBook): TurnBook | undefined {
  return agent.call?.isDetached === true ? undefined : above;
}

/** Background work, and what a call that was sent there does; for somebody further up, or for an agent above both. */
function isSpared(work: Work, above?: AgentBook): boolean {
  if (work.isGivenUp) return false;
  if (work.kind === 'background') return true;
  let turn = work.turn;
  for (let call = work.call ?? work.agent.call; call !== undefined; call = turn.agent.call) {
    // A turn waits for what is part of it, or gives it up: then it is named like anything else that was given up.
    if (call !== work.call && turn?.status === 'ended') return false;
    if (call.isDetached && (above === undefined || isIn(call.turn.agent, above, true))) return true;
    turn = call.turn;
  }
  return false;
}

/** The nearest agent that does not end with a call: background work belongs to it. */
export function outliving(agent: AgentBook): AgentBook {
  return agent.call === undefined ? agent : outliving(agent.call.turn.agent);
}

/** Whose background work it is, or is part of. */
function ownerOf(work: Work): AgentBook {
  for (let call = work.call ?? work.agent.call; call !== undefined; call = call.turn.agent.call)
    if (call.isDetached) return outliving(call.turn.agent);
  return work.agent;
}

/** What a call started and did not wait for, once the call has ended: later stops name it, and no more. */
function isLeftByItsCall({ kind, call }: Work): boolean {
  return kind === 'tracked' && call?.work?.isRunning === false;
}

/** Whether its call was answered without it, so that its turn does not wait for it. */
function isAnswered({ call }: Work): boolean {
  return call !== undefined && call.outcomes > 0 && !call.isDetached;
}

/** Whether the report of a turn has to name the work, if it runs: its own, and what was given up before. */
function isNamedBy(turn: TurnBook, work: Work): boolean {
  // A question is no operation, and a commit is its call.
  if (work.kind === 'question' || work.kind === 'commit' || isSpared(work, turn.agent)) return false;
  // Given up there, it is named by those who wait for the agent that it belongs to.
  if (work.isGivenUp && work.call?.isDetached === true) return isIn(ownerOf(work), turn.agent, false);
  if (isPartOf(work.turn, turn)) return true;
  if (!isIn(work.agent, turn.agent, false)) return false;
  return work.turn === undefined || work.turn.status === 'ended' || work.isGivenUp;
}

/** Whether its call was answered without it, or its turn, which is none of the model's, may have done so. */
function isGivenUp({ kind, call, turn }: Work): boolean {
  return kind === 'model' ? turn?.stop !== undefined : (call?.outcomes ?? 0) > 0;
}

/** Whether the work was told to stop by itself: by its call, its limit, a message, or together with another turn. */
function wasGivenUp(work: Work, turn: TurnBook): boolean {
  if (work.turn !== turn) return true;
  // What a call left running beside it is given up with the call.
  if (work.kind === 'model' || (work.kind === 'tracked' && work.call !== undefined)) return true;
  const { call } = work;
  return call !== undefined && (call.stop !== undefined || call.hasLimit || call.isCutByMessage);
}

/** Whether a limit, a message or a failure may have told it to stop, itself or above. */
function mayBeTold({ hasLimit, isCutByMessage, turn }: CallBook): boolean {
  return hasLimit || isCutByMessage || turn.hasFailed || (turn.agent.call !== undefined && mayBeTold(turn.agent.call));
}

/** Stops that nobody asked for: a body that threw, a limit of a call above, a message that cuts a call above. */
function isDerivedFor(turn: TurnBook, kind: CancelReason['kind']): boolean {
  const { call } = turn.agent;
  const above = turn.above ?? call?.turn;
  if (above === undefined) return false;
  if (kind === 'sibling' && above.hasFailed) return true;
  if (kind === 'deadline' && call?.hasLimit === true) return true;
  if (kind === 'interjection' && call?.isCutByMessage === true) return true;
  return isDerivedFor(above, kind);
}
