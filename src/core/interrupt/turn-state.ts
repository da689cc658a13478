/**
 * What the model calls and tool calls of one turn share.
 * In the interrupt room below `model-call.ts` and `tool-calls.ts`; the turn owns one, the controller reads it.
 *
 * @module
 */
import type { Clock } from '../foundation/clock.ts';
import type { Releasable } from '../foundation/disposable.ts';
import type { CancelReason, CancelReasonInit } from '../foundation/reason.ts';
import { Arrivals } from './arrivals.ts';
import { BudgetWatch, type TurnBudget } from './budget.ts';
import { IdlePauses } from './idle-pauses.ts';
import type { Source, Token } from '../token/source.ts';
import { sourceBelow } from '../token/token.ts';
import type { InterruptEventBody } from './events.ts';
import type { InterruptController } from './handles.ts';
import type { StopReceipt, SubagentOptions } from './turn-report.ts';
import { InterjectionQueue, type Message } from './interjections.ts';
import { Owner } from './owner.ts';
import type { PartialOutput, ToolOutcome } from './outcomes.ts';
import { OperationList, type Operation, type OperationOutcome } from './report.ts';

/** What became of a sub-agent's last turn, if it was stopped. */
export interface InterruptedChild {
  readonly name: string;
  readonly reason: CancelReason;
  /** Not by what stopped the call as well. */
  readonly alone: boolean;
}

/** What a message does to a running tool. */
export type InterjectPolicy = 'finish' | 'cancel' | 'yield';

/** A model call or a tool call that has no outcome yet: what a message has to reach. */
export interface OpenWork {
  readonly kind: 'model' | 'tool';
  readonly source: Source;
  readonly isOver: boolean;
  /** Whether a message with delivery `now` ends it. */
  readonly isCutByMessage: boolean;
}

/** A tool call that has no outcome yet, and what was said in it that its outcome depends on. */
export interface OpenCall extends OpenWork {
  readonly kind: 'tool';
  readonly id: string;
  readonly name: string;
  readonly call: unknown;
  readonly turn: TurnState;
  readonly onInterject: InterjectPolicy;
  /** Resolves when the call has its outcome. */
  whenDone(): Promise<OperationOutcome>;
  /** The sub-agents on this call whose last turn was stopped. */
  interruptedChildren: Map<object, InterruptedChild> | undefined;
  /** What the tool gave a row of its own, while it runs. */
  tracked: Set<Operation> | undefined;
  /** What the tool has produced so far, if it told. */
  partial: { readonly value: unknown } | undefined;
  /** Why a question of the tool got no answer. */
  unanswered: CancelReason | undefined;
  /** What the tool threw to decline, whoever caught it. */
  declined: { readonly text: string | undefined } | undefined;
  /** Whether the tool entered a commit: something of it is done. */
  hasCommitted: boolean;
}

/** A model call that has no outcome yet. */
export interface OpenGeneration extends OpenWork {
  readonly kind: 'model';
}

/** What a turn needs of its controller. */
export interface TurnHost {
  readonly name: string;
  readonly clock: Clock;
  readonly graceMs: number;
  emit(event: InterruptEventBody): void;
  /** Messages were given out; the machine hears of it when none waits any more. */
  delivered(turn: TurnState, messages: readonly Message[]): void;
  /** The turn's budget is used up, and nothing of it runs any more. */
  endTurn(turn: TurnState, reason: CancelReason): void;
  /** A stop of the turn by one of its operations, or by its body: the report waits for everybody else. */
  cancelFrom(turn: TurnState, init: CancelReasonInit | string | undefined, caller?: Operation): StopReceipt;
  /** A model call was cut for its silence, or goes on after it. */
  timedOut(reason: CancelReason | undefined, canContinue: boolean): void;
  subagent(call: OpenCall | undefined, name: string, options: SubagentOptions | undefined): InterruptController;
}

/** What a turn is part of, and what it may use up. */
export interface TurnSetting {
  readonly above: TurnState | undefined;
  readonly budget: TurnBudget | undefined;
}

