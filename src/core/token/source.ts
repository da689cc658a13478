/**
 * The source as an object: the right to cancel one token. The documentation of every member stands at its interface
 * in `cancellation-token-source.ts`.
 *
 * @module
 */
import { defineHidden, hasBrand } from '../foundation/brand.ts';
import { requireMs, requireOptions, wrongType, type OptionNames, type OptionsOnly } from '../foundation/check.ts';
import { disposeKey } from '../foundation/disposable.ts';
import type { CancelReason, CancelReasonLike } from '../foundation/reason.ts';
import { signalOf } from './bridge/signal.ts';
import { configure, type ChildOptions } from './configure.ts';
import { armGrace, cancellationOf, limit } from './time/deadline.ts';
import type { Token } from './token.ts';
import { canChange } from './tree/ancestors.ts';
import { clockOf, reportCallbackError } from './tree/environment.ts';
import { cancelNode, isLive, killNode, releaseNode } from './tree/propagation.ts';
import { isKilled } from './tree/state.ts';

const sourceBrand = Symbol.for('desist.source');

/**
 * Options of `source.cancel()`.
 *
 * @since 0.1.0
 */
export interface CancelOptions extends OptionsOnly {
  /** Kills after so many milliseconds, unless the source is released before. */
  readonly graceMs?: number | undefined;
}

const cancelOptions: OptionNames<CancelOptions> = { graceMs: 1 };

/** Whether a value is a source of any copy of the package. */
export function isSource(value: unknown): value is Source {
  return hasBrand(value, sourceBrand);
}

/** The write handle. One field: it is made for every tool call. */
export class Source {
  static readonly branded: unknown = /* @__PURE__ */ defineHidden(Source, [
    [sourceBrand, true],
    [disposeKey, dispose],
  ]);

  // Declared, not defined: defining a field in a base class is a call that is not inlined into a subclass.
  declare readonly token: Token;
  declare readonly [Symbol.dispose]: () => void;

  constructor(token: Token, options?: ChildOptions) {
    this.token = token;
    if (options !== undefined) configure(token, options);
  }

  get signal(): AbortSignal {
    return signalOf(this.token);
  }

  get isCancelled(): boolean {
    return this.token.isCancelled;
  }

  get reason(): CancelReason | undefined {
    return this.token.reason;
  }

  cancel(reason?: CancelReasonLike, options?: CancelOptions | null): boolean {
    const token = this.token;
    const cancellation = cancellationOf(token, reason, 'unknown');
    const won = isLive(token);
    if (won) cancelNode(token, cancellation);
    if (options !== undefined && options !== null) armGraceOf(token, options);
    return won;
  }

  kill(reason?: CancelReasonLike): boolean {
    const token = this.token;
    const cancellation = cancellationOf(token, reason, 'unknown');
    if (!canChange(token) || isKilled(token)) return false;
    killNode(token, cancellation);
    return true;
  }

  cancelAfter(ms: number, reason?: CancelReasonLike): void {
    requireMs('cancelAfter(ms)', ms, 'infinity-allowed');
    // Inside, a number is the length of the limit; from outside it is no reason.
    const what = typeof reason === 'number' ? { kind: 'unknown' as const, cause: reason as unknown } : (reason ?? ms);
    if (typeof reason === 'number')
      reportCallbackError(this.token, wrongType('a cancel reason', 'a string or an object', reason));
    // Disarming needs no instant, and asking for one is most of what arming costs.
    const now = ms === Infinity ? 0 : clockOf(this.token).now();
    limit(this.token, now + ms, what, now);
  }

  dropGuard(): { readonly token: Token; disarm(): void; [Symbol.dispose](): void } {
    let isArmed = true;
    return {
      token: this.token,
      disarm: () => {
        isArmed = false;
      },
      [disposeKey]: () => {
        if (isArmed) this.cancel();
        isArmed = false;
      },
    };
  }

  release(): void {
    releaseNode(this.token);
  }
}

function dispose(this: Source): void {
  releaseNode(this.token);
}

/** A grace that makes no sense is reported and left out: the stop itself stands. */
function armGraceOf(token: Token, options: CancelOptions): void {
  try {
    const { graceMs } = options;
    const isLimit = graceMs !== undefined && requireMs('graceMs', graceMs, 'infinity-allowed') !== Infinity;
    if (isLimit) armGrace(token, graceMs);
    requireOptions(options, cancelOptions);
  } catch (error) {
    reportCallbackError(token, error);
  }
}
