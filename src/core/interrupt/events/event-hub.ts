/**
 * The listeners of one controller, and the way up to those of its parent.
 *
 * @module
 */
import { isThenable, optionalFlag, requireFunction, requireOptions, type OptionNames } from '../../foundation/check.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Registration } from '../../token/tree/listeners.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import type { EventOptions, InterruptEvent, InterruptEventBody, OperationEventBody } from '../public-types/events.ts';
import type { StopKind } from '../stops/stop-record.ts';

type Listener = (event: InterruptEvent) => unknown;
type Box = readonly [fn: Listener, watchesOperations: boolean];

const optionNames: OptionNames<EventOptions> = { operations: 1 };

/** Speaks for one controller. */
export class EventHub {
  readonly #agent: string;
  readonly #parent: EventHub | undefined;
  readonly #clock: Clock;
  /** Hears of listeners that throw. */
  readonly #onError: (error: unknown) => void;
  #instanceId: string | undefined;
  /** Made with the first: few sub-agents have listeners of their own. A function that listens twice is in it twice. */
  #listeners: Set<Box> | undefined;
  /** How many of them want the events of operations: nobody, as a rule, and then none is made. */
  #watchers = 0;
  /** The stops that its listeners have heard of; a kill implies its cancel. */
  #announced: WeakMap<CancelReason, StopKind> | undefined;

  constructor(agent: string, parent: EventHub | undefined, clock: Clock, onError: (error: unknown) => void) {
    this.#agent = agent;
    this.#parent = parent;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Tells instances apart that share a name; made when somebody asks. */
  get instanceId(): string {
    return (this.#instanceId ??= `${this.#agent}-${Math.random().toString(36).slice(2, 10)}`);
  }

  on(fn: Listener, options?: EventOptions): Registration {
    requireFunction('onEvent(fn)', fn);
    if (options !== undefined) requireOptions(options, optionNames);
    const operations = optionalFlag('options.operations', options?.operations);
    const box = [fn, operations] as const;
    const listeners = (this.#listeners ??= new Set());
    listeners.add(box);
    if (operations) this.#watchers += 1;
    // Events come again and again, so it always says `true`: it will not run any more.
    const unregister = (): boolean => {
      if (listeners.delete(box) && operations) this.#watchers -= 1;
      return true;
    };
    return { unregister, [Symbol.dispose]: unregister };
  }

  /** Synchronously, in the order of subscription, own listeners before the parent's; one that throws stops nobody. */
  emit(body: InterruptEventBody): void {
    if (!this.isHeard) return;
    const event = this.#event(body);
    this.#tell(event);
    for (let hub = this.#parent; hub !== undefined; hub = hub.#parent) hub.#tell(event);
  }

  /** Tells of a stop, here and above, whoever has not heard of it: one stop is one event at a listener. */
  announce(kind: StopKind, reason: CancelReason): void {
    const hubs = this.noteAnnounced(kind, reason);
    if (!hubs.some((hub) => hub.#hasListeners)) return;
    const event = this.#event({ type: 'interrupt-requested', kind, reason });
    for (const hub of hubs) hub.#tell(event);
  }

  /** Its listeners and those above are not told of this stop, or are about to be; returns who had not heard of it. */
  noteAnnounced(kind: StopKind, reason: CancelReason): readonly EventHub[] {
    const above = this.#parent?.noteAnnounced(kind, reason) ?? [];
    if (this.hasAnnounced(kind, reason)) return above;
    (this.#announced ??= new WeakMap()).set(reason, kind);
    return [this, ...above];
  }

  /** Whether its listeners have heard of this stop. */
  hasAnnounced(kind: StopKind, reason: CancelReason): boolean {
    const said = this.#announced?.get(reason);
    return said === 'kill' || said === kind;
  }

  /** Whether anybody wants the events of operations. */
  get watchesOperations(): boolean {
    return this.#watchers > 0 || (this.#parent !== undefined && this.#parent.watchesOperations);
  }

  /** Tells those who asked for the events of operations, and nobody else. */
  emitOperation(body: OperationEventBody): void {
    if (!this.watchesOperations) return;
    const event = this.#event(body);
    this.#tell(event, true);
    for (let hub = this.#parent; hub !== undefined; hub = hub.#parent) hub.#tell(event, true);
  }

  #event(body: InterruptEventBody): InterruptEvent {
    const parentId = this.#parent?.instanceId;
    return {
      ...body,
      agent: this.#agent,
      instanceId: this.instanceId,
      ...(parentId === undefined ? {} : { parentId }),
      at: this.#clock.now(),
    };
  }

  get #hasListeners(): boolean {
    return this.#listeners !== undefined && this.#listeners.size > 0;
  }

  /** An event that nobody hears is not made: there is one per tool call. */
  get isHeard(): boolean {
    return this.#hasListeners || (this.#parent !== undefined && this.#parent.isHeard);
  }

  #tell(event: InterruptEvent, isOfOperation = false): void {
    for (const [fn, watchesOperations] of [...(this.#listeners ?? [])]) {
      if (isOfOperation && !watchesOperations) continue;
      try {
        const result: unknown = fn(event);
        if (isThenable(result)) result.then(undefined, this.#onError);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
