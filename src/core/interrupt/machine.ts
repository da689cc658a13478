/**
 * What an interrupt means in each state, as a pure function. The controller is the only one that runs the effects it
 * returns.
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
    start: /* @__PURE__ */ to('running'),
    interject: /* @__PURE__ */ to('idle', 'refuse'),
    'interject-now': /* @__PURE__ */ to('idle', 'refuse'),
    delivered: /* @__PURE__ */ to('idle'),
    cancel: /* @__PURE__ */ to('idle'),
    kill: /* @__PURE__ */ to('idle'),
    end: /* @__PURE__ */ to('idle'),
  },
  running: {
    start: /* @__PURE__ */ to('running'),
    interject: /* @__PURE__ */ to('interjecting', 'queue'),
    'interject-now': /* @__PURE__ */ to('interjecting', 'queue', 'cut-generation'),
    delivered: /* @__PURE__ */ to('running'),
    cancel: /* @__PURE__ */ to('cancelling', 'cancel-turn'),
    kill: /* @__PURE__ */ to('killing', 'kill-turn'),
    end: /* @__PURE__ */ to('idle'),
  },
  interjecting: {
    start: /* @__PURE__ */ to('interjecting'),
    interject: /* @__PURE__ */ to('interjecting', 'queue'),
    'interject-now': /* @__PURE__ */ to('interjecting', 'queue', 'cut-generation'),
    delivered: /* @__PURE__ */ to('running'),
    cancel: /* @__PURE__ */ to('cancelling', 'return-queued', 'cancel-turn'),
    kill: /* @__PURE__ */ to('killing', 'return-queued', 'kill-turn'),
    end: /* @__PURE__ */ to('idle', 'return-queued'),
  },
  cancelling: {
    start: /* @__PURE__ */ to('cancelling'),
    interject: /* @__PURE__ */ to('cancelling', 'refuse'),
    'interject-now': /* @__PURE__ */ to('cancelling', 'refuse'),
    delivered: /* @__PURE__ */ to('cancelling'),
    cancel: /* @__PURE__ */ to('cancelling'),
    kill: /* @__PURE__ */ to('killing', 'kill-turn'),
    end: /* @__PURE__ */ to('idle'),
  },
  killing: {
    start: /* @__PURE__ */ to('killing'),
    interject: /* @__PURE__ */ to('killing', 'refuse'),
    'interject-now': /* @__PURE__ */ to('killing', 'refuse'),
    delivered: /* @__PURE__ */ to('killing'),
    cancel: /* @__PURE__ */ to('killing'),
    kill: /* @__PURE__ */ to('killing'),
    end: /* @__PURE__ */ to('idle'),
  },
};

/** Looks the cell up. */
export function transition(state: InterruptState, event: MachineEvent): Transition {
  return machine[state][event];
}
