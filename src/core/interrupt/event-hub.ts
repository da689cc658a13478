/**
 * The listeners of one controller, and the way up to those of its parent.
 * In the interrupt room below the controller: a UI subscribes once, at the root.
 *
 * @module
 */
import { requireFunction } from '../foundation/check.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Registration } from '../token/handles.ts';
import { reportCallbackError } from '../token/environment.ts';
import type { Node } from '../token/node.ts';
import type { InterruptEvent, InterruptEventBody } from './events.ts';

type Listener = (event: InterruptEvent) => void;

class EventRegistration implements Registration {
  readonly #listeners: Set<EventRegistration>;
  readonly fn: Listener;

  constructor(listeners: Set<EventRegistration>, fn: Listener) {
    this.#listeners = listeners;
    this.fn = fn;
    listeners.add(this);
  }

  /** Events come again and again, so it always says `true`: it will not run any more. */
  unregister(): boolean {
    this.#listeners.delete(this);
    return true;
  }

  [Symbol.dispose](): void {
    this.unregister();
  }
}

/** Speaks for one controller. */
export class EventHub {
  readonly instanceId: string;
  readonly #agent: string;
  readonly #parent: EventHub | undefined;
  readonly #clock: Clock;
  /** Whose error handler hears of listeners that throw. */
  readonly #node: Node;
  readonly #listeners = new Set<EventRegistration>();

  constructor(agent: string, parent: EventHub | undefined, clock: Clock, node: Node) {
    this.#agent = agent;
    this.#parent = parent;
    this.#clock = clock;
    this.#node = node;
    this.instanceId = `${agent}-${Math.random().toString(36).slice(2, 10)}`;
  }

  on(fn: Listener): Registration {
    requireFunction('onEvent(fn)', fn);
    return new EventRegistration(this.#listeners, fn);
  }

  /** Synchronously, in the order of subscription, own listeners before the parent's; one that throws stops nobody. */
  emit(body: InterruptEventBody): void {
    const parentId = this.#parent?.instanceId;
    const event: InterruptEvent = {
      ...body,
      agent: this.#agent,
      instanceId: this.instanceId,
      ...(parentId === undefined ? {} : { parentId }),
      at: this.#clock.now(),
    };
    this.#tell(event);
  }

  #tell(event: InterruptEvent): void {
    for (const { fn } of [...this.#listeners]) {
      try {
        fn(event);
      } catch (error) {
        reportCallbackError(this.#node, error);
      }
    }
    if (this.#parent !== undefined) this.#parent.#tell(event);
  }
}
