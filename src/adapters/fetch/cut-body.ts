/**
 * The body of a response, read through the call's own token; and the same response around it.
 * In this folder under `cancellable-fetch.ts`, as what outlives the call.
 * Prior art: undici's `bodyTimeout`, `Response.clone()`.
 *
 * @module
 */
import type { CallScope } from '../internal/call-scope.ts';
import { CutStream, type SourceIterator } from '../internal/stream-cut.ts';

/** Milliseconds that a cancelled body may take to be gone; nobody waits for it. */
const BODY_GRACE_MS = 1000;

/** What a body that nobody will read fails with, while it is dropped. */
export function nobodysError(): undefined {
  return undefined;
}

/** A function of its own: closures share what they close over, and the token holds the source, not its reader. */
function sourceOf(reader: ReadableStreamDefaultReader<Uint8Array>): SourceIterator<Uint8Array> {
  return {
    next: () => reader.read(),
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

/** The body, read through the scope, and the scope released with it. A byte stream, as the host's own is. */
export function cutBody(body: ReadableStream<Uint8Array>, scope: CallScope): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let controller: ReadableByteStreamController | undefined;
  const cut = new CutStream<Uint8Array>({
    scope,
    graceMs: BODY_GRACE_MS,
    open: () => sourceOf(reader),
    onCut: (error) => controller?.error(error),
  });
  const stream = new ReadableStream({
    type: 'bytes',
    start(own) {
      controller = own;
    },
    async pull(own) {
      const next = await cut.next();
      if (next.done === true) {
        own.close();
        own.byobRequest?.respond(0);
      } else if (next.value.byteLength > 0) own.enqueue(ownBytes(next.value));
      else await this.pull?.(own); // a byte stream takes no empty chunk
    },
    async cancel() {
      await cut.return();
    },
  });
  if (scope.isCancelled) void reader.cancel().catch(nobodysError);
  // At once and not with the first read: a body that is never read must be let go as well.
  cut.start();
  return stream;
}

/** A byte stream takes over the memory of its chunks, so a view of a larger buffer is copied. */
function ownBytes(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength;
  return isWhole ? (chunk as Uint8Array<ArrayBuffer>) : new Uint8Array(chunk);
}

/** What a response says that its constructor cannot be told. */
const told = ['url', 'redirected', 'type'] as const;

/** The same response around another body. */
export function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers } = response;
  return tellAs(response, new Response(body, { status, statusText, headers }));
}

function tellAs(original: Response, copy: Response): Response {
  for (const field of told) Object.defineProperty(copy, field, { value: original[field], configurable: true });
  const clone = (): Response => tellAs(original, Response.prototype.clone.call(copy));
  return Object.defineProperty(copy, 'clone', { value: clone, configurable: true, writable: true });
}
