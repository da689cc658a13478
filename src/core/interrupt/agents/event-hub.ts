/**
 * The listeners of one controller, and the way up to those of its parent.
 *
 * @module
 */
import { isThenable, requireFunction, show } from '../../foundation/check.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Registration } from '../../token/tree/listeners.ts';
import type { EventOptions, InterruptEvent, InterruptEventBody, OperationEventBody } from '../public-types/events.ts';

type Listener = (event: InterruptEvent) => unknown;
type Box = readonly [fn: Listener, watchesOperations: boolean];

/** Speaks for one controller. */
export class EventHub {
  readonly #agent: string;
  readonly #parent: EventHub | undefined;
  readonly #clock: Clock;
  /** Hears of listeners that throw. */
  readonly #onError: (error: unknown) => void;
  /** Each in a box of its own: the same function may listen twice. */
  #instanceId: string | undefined;
  readonly #listeners = new Set<Box>();
  /** How many of them want the events of operations: nobody, as a rule, and then none is made. */
  #watchers = 0;

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
    const operations: unknown = options?.operations ?? false;
    if (typeof operations !== 'boolean')
      throw new TypeError(`options.operations must be a boolean, got ${show(operations)}`);
    const box = [fn, operations] as const;
    this.#listeners.add(box);
    if (operations) this.#watchers += 1;
    // Events come again and again, so it always says `true`: it will not run any more.
    const unregister = (): boolean => {
      if (this.#listeners.delete(box) && operations) this.#watchers -= 1;
      return true;
    };
    return { unregister, [Symbol.dispose]: unregister };
  }

  /** Synchronously, in the order of subscription, own listeners before the parent's; one that throws stops nobody. */
  emit(body: InterruptEventBody): void {
    if (!this.#isHeard) return;
    const event = this.#event(body);
    this.#tell(event);
    for (let hub = this.#parent; hub !== undefined; hub = hub.#parent) hub.#tell(event);
  }

  /** Tells the listeners of this controller alone: those above have heard of it already. */
  emitHere(body: InterruptEventBody): void {
    if (this.#listeners.size > 0) this.#tell(this.#event(body));
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

  /** An event that nobody hears is not made: there is one per tool call. */
  get #isHeard(): boolean {
    return this.#listeners.size > 0 || (this.#parent !== undefined && this.#parent.#isHeard);
  }

  #tell(event: InterruptEvent, isOfOperation = false): void {
    for (const [fn, watchesOperations] of [...this.#listeners]) {
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
