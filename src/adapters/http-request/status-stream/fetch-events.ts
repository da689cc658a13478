/**
 * Server-sent events for servers that take a `Request` and want a `Response`.
 *
 * @module
 */
import type { StatusRoute } from './status-route.ts';

/**
 * The part of a `Request` that the status route reads.
 *
 * @since 0.1.0
 */
export interface FetchStatusRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: {
    /** One header's value. */
    get(name: string): string | null;
  };
  /** Aborted by servers whose client has left. */
  readonly signal?: AbortSignal | undefined;
}

/** Makes the handler. */
export function fetchEvents(route: StatusRoute): (request: FetchStatusRequest) => Promise<Response> {
  return async (request) => {
    const opened = await route.open({
      method: request.method,
      path: new URL(request.url, 'http://local').pathname,
      header: (name) => request.headers.get(name) ?? undefined,
      address: undefined,
      raw: request,
      left: request.signal,
    });
    if (!('start' in opened)) {
      const { status, headers, body } = opened;
      return new Response(status === 204 ? null : body, { status, headers });
    }
    const { signal } = request;
    const encoder = new TextEncoder();
    let stream: ReturnType<typeof opened.start> | undefined = undefined;
    const leave = (): void => stream?.end();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        signal?.addEventListener('abort', leave);
        stream = opened.start({
          write: (text) => {
            controller.enqueue(encoder.encode(text));
            return (controller.desiredSize ?? 0) > 0;
          },
          end: () => {
            signal?.removeEventListener('abort', leave);
            try {
              controller.close();
            } catch {
              // The reader has cancelled it.
            }
          },
        });
        if (signal?.aborted === true) leave();
      },
      pull: () => stream?.drained(),
      cancel: leave,
    });
    return new Response(body, { status: 200, headers: opened.headers });
  };
}
