/**
 * Whether something is guarded against the end of our process that no hook of ours sees, and why not.
 *
 * @module
 */

/**
 * Why nothing is guarded: `no-terminal` there is none that is read now · `no-descriptor` the stream does not say its `fd` ·
 * `no-stty` its mode could not be read by `sh` and `stty` · `no-process` the helper process could not be started, or has
 * ended · `not-linux` commands are guarded on Linux only.
 *
 * @since 0.1.0
 */
export type GuardProblem = 'no-terminal' | 'no-descriptor' | 'no-stty' | 'no-process' | 'not-linux';

/**
 * Why nothing is guarded, and a line for the person.
 *
 * @since 0.1.0
 */
export interface GuardUnavailable {
  readonly reason: GuardProblem;
  readonly message: string;
}

/**
 * A guard that was asked for, or not.
 *
 * @since 0.1.0
 */
export interface GuardStatus {
  /** `off` nobody has asked for it · `on` · `unavailable` it was asked for, and cannot be. */
  readonly state: 'off' | 'on' | 'unavailable';
  /** Why, if the state is `unavailable`. */
  readonly unavailable: GuardUnavailable | undefined;
}

const words: Readonly<Record<GuardProblem, string>> = {
  'no-terminal': 'the terminal is not guarded: there is none that is read',
  'no-descriptor': 'the terminal is not guarded: its stream does not say its file descriptor, fd',
  'no-stty': 'the terminal is not guarded: sh and stty could not read its mode',
  'no-process': 'nothing is guarded: the helper process',
  'not-linux': 'the command is not guarded: that needs Linux',
};

/** @param detail What has happened to the helper process. */
export function notGuarded(reason: GuardProblem, detail = ''): GuardUnavailable {
  return { reason, message: detail === '' ? words[reason] : `${words[reason]} ${detail}` };
}

/**
 * @param isWanted Whether it was asked for.
 * @param problem Asked each time: a helper process may end.
 */
export function statusOf(isWanted: boolean, problem: () => GuardUnavailable | undefined): GuardStatus {
  return {
    get state() {
      if (!isWanted) return 'off';
      return problem() === undefined ? 'on' : 'unavailable';
    },
    get unavailable() {
      return isWanted ? problem() : undefined;
    },
  };
}
