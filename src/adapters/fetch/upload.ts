/**
 * What a request sends, where that is a stream: told when nobody wants it any more, and heard while it moves. Prior
 * art: WHATWG Fetch's `duplex: 'half'`.
 *
 * @module
 */
import type { Registration, Releasable } from '../../core/inside.ts';
import type { CallScope } from '../internal/call-scope.ts';

type Body = RequestInit['body'];

/** A request, of whichever realm or library it is; `undefined` for a mere address. */
export function requestOf(input: RequestInfo | URL): Request | undefined {
  return typeof input === 'object' && 'method' in input ? input : undefined;
}

/** The method of a request, in capitals. */
export function methodOf(input: RequestInfo | URL, init: RequestInit): string {
  return (init.method ?? requestOf(input)?.method ?? 'GET').toUpperCase();
}

/** Whether nothing that was sent is used up. A request's own body is a stream, whatever it was made of. */
export function canBeSentAgain(input: RequestInfo | URL, init: RequestInit): boolean {
  if (init.body !== undefined && init.body !== null) return !isStream(init.body);
  const request = requestOf(input);
  // Where a request does not say what its body is, only the method tells that there is none.
  return request === undefined || request.body === null || ['GET', 'HEAD'].includes(request.method);
}

/** A producer that is asked for chunks: a generator, or a stream of Node, which is destroyed and not only left. */
type Producer = AsyncIterable<unknown> & { destroy?(): unknown; pipe?(): unknown };

/** Anything that is consumed by sending it. */
function isStream(body: Body): boolean {
  return isWebStream(body) || isProducer(body);
}

/** Also one of another realm. */
function isWebStream(body: unknown): body is ReadableStream<unknown> {
  return typeof body === 'object' && body !== null && 'getReader' in body && 'cancel' in body;
}

function isProducer(body: unknown): body is Producer {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body && !isWebStream(body);
}

/** What a web stream may send: bytes. A text would be refused, or lost. */
function bytesOf(chunk: unknown): unknown {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  return chunk instanceof ArrayBuffer ? new Uint8Array(chunk) : chunk;
}

function nobodysError(): undefined {
  return undefined;
}

/** The upload of one call: told to end when that does, if it has not by then. */
export class Upload implements Releasable {
  readonly #scope: CallScope;
  readonly #body: ReadableStream<unknown> | undefined;
  readonly #producer: Producer | undefined;
  #chunks: AsyncIterator<unknown> | undefined;
  #reader: ReadableStreamDefaultReader<unknown> | undefined;
  #link: Registration | undefined;
  #isAwaited = true;
  #isReleased = false;

  constructor(body: Body | undefined, scope: CallScope) {
    this.#scope = scope;
    this.#body = isWebStream(body) ? body : undefined;
    // A form can be iterated too, but nothing of it runs.
    this.#producer = isProducer(body) ? body : undefined;
  }

  /** The request with this upload as its body. */
  on(init: RequestInit): RequestInit {
    const half = isStream(init.body) ? { duplex: 'half' } : {};
    if (this.#producer !== undefined) {
      this.#listen();
      return { ...half, ...init, ...this.#produced(this.#producer) };
    }
    if (this.#body === undefined) return { ...half, ...init };
    const reader = (this.#reader = this.#body.getReader());
    this.#listen();
    const body = new ReadableStream({
      pull: async (own) => {
        const { done, value } = await reader.read();
        if (done) {
          own.close();
          return;
        }
        if (this.#isAwaited) this.#scope.arm();
        own.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return { ...half, ...init, body };
  }

  /** Not every `fetch` tells the producer, and a deaf one never would. */
  #listen(): void {
    this.#link = this.#scope.token.onCancelled(() => {
      this.release();
    });
  }

  /**
   * A stream of Node is sent as it is, because some clients take nothing else. A generator is sent as a web stream: only the
   * `fetch` of Node knows what one is, any other would send its name.
   */
  #produced(producer: Producer): { readonly body: NonNullable<Body> } {
    if (producer.destroy !== undefined) return { body: producer as unknown as NonNullable<Body> };
    const chunks = (this.#chunks = producer[Symbol.asyncIterator]());
    const pull = async (own: ReadableStreamDefaultController<unknown>): Promise<void> => {
      const { done, value } = (await chunks.next()) as IteratorResult<unknown, unknown>;
      if (done === true) {
        own.close();
        return;
      }
      if (this.#isAwaited) this.#scope.arm();
      own.enqueue(bytesOf(value));
    };
    const cancel = async (): Promise<void> => {
      await chunks.return?.();
    };
    return { body: new ReadableStream({ pull, cancel }, { highWaterMark: 0 }) };
  }

  /** Somebody has answered: what is still sent says nothing about the answer's idleness. */
  answered(): void {
    this.#isAwaited = false;
  }

  /** Nobody wants it any more: the producer may stop. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#isAwaited = false;
    this.#link?.unregister();
    if (this.#producer !== undefined) {
      if (this.#producer.destroy !== undefined) this.#producer.destroy();
      else void Promise.resolve((this.#chunks ?? this.#generator())?.return?.()).catch(nobodysError);
      return;
    }
    if (this.#reader === undefined) void this.#body?.cancel().catch(nobodysError);
    else void this.#reader.cancel().catch(nobodysError);
  }

  /** One that was never asked, if it is its own iterator: any other has not begun. */
  #generator(): AsyncIterator<unknown> | undefined {
    const producer = this.#producer as Partial<AsyncIterator<unknown>> | undefined;
    return typeof producer?.next === 'function' ? (producer as AsyncIterator<unknown>) : undefined;
  }
}
