/**
 * The body of a response, read through the call's own token; and the same response around it. Prior art: undici's
 * `bodyTimeout`, `Response.clone()`.
 *
 * @module
 */
import type { CallScope } from '../internal/call-scope.ts';
import { CutStream, type SourceIterator } from '../internal/stream/stream-cut.ts';

/** Milliseconds that a cancelled body may take to be gone; nobody waits for it. */
const BODY_GRACE_MS = 1000;

/** What a body that nobody will read fails with, while it is dropped. */
export function nobodysError(): undefined {
  return undefined;
}

/** A body, of whatever realm or library: a web stream, or a stream of Node, as node-fetch gives one. */
export type AnyBody =
  | Pick<ReadableStream<Uint8Array>, 'getReader' | 'cancel'>
  | (AsyncIterable<Uint8Array | string> & { destroy?(): unknown });

/** Whether there is something to read, told by what it can do: a class of another realm is not ours. */
export function isBody(body: unknown): body is AnyBody {
  if (typeof body !== 'object' || body === null) return false;
  return typeof (body as { getReader?: unknown }).getReader === 'function' || Symbol.asyncIterator in body;
}

/** Drops a body that nobody will read. */
export function dropBody(body: unknown): void {
  if (!isBody(body)) return;
  if ('getReader' in body) void body.cancel().catch(nobodysError);
  else body.destroy?.();
}

/** A function of its own: closures share what they close over, and the token holds the source, not its reader. */
function sourceOf(body: AnyBody): SourceIterator<Uint8Array> {
  if ('getReader' in body) {
    const reader = body.getReader();
    return {
      next: () => reader.read(),
      return: async () => {
        await reader.cancel();
        return { done: true, value: undefined };
      },
    };
  }
  const chunks = body[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return {
    next: async () => {
      const next: IteratorResult<Uint8Array | string, unknown> = await chunks.next();
      if (next.done === true) return { done: true, value: undefined };
      return { done: false, value: typeof next.value === 'string' ? encoder.encode(next.value) : next.value };
    },
    // A generator's own `return()` would wait for the chunk that it waits for.
    return: async () => {
      if (body.destroy === undefined) await chunks.return?.();
      else body.destroy();
      return { done: true, value: undefined };
    },
  };
}

/** What cut a body, once something has. */
export interface Cut {
  error: Error | undefined;
}

/** How to read a body. */
export interface BodyOptions {
  /** Takes the error that cuts it. */
  readonly cut: Cut;
  /** How many bytes have to come, if that is known and asked for. */
  readonly expected?: number | undefined;
}

/** The body, read through the scope, and the scope released with it. A byte stream, as the host's own is. */
export function cutBody(body: AnyBody, scope: CallScope, { cut, expected }: BodyOptions): ReadableStream<Uint8Array> {
  const source = sourceOf(body);
  let controller: ReadableByteStreamController | undefined;
  let received = 0;
  const chunks = new CutStream<Uint8Array>({
    scope,
    graceMs: BODY_GRACE_MS,
    open: () => source,
    onCut: (error) => {
      cut.error = error;
      controller?.error(error);
    },
  });
  const stream = new ReadableStream({
    type: 'bytes',
    start(own) {
      controller = own;
    },
    async pull(own) {
      const next = await chunks.next();
      if (next.done === true) {
        if (expected !== undefined && received < expected) {
          throw new TypeError(`The body ended after ${String(received)} of ${String(expected)} bytes`);
        }
        own.close();
        own.byobRequest?.respond(0);
      } else if (next.value.byteLength > 0) {
        received += next.value.byteLength;
        own.enqueue(ownBytes(next.value));
      } else await this.pull?.(own); // a byte stream takes no empty chunk
    },
    async cancel() {
      await chunks.return();
    },
  });
  // At once and not with the first read: a body that is never read must be let go as well.
  chunks.start();
  if (scope.isCancelled) void Promise.resolve(source.return?.()).catch(nobodysError);
  return stream;
}

/** A byte stream takes over the memory of its chunks, so a view of a larger buffer is copied. */
function ownBytes(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength;
  return isWhole ? (chunk as Uint8Array<ArrayBuffer>) : new Uint8Array(chunk);
}

/** What a response says that its constructor cannot be told, or refuses: servers answer 999, and in any script. */
const told = ['url', 'redirected', 'type', 'status', 'statusText', 'ok'] as const;

/** What reads a whole body. Browsers reject with errors of their own here, whatever the body's stream failed with. */
const readers = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const;

/** The statuses whose responses must have no body. */
const bodiless: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** Whether a response may be made around a body: browsers give a stream to those that have none as well. */
export function mayHaveBody({ status }: Pick<Response, 'status'>): boolean {
  return !bodiless.has(status) && status >= 200;
}

/** The same response around another body, whose readers reject with what cut it. */
export function withBody(response: Response, body: ReadableStream<Uint8Array>, cut: Cut): Response {
  const { status, statusText, headers } = response;
  const init = {
    headers: headers instanceof Headers ? headers : listOf(headers),
    // What the constructor would refuse is told as well; what it takes is in the response itself, for caches.
    ...(status <= 599 ? { status } : {}),
    ...(/^[\t -~\x80-\xff]*$/.test(statusText) ? { statusText } : {}),
  };
  return tellAs(response, new Response(body, init), cut);
}

/** Headers of another library as a list; node-fetch gives several of one name apart only by `raw()`. */
function listOf(headers: Iterable<[string, string]> & { raw?(): Record<string, string[]> }): [string, string][] {
  const raw = headers.raw?.();
  if (raw === undefined) return [...headers];
  return Object.entries(raw).flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));
}

function tellAs(original: Response, copy: Response, cut: Cut): Response {
  for (const field of told) Object.defineProperty(copy, field, { value: original[field], configurable: true });
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(copy, name, { value, configurable: true, writable: true });
  };
  define('clone', () => tellAs(original, Response.prototype.clone.call(copy), cut));
  const methods = Response.prototype as unknown as Partial<Record<string, () => Promise<unknown>>>;
  for (const name of readers) {
    const read = methods[name];
    if (read === undefined) continue; // not every host has all of them
    define(name, async () => {
      const wasUsed = copy.bodyUsed;
      try {
        return await read.call(copy);
      } catch (error) {
        throw wasUsed ? error : (cut.error ?? error);
      }
    });
  }
  return copy;
}
