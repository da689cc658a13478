/**
 * What a family of agents owes its user, written so that it can be seen to be right: which turn has been told to stop,
 * what may start, where each message is, what each call may have come to. It hears of everything that is done and of
 * everything that user code sees, and never looks at a controller.
 */
import type { Delivery, Interjection, ToolOutcome, TurnBudget, TurnReport } from '../../../src/index.ts';

/** One prompt of one agent. */
interface ModelTurn {
  readonly agent: string;
  readonly id: number;
  /** The call it hangs on, and whether a stop of it alone stops the turn of that call. */
  readonly call: ModelCall | undefined;
  readonly propagates: boolean;
  readonly calls: ModelCall[];
  readonly budget: TurnBudget | undefined;
  /** Beside the turn that started it: only what ends everything reaches it. */
  readonly isDetached: boolean;
  outputTokens: number;
  wrapUps: number;
  modelCalls: number;
  toolCalls: number;
  began: boolean;
  ends: number;
  stopped: boolean;
  /** Whether the stop was not one of the turn above. */
  alone: boolean;
  /** Whether the stop came in a drain, to what had been given before it; a budget of its own is none. */
  cut: boolean;
  broke: boolean;
}

/** One tool call, as far as its own code knows. */
interface ModelCall {
  readonly id: string;
  readonly turn: ModelTurn;
  readonly onInterject: 'finish' | 'cancel' | 'yield';
  /** Whether its question was cancelled. */
  unanswered: boolean;
  asks: boolean;
  starts: number;
  ended: 'completed' | 'failed' | undefined;
  outcomes: number;
  stopped: boolean;
  /** Whether a sub-agent on it was stopped before the tool returned. */
  childStopped: boolean;
}

/** Where a prompt comes from, and what its turn may use up. */
interface Origin {
  readonly above: { readonly callId: string; readonly propagates: boolean } | undefined;
  readonly budget: TurnBudget | undefined;
  readonly isDetached: boolean;
}

/** Whether a limit that model calls keep is reached. */
function modelsAreSpent({ budget = {}, modelCalls, outputTokens }: ModelTurn): boolean {
  return modelCalls >= (budget.modelCalls ?? Infinity) || outputTokens >= (budget.outputTokens ?? Infinity);
}

/** Whether a limit that counts is reached; time the book does not measure. */
function isSpent(turn: ModelTurn): boolean {
  const { budget = {}, toolCalls } = turn;
  return modelsAreSpent(turn) || toolCalls >= (budget.toolCalls ?? Infinity) || budget.wallMs !== undefined;
}

/** The book of everything; `broken` lists every law that did not hold. */
export class TurnModel {
  readonly broken: string[] = [];
  readonly #turns: ModelTurn[] = [];
  readonly #calls = new Map<string, ModelCall>();
  /** Where each message turned up, in order. */
  readonly #messages = new Map<number, string[]>();
  readonly #sent = new Set<Delivery>();
  /** Agents with a stop that nobody was told of. */
  readonly #untold = new Set<string>();
  #isDraining = false;

