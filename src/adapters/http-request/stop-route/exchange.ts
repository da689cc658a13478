/**
 * A request to stop a run and its answer, whatever server they go through.
 *
 * @module
 */
import type { BodyLimits } from './read-body.ts';

/**
 * A request to stop a run, as `authorize` sees it.
 *
 * @since 0.1.0
 */
export interface StopCall {
  /** One header's value, whatever the case of its name. */
  readonly header: (name: string) => string | undefined;
  /** The peer's address, where the server tells: behind a proxy that is the proxy. */
  readonly address: string | undefined;
  /** The request of the server. */
  readonly raw: unknown;
}

/**
 * Who stops a run.
 *
 * @since 0.1.0
 */
export interface StopCaller {
  /** Named in the reason, and counted by `perCaller`. */
  readonly by: string;
}

/** A request, whatever server it came through. */
export interface Incoming extends StopCall {
  readonly method: string;
  readonly path: string;
  /** The body as text, within limits; or what a framework has parsed already. */
  readBody(limits: BodyLimits): Promise<unknown>;
}

/** An answer, before a server makes it its own. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
