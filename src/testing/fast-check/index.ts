/**
 * The door `desist/testing/fast-check`: arbitraries and helpers for property tests of stops. Needs the package
 * `fast-check`, an optional peer.
 *
 * @module
 */
export { cancelReason, type CancelReasonConstraints } from './cancel-reason.ts';
export { raceScheduler, type Race, type RaceOptions } from './race-scheduler.ts';
export type { TokenForest, TokenKind, TokenModelOptions, TokenRung } from './tokens/token-forest.ts';
export { TokenModel } from './tokens/token-model.ts';
export {
  differenceFromModel,
  playTokens,
  tokenScript,
  type PlayTokensOptions,
  type TokenAct,
  type TokenScriptConstraints,
  type TokenStep,
} from './tokens/token-script.ts';
export {
  interruptScript,
  playInterrupts,
  type InterruptAct,
  type InterruptScriptConstraints,
  type PlayInterruptsOptions,
} from './turns/interrupt-script.ts';
export { watchTurnLaws, type TurnLaws } from './turns/turn-laws.ts';
