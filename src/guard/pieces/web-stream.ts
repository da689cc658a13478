/**
 * A stream of the web in front of another: the platform reads streams by what is inside them, so that nobody sees from outside
 * how long one lasts.
 *
 * @module
 */
import type { CancellationToken } from '../../core/token/cancellation-token.ts';

type Controller = ReadableStreamDefaultController<unknown> & {
  readonly byobRequest?: ReadableStreamBYOBRequest | null;
};

/** One of the same kind, which asks for each chunk when its reader does, and how long it lasts; a stop ends it at once. */
export function frontOf(
  given: ReadableStream<unknown>,
  token: CancellationToken,
): { readonly stream: ReadableStream<unknown>; readonly life: Promise<void> } {
  const isBytes = isOfBytes(given);
  const reader = given.getReader();
  let controller!: Controller;
  let reading: Promise<unknown> | undefined;
  let leaving: Promise<void> | undefined;
  const source = {
    start: (own: Controller) => void (controller = own),
    pull: async () => {
      const next = reader.read();
      reading = next;
      const { done, value } = await next;
      if (!done) controller.enqueue(value);
    },
    cancel: (reason: unknown) => (leaving = reader.cancel(reason)),
    ...(isBytes && { type: 'bytes' }),
  };
  const stream = like(new ReadableStream(source as UnderlyingSource<unknown>, { highWaterMark: 0 }), given);
  const live = async (): Promise<void> => {
    const stop = token.onCancelled(() => {
      const reason: unknown = token.signal.reason;
      controller.error(reason);
      source.cancel(reason).catch(() => undefined);
    });
    try {
      await reader.closed;
      // It closes before its last chunk has arrived.
      await reading;
      await leaving;
      if (leaving === undefined) {
        controller.close();
        controller.byobRequest?.respond(0);
      }
    } catch (error) {
      controller.error(error);
      throw error;
    } finally {
      stop.unregister();
    }
    // Who leaves because of a stop has not read the rest.
    if (leaving !== undefined && token.isCancelled) throw token.signal.reason;
  };
  return { stream, life: live() };
}

/** Only such a stream can be read into memory of its reader. */
function isOfBytes(stream: ReadableStream<unknown>): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/** With what a subclass or a library has added by name. A way to read it that it has under a symbol would lead around the call. */
function like<T extends object>(stream: T, given: T): T {
  const added = Object.fromEntries(Object.entries(Object.getOwnPropertyDescriptors(given)));
  Object.defineProperties(stream, added);
  return Object.setPrototypeOf(stream, Object.getPrototypeOf(given) as object) as T;
}
