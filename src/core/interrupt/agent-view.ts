/**
 * What an agent shows of itself: its name, where it stands, what the model has not been told, its events and its life.
 * In the interrupt room below the controller, which extends it by everything that can be done to an agent. The parts are
 * protected rather than #private because the two are one object.
 *
 * @module
 */
import { optionalText, requireMs, show } from '../foundation/check.ts';
import type { Clock } from '../foundation/clock.ts';
import { reasonFromJSON, reasonToJSON, type CancelReason } from '../foundation/reason.ts';
import { clockOf, reportCallbackError } from '../token/environment.ts';
import type { Registration } from '../token/handles.ts';
import { tokenOf } from '../token/link.ts';
import type { Token } from '../token/source.ts';
import { EventHub } from './event-hub.ts';
import type { InterruptEvent, InterruptEventBody } from './events.ts';
import { AgentLife } from './life.ts';
import type { InterruptState } from './machine.ts';
import { InterruptStatus } from './status.ts';
import type { SubagentLink } from './subagents.ts';
import type { AgentSnapshot, InterruptControllerOptions, Interruption } from './turn-report.ts';
import type { TurnRun } from './turn-run.ts';

/** The half of a controller that is looked at. */
export abstract class AgentView {
  readonly name: string;
  readonly graceMs: number;
  readonly clock: Clock;
  readonly link: SubagentLink | undefined;
  readonly events: EventHub;
  protected readonly life: AgentLife;
  protected readonly status: InterruptStatus = new InterruptStatus();

  constructor(options: InterruptControllerOptions, link: SubagentLink | undefined) {
    const { graceMs = 1000, clock } = options;
    const name = optionalText('name', options.name) ?? 'agent';
    this.name = name;
    this.graceMs = requireMs('graceMs', graceMs, 'infinity-allowed');
    const outside = tokenOf(options.token);
    this.clock = clock ?? clockOf(outside);
    this.link = link;
    this.life = new AgentLife(name, this.clock, () => link?.above ?? outside);
    this.events = new EventHub(name, link?.parent.events, this.clock, (error) => {
      if (this.current?.isStopping === true) this.current.callbackThrew(error);
      else reportCallbackError(this.token, error);
    });
  }

  abstract get current(): TurnRun | undefined;

  get instanceId(): string {
    return this.events.instanceId;
  }

  get state(): InterruptState {
    return this.status.state;
  }

  get interrupted(): boolean {
    return this.status.interruption !== undefined;
  }

  get interruption(): Interruption | undefined {
    return this.status.interruption;
  }

  get wasInterrupted(): boolean {
    return this.status.untold !== undefined;
  }

  get token(): Token {
    return this.life.token;
  }

  get isWatched(): boolean {
    return this.life.isWatched;
  }

  consumeWasInterrupted(): CancelReason | undefined {
    return this.status.consume();
  }

  snapshot(): AgentSnapshot {
    const { untold } = this.status;
    return { version: 1, ...(untold === undefined ? {} : { wasInterrupted: reasonToJSON(untold) }) };
  }

  restore(snapshot: AgentSnapshot): void {
    // Read from a disk, it may be anything.
    const { version, wasInterrupted } = (snapshot as Partial<AgentSnapshot> | null) ?? {};
    if (version !== 1) throw new TypeError(`not a snapshot of an agent: ${show(snapshot)}`);
    if (wasInterrupted !== undefined) this.status.endCancelled(reasonFromJSON(wasInterrupted));
  }

  onEvent(fn: (event: InterruptEvent) => void): Registration {
    return this.events.on(fn);
  }

  emit(event: InterruptEventBody): void {
    this.events.emit(event);
  }

  timedOut(reason: CancelReason | undefined, canContinue: boolean): void {
    this.status.noteTimeout(reason, canContinue);
  }
}
