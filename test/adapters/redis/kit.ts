/**
 * Connections that a test holds the other end of.
 *
 * @module
 */
import type { Wire, WireEvents, Wiring } from '../../../src/adapters/redis/client.ts';

/** A connection, as its engine sees it. */
export interface HeldWire {
  readonly events: WireEvents;
  readonly sent: (readonly string[])[];
  /** What comes back next; a rejection if it is an error. */
  readonly answers: unknown[];
  readonly channels: string[];
  say: (message: string) => void;
  isClosed: boolean;
  /** Whether a subscription is refused. */
  isRefusing: boolean;
}

/** Makes connections, and keeps their other ends. */
export function heldWires(): { readonly wiring: Wiring; readonly wires: HeldWire[] } {
  const wires: HeldWire[] = [];
  const wiring: Wiring = (events): Wire => {
    const held: HeldWire = {
      ...{ events, sent: [], answers: [], channels: [], isClosed: false, isRefusing: false },
      say: () => undefined,
    };
    wires.push(held);
    return {
      command: (args) => {
        held.sent.push(args);
        const answer = held.answers.shift();
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      subscribe: (channel, listener) => {
        if (held.isRefusing) return Promise.reject(new Error('not connected'));
        held.channels.push(channel);
        held.say = listener;
        return Promise.resolve();
      },
      close: () => {
        held.isClosed = true;
      },
    };
  };
  return { wiring, wires };
}
