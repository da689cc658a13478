/**
 * A stream of the web in the place of another: the platform reads streams by what is inside them, so that no proxy can stand for one.
 *
 * @module
 */

type Controller = ReadableStreamDefaultController<unknown> & {
  readonly byobRequest?: ReadableStreamBYOBRequest | null;
};

/** A stream of the same kind, whose pieces come by the given way, each when it is asked for. */
export function webStreamOf(
  given: ReadableStream<unknown>,
  pieces: AsyncGenerator<unknown, unknown>,
): ReadableStream<unknown> {
  const isBytes = isOfBytes(given);
  const source = {
    pull: async (controller: Controller) => {
      const { done, value } = await pieces.next();
      if (done === true) {
        controller.close();
        controller.byobRequest?.respond(0);
      } else controller.enqueue(isBytes ? bytesOf(value) : value);
    },
    cancel: async (reason: unknown) => {
      await pieces.return(reason);
    },
    ...(isBytes && { type: 'bytes' }),
  };
  const stream = new ReadableStream(source as UnderlyingSource<unknown>, { highWaterMark: 0 });
  return like(stream, given);
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

/** What goes into a stream of bytes leaves its memory, and the call keeps its last piece; words may stand for an outcome. */
function bytesOf(value: unknown): Uint8Array {
  return typeof value === 'string' ? new TextEncoder().encode(value) : (value as Uint8Array).slice();
}

/** With what a subclass or a library has added by name. A way to read it that it has under a symbol would lead around the call. */
function like<T extends object>(stream: T, given: T): T {
  const added = Object.fromEntries(Object.entries(Object.getOwnPropertyDescriptors(given)));
  Object.defineProperties(stream, added);
  return Object.setPrototypeOf(stream, Object.getPrototypeOf(given) as object) as T;
}
