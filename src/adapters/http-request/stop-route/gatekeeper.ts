/**
 * Which run a path means, and who may have it.
 *
 * Invariants: whatever is not a clear yes is no; what is refused and what does not exist are answered alike.
 *
 * @module
 */
import { isObject, reportCallbackError, requireFunction, show, tokenOf } from '../../../core/inside.ts';
import type { StopCall, StopCaller } from './stop-handler.ts';

/**
 * The part of a route's options that says which runs are whose.
 *
 * @since 0.1.0
 */
export interface GatekeeperOptions {
  /** The path, with `:id` where the run's id stands. */
  readonly route?: string | undefined;
  /**
   * Whether this run is this caller's. Whatever is not `true` or a caller with a name, a throw included, is no; and no is
   * answered as if the run were not there.
   */
  readonly authorize: (
    request: StopCall,
    runId: string,
  ) => boolean | StopCaller | undefined | Promise<boolean | StopCaller | undefined>;
  /** Told what `authorize` or the target threw; `reportError` where it exists, else `console.error`, by default. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Reads paths of one form, and asks `authorize`. */
export class Gatekeeper {
  readonly #options: GatekeeperOptions;
  readonly #before: string;
  readonly #after: string;

  constructor(options: GatekeeperOptions, usualRoute: string) {
    if (!isObject(options)) throw new TypeError(`options must have authorize, got ${show(options)}`);
    requireFunction('authorize', options.authorize);
    if (options.onError !== undefined) requireFunction('onError', options.onError);
    const { route = usualRoute } = options;
    const parts = typeof route === 'string' ? route.split(':id') : [];
    if (parts.length !== 2) throw new TypeError(`route must hold ':id' once, got ${show(route)}`);
    this.#options = options;
    [this.#before, this.#after] = parts as [string, string];
  }

  /** The id in a path as it was sent, or `undefined` where the path is another one's. */
  match(path: string): string | undefined {
    const end = path.length - this.#after.length;
    if (!path.startsWith(this.#before) || !path.endsWith(this.#after) || end <= this.#before.length) return undefined;
    const id = path.slice(this.#before.length, end);
    return id.includes('/') ? undefined : id;
  }

  /** Who it is, where that is a clear yes; nobody by name, where that is `true`. */
  async authorized(request: StopCall, runId: string): Promise<Partial<StopCaller> | undefined> {
    try {
      const said = await this.#options.authorize(request, runId);
      if (said === true) return {};
      if (!isObject(said)) return undefined;
      if (typeof said.by === 'string') return said;
      // The answer of a database, say, which is an object whether it has found anything or not.
      throw new TypeError(`authorize must say true, or name a caller by a string, got ${show(said)}`);
    } catch (error) {
      this.failed(error);
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
