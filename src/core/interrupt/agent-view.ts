/**
 * What an agent shows of itself: its name, where it stands, its events and its life.
 * In the interrupt room below the controller, which extends it by everything that can be done to an agent. The parts are
 * protected rather than #private because the two are one object.
 *
 * @module
 */
import { optionalText, requireMs } from '../foundation/check.ts';
import type { Clock } from '../foundation/clock.ts';
import { clockOf, reportCallbackError } from '../token/environment.ts';
import type { Registration } from '../token/handles.ts';
import { tokenOf } from '../token/link.ts';
import type { Token } from '../token/source.ts';
import { EventHub } from './event-hub.ts';
import type { InterruptEvent, InterruptEventBody } from './events.ts';
import { AgentLife } from './life.ts';
import { InterruptStatus } from './status.ts';
import type { SubagentLink } from './subagents.ts';
import type { InterruptControllerOptions } from './turn-report.ts';
import type { TurnRun } from './turn-run.ts';

/** The half of a controller that is looked at. */
export abstract class AgentView extends InterruptStatus {
  readonly name: string;
  readonly graceMs: number;
  readonly clock: Clock;
  readonly link: SubagentLink | undefined;
  readonly events: EventHub;
  protected readonly life: AgentLife;

  constructor(options: InterruptControllerOptions, link: SubagentLink | undefined) {
    super();
    const { graceMs = 1000, clock } = options;
    const name = optionalText('name', options.name) ?? 'agent';
    this.name = name;
    this.graceMs = requireMs('graceMs', graceMs, 'infinity-allowed');
    const outside = tokenOf(options.token);
    this.clock = clock ?? clockOf(outside);
    this.link = link;
    this.life = new AgentLife(() => link?.above ?? outside, { name, clock: this.clock });
    this.events = new EventHub(name, link?.parent.events, this.clock, (error) => {
      if (this.current?.isStopping === true) this.current.callbackThrew(error);
      else reportCallbackError(this.token, error);
    });
  }

  abstract get current(): TurnRun | undefined;

  get instanceId(): string {
    return this.events.instanceId;
  }

  get token(): Token {
    return this.life.token;
  }

  get isWatched(): boolean {
    return this.life.isWatched;
  }

  onEvent(fn: (event: InterruptEvent) => void): Registration {
    return this.events.on(fn);
  }

  emit(event: InterruptEventBody): void {
    this.events.emit(event);
  }
}