/** The shared state of one turn. */
export class TurnState extends Owner {
  readonly id: number;
  readonly host: TurnHost;
  readonly source: Source;
  readonly operations: OperationList;
  /** What callbacks threw while they were told. */
  readonly callbackErrors: unknown[] = [];
  readonly queue: InterjectionQueue = new InterjectionQueue();
  /** In call order; a place without a row is a call that has no outcome yet. */
  readonly calls: (ToolOutcome | undefined)[] = [];
  readonly partials: PartialOutput[] = [];
  /** What runs, or waits for its place in a batch. */
  readonly open: Arrivals<OpenCall | OpenGeneration> = new Arrivals<OpenCall | OpenGeneration>(isOver);
  /** The passive waits that a message ends. */
  readonly waits: Set<(reason: CancelReason) => void> = new Set();
  /** What hangs on more than this turn, and ends with it. */
  readonly guests: Releasable[] = [];
  readonly idlePauses: IdlePauses = new IdlePauses();
  readonly budget: BudgetWatch | undefined;
  /** The call whose code runs at this moment, up to its first `await`. */
  calling: OpenCall | undefined;
  modelCalls = 0;
  #refusals = 0;
  /** The report is made: a handle that somebody kept starts nothing any more. */
  isOver = false;

  /** The turn of the parent that waits for this one. */
  readonly #above: TurnState | undefined;

  constructor(id: number, host: TurnHost, parents: readonly Token[], { above, budget }: TurnSetting) {
    super();
    const { name, clock } = host;
    this.id = id;
    this.host = host;
    this.#above = above;
    this.source = sourceBelow({
      name,
      parent: parents,
      clock,
      onCallbackError: (error) => {
        this.callbackThrew(error);
      },
    });
    this.owns(this.source.token);
    this.operations = new OperationList(name, clock, above?.operations);
    this.budget = budget && new BudgetWatch(budget, clock);
  }

  get clock(): Clock {
    return this.host.clock;
  }

  get token(): Token {
    return this.source.token;
  }

  /**
   * Nothing starts under a handle that outlived its turn.
   *
   * @throws TypeError – the turn is over, and was not stopped.
   */
  requireOpen(): void {
    if (this.isOver && !this.token.isCancelled) throw new TypeError(`turn ${String(this.id)} is over`);
  }

  /**
   * Counts a refusal. From the second on each takes one turn of the event loop: a body that only tries again and again
   * would otherwise never let the grace, or a key press, be heard.
   */
  async refused(): Promise<void> {
    if (this.#refusals++ === 0) return;
    await new Promise<void>((resolve) => {
      this.clock.setTimer(resolve, 0, { ref: true });
    });
  }

  /** Whether this turn has refused something before. */
  get hasRefused(): boolean {
    return this.#refusals > 0;
  }

  /** Notes what a callback threw, here and in the turn that waits for this one. */
  callbackThrew(error: unknown): void {
    this.callbackErrors.push(error);
    this.#above?.callbackThrew(error);
  }

  /** Ends the model's output, and the tools that asked to hear of messages; nothing else. */
  cutGeneration(): void {
    const reason = { kind: 'interjection' } as const;
    for (const work of this.open.list()) {
      if (work.isCutByMessage) work.source.cancel(reason);
    }
  }

  /** A message waits for the model: tools that only wait for something need not keep it. */
  endWaits(reason: CancelReason): void {
    for (const end of [...this.waits]) end(reason);
  }

  /** Ends the turn if its budget refused a start for good; what runs runs to its end first. */
  async endIfExhausted(): Promise<void> {
    const reason = this.budget?.exhausted;
    if (reason === undefined) return;
    await this.operations.whenIdle();
    if (!this.isOver) this.host.endTurn(this, reason);
  }

  /** Something that was left behind has ended after all. */
  lateSettled(name: string, status: 'completed' | 'failed' | 'cancelled'): void {
    this.host.emit({ type: 'late-settled', turnId: this.id, name, status });
  }
}

function isOver(work: OpenWork): boolean {
  return work.isOver;
}
