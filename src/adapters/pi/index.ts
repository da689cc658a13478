/**
 * The door `desist/pi`: the agent of pi, which owns its loop and its messages, under a turn.
 * Among the adapters because it knows the SDK's manners; the SDK itself is never loaded, everything is typed by structure.
 * Prior art: the SDK's own `Agent`, whose shape this is.
 *
 * @module desist/pi
 */
export { underTurn, type PiRun, type UnderTurnOptions } from './under-turn.ts';
