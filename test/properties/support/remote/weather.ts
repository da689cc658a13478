/**
 * How bad a network is.
 *
 * @module
 */

/** As probabilities and milliseconds. */
export interface Weather {
  readonly latencyMs: number;
  readonly lostRequest: number;
  readonly lostAnswer: number;
  readonly lostPush: number;
  readonly doubledPush: number;
  readonly latePushMs: number;
}

/** Only wake-ups fail. */
export const fair: Weather = {
  latencyMs: 8,
  lostRequest: 0,
  lostAnswer: 0,
  lostPush: 0.2,
  doubledPush: 0.3,
  latePushMs: 60,
};

export const foul: Weather = {
  ...fair,
  latencyMs: 30,
  lostRequest: 0.06,
  lostAnswer: 0.08,
  lostPush: 0.5,
  latePushMs: 900,
};