  #law(holds: boolean, text: string): void {
    if (!holds) this.broken.push(text);
  }

  #turn(agent: string, id: number): ModelTurn {
    const turn = this.#turns.find((one) => one.agent === agent && one.id === id);
    if (turn === undefined) throw new Error(`no turn ${String(id)} of ${agent}`);
    return turn;
  }

  #call(id: string): ModelCall {
    const call = this.#calls.get(id);
    if (call === undefined) throw new Error(`no call ${id}`);
    return call;
  }

  accept(agent: string, id: number, { above, budget, isDetached }: Origin): void {
    this.#law(
      !this.#turns.some((one) => one.agent === agent && one.id === id),
      `${agent} ${String(id)} accepted twice`,
    );
    const call = above === undefined ? undefined : this.#call(above.callId);
    this.#turns.push({
      agent,
      id,
      call,
      propagates: above?.propagates ?? false,
      calls: [],
      budget,
      isDetached,
      outputTokens: 0,
      wrapUps: 0,
      modelCalls: 0,
      toolCalls: 0,
      began: false,
      ends: 0,
      stopped: call !== undefined && (call.turn.stopped || call.turn.broke || call.stopped),
      alone: false,
      cut: false,
      broke: false,
    });
  }

  begin(agent: string, id: number): void {
    const turn = this.#turn(agent, id);
    this.#law(!turn.began, `${agent} ${String(id)} began twice`);
    const others = this.#turns.filter((one) => one.agent === agent && one.began && one.ends === 0);
    this.#law(others.length === 0, `two turns of ${agent} at once`);
    turn.began = true;
  }

  /** The terminal event. A turn that was stopped alone stops the one above it now, before anything else happens. */
  end(
    agent: string,
    id: number,
    { interrupted, kind }: { readonly interrupted: boolean; readonly kind?: string | undefined },
  ): void {
    const turn = this.#turn(agent, id);
    turn.ends += 1;
    if (kind === 'budget') {
      this.#law(isSpent(turn), `${agent} ${String(id)} ended by a budget that is not used up`);
      turn.stopped = true;
    }
    if (interrupted) this.#untold.add(agent);
    this.#law(turn.ends === 1, `${agent} ${String(id)} ended twice`);
    this.#law(
      interrupted === turn.stopped,
      `${agent} ${String(id)}: interrupted ${String(interrupted)}, stopped ${String(turn.stopped)}`,
    );
    if (!turn.stopped || turn.call === undefined) return;
    if (turn.call.ended === undefined) turn.call.childStopped = true;
    if (turn.alone && turn.propagates) this.#stop(turn.call.turn, true);
  }

  #stop(turn: ModelTurn, alone: boolean): void {
    if (turn.stopped || turn.ends > 0) return;
    turn.stopped = true;
    turn.alone = alone;
    turn.cut = this.#isDraining;
    for (const below of this.#turns) if (below.call?.turn === turn) this.#stop(below, false);
  }

  /** A cancel or a kill of an agent: all that it has accepted and not ended, or the one turn. Says whether it counts. */
  stop(agent: string, id?: number): boolean {
    const hit = this.#turns.filter(
      (one) => one.agent === agent && one.ends === 0 && (id === undefined || one.id === id),
    );
    for (const turn of hit) this.#stop(turn, true);
    return hit.length > 0;
  }

  /** A drain lets nothing begin that waits in line. Says what that is. */
  drains(agent: string): readonly number[] {
    this.#isDraining = true;
    const line = this.#turns.filter((one) => one.agent === agent && !one.began && one.ends === 0 && !one.stopped);
    for (const turn of line) this.#stop(turn, true);
    return line.map(({ id }) => id);
  }

  /** What is given in a drain never begins, and nothing of it is cut. */
  refuses(agent: string, id: number): void {
    const turn = this.#turn(agent, id);
    this.#stop(turn, true);
    turn.cut = false;
  }

  /** Whether a turn that has ended was cut by a stop in the drain. */
  wasCut(agent: string, id: number): boolean {
    return this.#turn(agent, id).cut;
  }

  /** A stop of everything: detached work, prompts that have not begun, and what hangs below. Says whether it counts. */
  stopAll(): boolean {
    const hit = this.#turns.filter(({ ends, call }) => ends === 0 && call === undefined);
    for (const turn of hit) this.#stop(turn, false);
    return hit.length > 0;
  }

  /** A stop of one call. */
  stopCall(callId: string): void {
    const call = this.#calls.get(callId);
    if (call === undefined || call.outcomes > 0) return;
    call.stopped = true;
    for (const below of this.#turns) if (below.call === call) this.#stop(below, false);
  }

  /** User code begins: a body, a model call, a question, a hook. */
  starts(agent: string, id: number, what: string): void {
    const turn = this.#turn(agent, id);
    this.#law(!turn.stopped, `${what} started after the stop of ${agent} ${String(id)}`);
    this.#law(turn.began && turn.ends === 0, `${what} started outside ${agent} ${String(id)}`);
  }

  /** A call of the model begins: one more than the budget allows never does. */
  startsModel(agent: string, id: number, isWrapUp: boolean): void {
    this.starts(agent, id, 'a model call');
    const turn = this.#turn(agent, id);
    const name = `${agent} ${String(id)}: a model call`;
    if (isWrapUp) this.#law(isSpent(turn), `${name} to end with, while there is some left`);
    if (modelsAreSpent(turn)) this.#law(isWrapUp, `${name} beyond the budget that does not know of it`);
    if (isWrapUp) turn.wrapUps += 1;
    this.#law(turn.wrapUps <= (turn.budget?.wrapUpCalls ?? 0), `${name} beyond its budget`);
    turn.modelCalls += 1;
  }

  /** A call of the model told of its output. */
  produces(agent: string, id: number, outputTokens: number): void {
    this.#turn(agent, id).outputTokens += outputTokens;
  }

  /** A call of the model knows whether it was made before; it is repeated once. */
  recovers(isContinuation: boolean, attempt: number): void {
    this.#law(isContinuation === (attempt === 2) && attempt <= 2, `attempt ${String(attempt)} of a model call`);
  }

  /** The model was silent for good. */
  breaks(agent: string, id: number, attempts: number): void {
    this.#law(attempts === 2, `given up after ${String(attempts)} attempts`);
    const turn = this.#turn(agent, id);
    turn.broke = true;
    // Its body fails with that, and what still runs of the turn is told to stop.
    for (const below of this.#turns) if (below.call?.turn === turn) this.#stop(below, false);
  }

  /** A call begins with a question. */
  asks(callId: string): void {
    this.#call(callId).asks = true;
  }

  /** The question of a call was cancelled. */
  unanswered(callId: string): void {
    const call = this.#call(callId);
    call.unanswered = true;
    this.#law(this.#isTold(call), `${callId}: a question cancelled by nobody`);
  }

  /** A passive wait ended for a message. */
  yields(callId: string): void {
    const { onInterject } = this.#call(callId);
    this.#law(onInterject === 'yield' && this.#sent.size > 0, `${callId} yields to nothing`);
  }

  /** Whether the agent's turn was told to stop and has not ended. */
  isStopping(agent: string): boolean {
    return this.#turns.some((one) => one.agent === agent && one.began && one.ends === 0 && one.stopped);
  }

  /** Whether a turn that was stopped has ended, and nobody was told. */
  isUntold(agent: string): boolean {
    return this.#untold.has(agent);
  }

  consumes(agent: string): boolean {
    return this.#untold.delete(agent);
  }

  #isTold({ turn, stopped, onInterject }: ModelCall): boolean {
    // A body that fails tells what still runs to stop.
    return turn.stopped || turn.broke || stopped || (onInterject === 'cancel' && this.#sent.has('now'));
  }

  /** A batch is handed over. */
  intends(agent: string, id: number, ids: readonly string[], onInterject: ModelCall['onInterject']): void {
    const turn = this.#turn(agent, id);
    for (const callId of ids) {
      const state = {
        starts: 0,
        ended: undefined,
        outcomes: 0,
        stopped: false,
        childStopped: false,
        unanswered: false,
        asks: false,
      };
      const call: ModelCall = { id: callId, turn, onInterject, ...state };
      turn.calls.push(call);
      this.#calls.set(callId, call);
    }
  }

  toolStarts(callId: string): void {
    const call = this.#call(callId);
    call.starts += 1;
    this.#law(call.starts === 1, `${callId} started twice`);
    this.#law(!call.stopped, `${callId} started after its stop`);
    call.turn.toolCalls += 1;
    this.#law(call.turn.toolCalls <= (call.turn.budget?.toolCalls ?? Infinity), `${callId} is beyond the budget`);
    this.starts(call.turn.agent, call.turn.id, callId);
  }

  toolEnds(callId: string, how: 'completed' | 'failed'): void {
    this.#call(callId).ended = how;
  }

  /** The event of an outcome. */
  outcome(callId: string): void {
    const call = this.#call(callId);
    call.outcomes += 1;
    this.#law(call.outcomes === 1, `${callId} has two outcomes`);
  }

  /** A message was sent; its text is its number. */
  sends(message: Interjection): void {
    this.#sent.add(message.delivery);
    const nobody = !this.#turns.some((one) => one.began && one.ends === 0 && !one.isDetached);
    this.#messages.set(Number(message.message), nobody && message.status === 'undelivered' ? ['given back'] : []);
  }

  /** The agent is closed: a message that was kept for a next turn has nobody to go to. */
  returns({ message, status }: Interjection): void {
    const places = this.#messages.get(Number(message));
    if (places?.length !== 0) return;
    this.#law(status === 'undelivered', `message ${String(message)} of a closed agent is ${status}`);
    places.push('given back');
  }

  /** Messages turned up in a model call or in a report. */
  found(messages: readonly Interjection[], where: string): void {
    const numbers = messages.map(({ message }) => Number(message));
    for (const number of numbers) this.#messages.get(number)?.push(where);
    this.#law(
      numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0)),
      `out of order: ${numbers.join()}`,
    );
    for (const { message, status } of messages) {
      const expected = where === 'report' ? 'undelivered' : 'delivered';
      this.#law(status === expected, `message ${String(message)} in ${where} is ${status}`);
    }
  }

  /** The report of a turn against everything that was seen of it. */
  reports(agent: string, id: number, report: TurnReport<unknown>): void {
    const turn = this.#turn(agent, id);
    const name = `${agent} ${String(id)} (${turn.stopped ? 'stopped' : 'not stopped'})`;
    const expected = turn.broke ? ['failed'] : [turn.stopped ? 'cancelled' : 'completed'];
    if (turn.broke && turn.stopped) expected.push('cancelled');
    this.#law(expected.includes(report.status), `${name} is ${report.status}`);
    // What still ran of a turn whose body failed was told to stop, if anything did.
    const mayHaveStop = turn.stopped || turn.broke;
    this.#law(report.stop === undefined ? !turn.stopped : mayHaveStop, `${name} and its stop report`);
    const [rows, calls] = [report.calls.map((row) => row.id).join(), turn.calls.map((call) => call.id).join()];
    this.#law(rows === calls, `${name}: rows ${rows} for calls ${calls}`);
    for (const row of report.calls) this.#checkRow(row);
  }

  #checkRow(row: ToolOutcome): void {
    const call = this.#call(row.id);
    const told = this.#isTold(call);
    const isOverBudget = 'reason' in row && row.reason.kind === 'budget';
    if (isOverBudget) this.#law(row.status === 'not-started' && isSpent(call.turn), `${row.id} was cut by a budget`);
    const allowed: Readonly<Record<ToolOutcome['status'], boolean>> = {
      completed: call.starts === 1 && call.ended === 'completed' && !call.childStopped && !call.unanswered,
      failed: call.starts === 1 && call.ended === 'failed' && !call.childStopped,
      // Of a call that was still asking, nothing has begun.
      'not-started':
        (call.starts === 0 && (call.turn.stopped || call.stopped || isOverBudget)) ||
        (call.starts === 1 && call.asks && !call.unanswered && told),
      skipped: call.starts === 0 && this.#sent.has('after-current-tool'),
      stopped: call.starts === 1 && (told || call.childStopped),
      unknown: call.starts === 1 && told,
      declined: false,
      detached: false,
    };
    this.#law(allowed[row.status], `${row.id} is ${row.status}: ${JSON.stringify({ ...call, turn: told })}`);
    this.#law(call.outcomes === 1, `${row.id} has ${String(call.outcomes)} outcomes`);
  }

  /** When all is over: each turn has ended, each message is in exactly one place. */
  closes(): void {
    for (const { agent, id, ends } of this.#turns)
      this.#law(ends === 1, `${agent} ${String(id)} ended ${String(ends)} times`);
    for (const [number, places] of this.#messages) {
      this.#law(
        places.length === 1,
        `message ${String(number)} is in ${String(places.length)} places: ${places.join()}`,
      );
    }
  }
}
