/**
 * What an interrupt means in each state, as a pure function.
 * In the interrupt room at the bottom: it knows no token, no turn and no clock. The controller is the only one that
 * runs the effects it returns.
 *
 * Invariants: total – every state answers every event; upgrade only – interjection → cancel → kill, never back within
 * a turn.
 *
 * Prior art: xstate's pure `transition`, where effects are data.
 *
 * @module
 */

/**
 * Where a controller stands.
 *
 * `idle` no turn · `running` · `interjecting` a message waits to be delivered · `cancelling` told to stop, not settled ·
 * `killing` told so twice.
 *
 * @since 0.1.0
 */
export type InterruptState = 'idle' | 'running' | 'interjecting' | 'cancelling' | 'killing';

/** What can happen to it. `delivered` means that no message waits any more. */
export type MachineEvent = 'start' | 'interject' | 'interject-now' | 'delivered' | 'cancel' | 'kill' | 'end';

/** What the controller then has to do, in this order. */
export type Effect =
  | 'queue' // keep the message for the next model call
  | 'cut-generation' // end the model's stream, and nothing else
  | 'refuse' // give the message back at once
  | 'return-queued' // give back what is queued: nobody will deliver it
  | 'cancel-turn'
  | 'kill-turn';

/** One cell of the table. */
export interface Transition {
  readonly state: InterruptState;
  readonly effects: readonly Effect[];
}

function to(state: InterruptState, ...effects: readonly Effect[]): Transition {
  return { state, effects };
}

/** The whole machine. A row is a state, a column an event. */
export const machine: Readonly<Record<InterruptState, Readonly<Record<MachineEvent, Transition>>>> = {
  idle: {
    start: to('running'),
    interject: to('idle', 'refuse'),
    'interject-now': to('idle', 'refuse'),
    delivered: to('idle'),
    cancel: to('idle'),
    kill: to('idle'),
    end: to('idle'),
  },
  running: {
    start: to('running'),
    interject: to('interjecting', 'queue'),
    'interject-now': to('interjecting', 'queue', 'cut-generation'),
    delivered: to('running'),
    cancel: to('cancelling', 'cancel-turn'),
    kill: to('killing', 'kill-turn'),
    end: to('idle'),
  },
  interjecting: {
    start: to('interjecting'),
    interject: to('interjecting', 'queue'),
    'interject-now': to('interjecting', 'queue', 'cut-generation'),
    delivered: to('running'),
    cancel: to('cancelling', 'return-queued', 'cancel-turn'),
    kill: to('killing', 'return-queued', 'kill-turn'),
    end: to('idle', 'return-queued'),
  },
  cancelling: {
    start: to('cancelling'),
    interject: to('cancelling', 'refuse'),
    'interject-now': to('cancelling', 'refuse'),
    delivered: to('cancelling'),
    cancel: to('cancelling'),
    kill: to('killing', 'kill-turn'),
    end: to('idle'),
  },
  killing: {
    start: to('killing'),
    interject: to('killing', 'refuse'),
    'interject-now': to('killing', 'refuse'),
    delivered: to('killing'),
    cancel: to('killing'),
    kill: to('killing'),
    end: to('idle'),
  },
};

/** Looks the cell up. */
export function transition(state: InterruptState, event: MachineEvent): Transition {
  return machine[state][event];
}
