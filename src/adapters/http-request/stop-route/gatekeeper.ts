/**
 * Which run a path means, and who may have it.
 *
 * Invariants: whatever is not a clear yes is no, one that comes too late included; what is refused and what does not exist
 * are answered alike; nobody waits for an answer that does not come.
 *
 * @module
 */
import {
  CancellationTokenSource,
  isObject,
  raceCancellation,
  reportCallbackError,
  requireFunction,
  requireMs,
  show,
  systemClock,
  tokenOf,
  type CancellationToken,
  type Clock,
} from '../../../core/inside.ts';
import type { StopCall, StopCaller } from './exchange.ts';
import { Refusal } from './stop-message.ts';

/**
 * The part of a route's options that says which runs are whose.
 *
 * @since 0.1.0
 */
export interface GatekeeperOptions {
  /** The path, with `:id` where the run's id stands, or for `stopHandler` `:group` for the name of a group. */
  readonly route?: string | undefined;
  /**
   * Whether this run, or this group with all of its runs, is this caller's. Whatever is not `true` or a caller with a name, a throw included, is no; and no is
   * answered as if the run were not there. `token` is cancelled when nobody waits for the answer any more: after
   * `authorizeMs`, and for a status also when the client has left.
   */
  readonly authorize: (
    request: StopCall,
    runId: string,
    token: CancellationToken,
  ) => boolean | StopCaller | undefined | Promise<boolean | StopCaller | undefined>;
  /** Milliseconds that `authorize` may take, before the request is answered with 503; 5,000 by default. */
  readonly authorizeMs?: number | undefined;
  /** Told what `authorize` or the target threw; `reportError` where it exists, else `console.error`, by default. */
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** Reads paths of one form, and asks `authorize`. */
export class Gatekeeper {
  readonly #options: GatekeeperOptions;
  readonly #before: string;
  readonly #after: string;
  readonly #authorizeMs: number;
  readonly #clock: Clock;
  /** What the path names. */
  readonly names: 'id' | 'group';

  constructor(options: GatekeeperOptions, usualRoute: string, mayNameGroups = false) {
    if (!isObject(options)) throw new TypeError(`options must have authorize, got ${show(options)}`);
    requireFunction('authorize', options.authorize);
    if (options.onError !== undefined) requireFunction('onError', options.onError);
    const { route = usualRoute } = options;
    this.names = mayNameGroups && typeof route === 'string' && route.includes(':group') ? 'group' : 'id';
    const parts = typeof route === 'string' ? route.split(`:${this.names}`) : [];
    if (parts.length !== 2) {
      const wanted = mayNameGroups ? "':id' or ':group'" : "':id'";
      throw new TypeError(`route must hold ${wanted} once, got ${show(route)}`);
    }
    this.#options = options;
    this.#authorizeMs = requireMs('authorizeMs', options.authorizeMs ?? 5_000, 'finite');
    this.#clock = options.clock ?? systemClock;
    [this.#before, this.#after] = parts as [string, string];
  }

  /** The id in a path as it was sent, or `undefined` where the path is another one's. */
  match(path: string): string | undefined {
    const end = path.length - this.#after.length;
    if (!path.startsWith(this.#before) || !path.endsWith(this.#after) || end <= this.#before.length) return undefined;
    const id = path.slice(this.#before.length, end);
    return id.includes('/') ? undefined : id;
  }

  /**
   * Who it is, where that is a clear yes; nobody by name, where that is `true`; one for each of the runs.
   *
   * @param left Aborted when the client has left.
   * @throws Refusal – as a rejection: `authorize` does not answer.
   */
  async authorized(
    { header, address, raw }: StopCall,
    runIds: readonly string[],
    left?: AbortSignal,
  ): Promise<readonly (Partial<StopCaller> | undefined)[]> {
    const ms = this.#authorizeMs;
    const limit = new CancellationTokenSource({ timeoutMs: ms, clock: this.#clock });
    const { token } = limit;
    const leave = (): void => {
      limit.cancel({ kind: 'disconnect', message: 'The client disconnected' });
    };
    left?.addEventListener('abort', leave);
    if (left?.aborted === true) leave();
    try {
      return await raceCancellation(
        token,
        Promise.all(runIds.map((runId) => this.#ask({ header, address, raw }, runId, token))),
      );
    } catch {
      // What authorize threw was taken for no.
      if (left?.aborted !== true) this.failed(new Error(`authorize did not answer within ${String(ms)} ms`));
      throw new Refusal(503, 'nobody could say whose run this is', { 'retry-after': '1' });
    } finally {
      left?.removeEventListener('abort', leave);
      limit.release();
    }
  }

  async #ask(request: StopCall, runId: string, token: CancellationToken): Promise<Partial<StopCaller> | undefined> {
    try {
      const said = await this.#options.authorize(request, runId, token);
      if (said === true) return {};
      if (!isObject(said)) return undefined;
      // Without a name it may be the answer of a database, an object whether anything was found or not.
      if (typeof said.by === 'string' && said.by.trim() !== '') return said;
      throw new TypeError(`authorize must say true, or name a caller by a string that is not empty, got ${show(said)}`);
    } catch (error) {
      // A query that was given up throws for that, and nobody listens any more.
      if (!token.isCancelled) this.failed(error);
      return undefined;
    }
  }

  /** Tells of an error that is nobody's business outside. */
  failed(error: unknown): void {
    try {
      if (this.#options.onError === undefined) reportCallbackError(tokenOf(undefined), error);
      else this.#options.onError(error);
    } catch (thrown) {
      reportCallbackError(tokenOf(undefined), thrown);
    }
  }
}
