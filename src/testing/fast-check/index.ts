/**
 * The door `desist/testing/fast-check`: arbitraries and helpers for property tests of stops. Needs the package
 * `fast-check`, an optional peer.
 *
 * @module desist/testing/fast-check
 */
export { raceScheduler, type Race, type RaceOptions } from './race-scheduler.ts';
export { transcript, type MessageOf } from './transcripts/transcript.ts';
export {
  interruptScript,
  playInterrupts,
  type InterruptAct,
  type PlayInterruptsOptions,
} from './turns/interrupt-script.ts';
export { watchTurnLaws, type TurnLaws } from './turns/turn-laws.ts';
