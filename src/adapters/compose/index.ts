/**
 * The door `desist/compose`: abort-controller-x under our tokens.
 * Among the adapters, and a door of its own, so that the front door loads no dependency; the only folder that imports
 * the library. It decides what a composition settles with; this folder hands it tokens, bounds its waits, and gives
 * back the reasons that it drops.
 * Prior art: abort-controller-x, whose names and meanings these are.
 *
 * @module desist/compose
 */
export { all } from './all.ts';
export type { ComposeOptions, Values, Works } from './branches.ts';
export { execute } from './execute.ts';
export { race } from './race.ts';
export { spawn, type SpawnContext } from './spawn.ts';
export { waitForEvent, type WaitForEventOptions } from './wait-for-event.ts';
