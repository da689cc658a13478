/**
 * The door `desist/testing/fast-check`: arbitraries and helpers for property tests of stops. Needs the package
 * `fast-check`, an optional peer.
 *
 * @module desist/testing/fast-check
 */
export { cancelReason } from './cancel-reason.ts';
export { raceScheduler, type Race, type RaceOptions } from './race-scheduler.ts';
export { conversation, type Conversation } from './transcripts/conversation.ts';
export { interruptedTranscript, type InterruptedTranscript } from './transcripts/interrupted-transcript.ts';
export { transcript, writeConversation, type MessageOf } from './transcripts/transcript.ts';
export {
  interruptScript,
  playInterrupts,
  type InterruptAct,
  type PlayInterruptsOptions,
} from './turns/interrupt-script.ts';
export { watchTurnLaws, type TurnLaws } from './turns/turn-laws.ts';
