/**
 * When a request is sent again, and after how long. Prior art: RFC 9110 (idempotent methods, `Retry-After`), the
 * model SDKs' own retries.
 *
 * @module
 */
import {
  classify,
  defaultBackoff,
  delay,
  type OptionNames,
  requireFunction,
  requireMs,
  requireOptionsOf,
  show,
} from '../../core/inside.ts';
import type { CallScope } from '../internal/call-scope.ts';
import { dropBody } from './cut-body.ts';

/**
 * How one attempt failed.
 *
 * @since 0.1.0
 */
export type FetchFailure =
  | { readonly response: Response; readonly error?: undefined }
  | { readonly error: unknown; readonly response?: undefined };

/**
 * How to try again.
 *
 * @since 0.1.0
 */
export interface FetchRetryOptions {
  /** How often the request may be sent; 3 by default. */
  readonly attempts?: number | undefined;
  /**
   * Milliseconds for each attempt, up to its headers; no limit by default. One that has none by then is given up, and
   * counts as a failure of the network: the next follows.
   */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds before the next attempt where the server does not say; by default as for `retry` of the front door. */
  readonly backoff?: number | ((attempt: number, failure: FetchFailure) => number) | undefined;
  /** The longest pause a server may ask for, in milliseconds, 60,000 by default; its answer is returned otherwise. */
  readonly maxPauseMs?: number | undefined;
  /**
   * Whether this failure is worth another attempt. By default 408, 425, 429, 500, 502, 503, 504 and failures of the
   * network, for methods that may be repeated; for the others only what the server has refused: 425, 429 and 503. A
   * cancel is never asked about, and a body that is a stream is sent once.
   */
  readonly retryIf?: ((failure: FetchFailure, attempt: number) => boolean) | undefined;
}

/** The rules of one call. */
export interface RetryPlan {
  readonly attempts: number;
  readonly timeoutMs: number;
  readonly maxPauseMs: number;
  readonly backoff: (attempt: number, failure: FetchFailure) => number;
  readonly retryIf: (failure: FetchFailure, attempt: number) => boolean;
}

/** As RFC 9110 has it: sending them twice does no more than sending them once. */
const idempotent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);
/** The server says that it did not take the request. */
const refused: ReadonlySet<number> = new Set([425, 429, 503]);
const passing: ReadonlySet<number> = new Set([...refused, 408, 500, 502, 504]);

const optionNames: OptionNames<FetchRetryOptions> = {
  attempts: 1,
  timeoutMs: 1,
  backoff: 1,
  maxPauseMs: 1,
  retryIf: 1,
};

/**
 * Reads the option.
 *
 * @throws TypeError, RangeError – numbers that make no sense.
 */
export function retryPlan(
  retry: number | FetchRetryOptions | null | undefined,
  method: string,
  canBeSentAgain: boolean,
): RetryPlan {
  if (retry === null) throw new TypeError('retry must be a number or an object, got null');
  const options: FetchRetryOptions = typeof retry === 'object' ? retry : { attempts: retry ?? 1 };
  requireOptionsOf('retry', options, optionNames);
  const { attempts = 3, timeoutMs = Infinity, backoff = defaultBackoff, maxPauseMs = 60_000, retryIf } = options;
  if (typeof attempts !== 'number') throw new TypeError(`retry must be a number or an object, got ${show(attempts)}`);
  if (attempts !== Infinity && (!Number.isInteger(attempts) || attempts < 1)) {
    throw new RangeError(`retry must be a whole number, 1 or more, got ${String(attempts)}`);
  }
  requireMs('retry.timeoutMs', timeoutMs, 'infinity-allowed');
  requireMs('maxPauseMs', maxPauseMs, 'infinity-allowed');
  if (typeof backoff !== 'function') requireMs('backoff', backoff, 'finite');
  if (retryIf !== undefined) requireFunction('retryIf', retryIf);
  const mayRepeat = idempotent.has(method);
  return {
    attempts: canBeSentAgain ? attempts : 1,
    timeoutMs,
    maxPauseMs,
    backoff: (attempt, failure) =>
      typeof backoff === 'function' ? requireMs('backoff()', backoff(attempt, failure), 'finite') : backoff,
    retryIf:
      retryIf ??
      (({ response }) => (response === undefined ? mayRepeat : (mayRepeat ? passing : refused).has(response.status))),
  };
}

/** Sends until there is an answer worth having, no attempt is left, or somebody says stop. */
export async function sendUntilAnswered(
  send: () => Promise<Response>,
  scope: CallScope,
  plan: RetryPlan,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    let failure: FetchFailure;
    try {
      const response = await send();
      if (response.ok) return response;
      failure = { response };
    } catch (error) {
      if (scope.isCancelled || classify(error, scope.token).retryable === false) throw error;
      failure = { error };
    }
    const { response } = failure;
    const pauseMs = attempt < plan.attempts ? pauseAfter(failure, attempt, scope, plan) : undefined;
    if (pauseMs === undefined) {
      if (response === undefined) throw failure.error;
      return response;
    }
    dropBody(response?.body);
    await delay(scope.token, pauseMs);
  }
}

/** Milliseconds to the next attempt; `undefined` if there is to be none, or it would come too late to count. */
function pauseAfter(failure: FetchFailure, attempt: number, scope: CallScope, plan: RetryPlan): number | undefined {
  if (scope.isCancelled || !plan.retryIf(failure, attempt)) return undefined;
  const asked = failure.response === undefined ? undefined : retryAfterMs(failure.response.headers, scope.clock.now());
  if (asked !== undefined && asked > plan.maxPauseMs) return undefined;
  const pauseMs = asked ?? plan.backoff(attempt, failure);
  return pauseMs < scope.token.remainingMs() ? pauseMs : undefined;
}

/**
 * What a response asks for: `retry-after-ms`, as some model providers say it, or `Retry-After` in seconds or as a date.
 *
 * @param now Epoch ms.
 * @returns Milliseconds, 0 or more; `undefined` if it asks for nothing that makes sense.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const exact = headers.get('retry-after-ms');
  if (exact !== null && /^\d+(?:\.\d+)?$/.test(exact)) return Number(exact);
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Engines take '-1' for a date; one of HTTP has words in it.
  const at = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
