/**
 * Whatever emits events, in one shape. Prior art: RxJS `fromEvent`, abort-controller-x `waitForEvent`.
 *
 * @module
 */
import { show } from '../../../core/inside.ts';

/* eslint-disable @typescript-eslint/no-explicit-any -- emitters say nothing of their events */
/**
 * What events come from: an `EventTarget`, a Node `EventEmitter`, or anything with one of these pairs.
 *
 * @since 0.1.0
 */
export type EmitterLike =
  | {
      addEventListener(type: string, listener: (event: any) => void, options?: any): unknown;
      removeEventListener(type: string, listener: (event: any) => void, options?: any): unknown;
    }
  | {
      on(event: string, listener: (...args: any[]) => void): unknown;
      off(event: string, listener: (...args: any[]) => void): unknown;
    }
  | {
      addListener(event: string, listener: (...args: any[]) => void): unknown;
      removeListener(event: string, listener: (...args: any[]) => void): unknown;
    };
/* eslint-enable @typescript-eslint/no-explicit-any */

/** How such a thing is asked. */
export type Method = (...args: unknown[]) => unknown;

/** The first pair that is there is used. */
const pairs = [
  ['addEventListener', 'removeEventListener'],
  ['on', 'off'],
  ['addListener', 'removeListener'],
] as const;

function pairOf(target: unknown): (typeof pairs)[number] | undefined {
  const methods = target as Partial<Record<string, unknown>> | null | undefined;
  return pairs.find((names) => names.every((name) => typeof methods?.[name] === 'function'));
}

/** Whether something emits events. */
export function isEmitter(target: unknown): target is EmitterLike {
  return pairOf(target) !== undefined;
}

/**
 * The names of the methods that add and remove a listener.
 *
 * @throws TypeError – the target emits no events.
 */
export function requirePair(name: string, target: unknown): (typeof pairs)[number] {
  const pair = pairOf(target);
  if (pair === undefined)
    throw new TypeError(`${name} must be an EventTarget or an event emitter, got ${show(target)}`);
  return pair;
}

/**
 * Listens to one event.
 *
 * @returns Takes the listener back; harmless a second time.
 * @throws TypeError – the target emits no events.
 */
export function listenTo(
  name: string,
  target: unknown,
  event: string | symbol,
  listener: (...args: unknown[]) => void,
): () => void {
  const [add, remove] = requirePair(name, target);
  const methods = target as Record<string, Method>;
  methods[add]?.(event, listener);
  return () => {
    methods[remove]?.(event, listener);
  };
}

/** Refuses anything but the name of an event. */
export function requireEvent(name: string, value: unknown): string | symbol {
  if (typeof value === 'string' || typeof value === 'symbol') return value;
  throw new TypeError(`${name} must be a string or a symbol, got ${show(value)}`);
}
