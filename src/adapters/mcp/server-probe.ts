/**
 * Asks a server whether it is there. Prior art: the protocol's `ping` and `discover`.
 *
 * @module
 */
import { isCancelledError, isDeadlineExceededError, show } from '../../core/inside.ts';
import type { McpRequestContext } from './cancellable-request.ts';

/**
 * What is used of an SDK's client, of either version.
 *
 * @since 0.1.0
 */
export interface McpClientLike {
  /** `undefined` once the connection is closed. On stdio it has the server's `pid`. */
  readonly transport?: unknown;
  /** Closes the connection; may say when that has been done. */
  close(): unknown;
  /** Asks the server whether it is there. */
  ping(options?: { readonly signal?: AbortSignal }): Promise<unknown>;
}

/** Whether a client has a connection. */
export function isConnected(client: McpClientLike): boolean {
  return client.transport !== undefined;
}

/**
 * Refuses what cannot be used, and closes what a wrapper without `transport` may hold all the same.
 *
 * @throws TypeError – `connect` returned something else than a client. Error – it has no connection: it never had, or the
 * server has gone away since.
 */
export function requireConnected(client: McpClientLike): void {
  if (typeof (client as Partial<McpClientLike> | null | undefined)?.close !== 'function') {
    throw new TypeError(`connect must return a connected client, got ${show(client)}`);
  }
  if (isConnected(client)) return;
  void closeClient(client);
  throw new Error(
    'the client that connect returned has no connection: its server has gone away, or it has no transport',
  );
}

/** Closes a client that nobody will use again: what it makes of that is no news. */
export async function closeClient(client: McpClientLike): Promise<void> {
  try {
    await client.close();
  } catch {
    // It is given up in any case.
  }
}

/** The question that every server of the revision must answer. */
export function defaultProbe(client: McpClientLike, context: McpRequestContext): unknown {
  const modern = client as { getProtocolEra?: () => unknown; discover?: (options: McpRequestContext) => unknown };
  if (modern.getProtocolEra?.() === 'modern' && modern.discover !== undefined) return modern.discover(context);
  return client.ping(context);
}

/** What the SDKs call a limit of their own that has passed: version 1 by number, version 2 by name. */
const timeoutCodes: readonly unknown[] = [-32_001, 'REQUEST_TIMEOUT'];

/** Whether a request ended without a word from the server. */
export function isNoAnswer(error: unknown): boolean {
  const isTimeout = timeoutCodes.includes((error as { readonly code?: unknown } | null | undefined)?.code);
  return isTimeout || isCancelledError(error) || isDeadlineExceededError(error);
}
