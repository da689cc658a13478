/**
 * How a Node response was closed: one of HTTP/2 says so on its stream, and only there.
 *
 * @module
 */

/**
 * The part of a Node response that tells whether it is closed.
 *
 * @since 0.1.0
 */
export interface ClosableResponse {
  /** Whether it is closed, finished or not; one of HTTP/2 does not say. */
  readonly destroyed?: boolean | undefined;
  /** What an HTTP/2 response is sent on. */
  readonly stream?: { readonly destroyed: boolean; readonly aborted: boolean } | undefined;
}

/** Whether nobody can be sent anything by it any more. */
export function isClosed({ destroyed, stream }: ClosableResponse): boolean {
  return destroyed ?? stream?.destroyed ?? false;
}

/** Whether all of it was sent; a response of HTTP/2 that was cut off calls itself finished. */
export function wasSent({ writableFinished, stream }: ClosableResponse & { writableFinished: boolean }): boolean {
  return writableFinished && stream?.aborted !== true;
}
