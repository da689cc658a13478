/**
 * The door `desist/testing/fast-check`: arbitraries and helpers for property tests of stops. Needs the package
 * `fast-check`, an optional peer.
 *
 * @module
 */
export { cancelReason, type CancelReasonConstraints } from './cancel-reason.ts';
export { raceScheduler, type Race, type RaceOptions } from './race-scheduler.ts';
