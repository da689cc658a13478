/**
 * What a request sends, where that is a stream: told when nobody wants it any more, and heard while it moves.
 * In this folder under `cancellable-fetch.ts`; a stream that is uploaded has a producer that a stop must reach.
 * Prior art: WHATWG Fetch's `duplex: 'half'`.
 *
 * @module
 */
import type { Registration } from '../../core/token/handles.ts';
import type { CallScope } from '../internal/call-scope.ts';

type Body = RequestInit['body'];

/** The method of a request, in capitals. */
export function methodOf(input: RequestInfo | URL, init: RequestInit): string {
  return (init.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
}

/** Whether nothing that was sent is used up. A request's own body is a stream, whatever it was made of. */
export function canBeSentAgain(input: RequestInfo | URL, init: RequestInit): boolean {
  if (init.body !== undefined && init.body !== null) return !isStream(init.body);
  // Where a request does not say what its body is, only the method tells that there is none.
  return !(input instanceof Request) || input.body === null || ['GET', 'HEAD'].includes(input.method);
}

/** Anything that is consumed by sending it. */
function isStream(body: Body): boolean {
  return body instanceof ReadableStream || (typeof body === 'object' && body !== null && Symbol.asyncIterator in body);
}

function nobodysError(): undefined {
  return undefined;
}

/** The upload of one call, from its start until somebody answers. */
export class Upload {
  readonly #scope: CallScope;
  readonly #body: ReadableStream<unknown> | undefined;
  #reader: ReadableStreamDefaultReader<unknown> | undefined;
  #link: Registration | undefined;
  #isAwaited = true;

  constructor(body: Body | undefined, scope: CallScope) {
    this.#scope = scope;
    this.#body = body instanceof ReadableStream ? body : undefined;
  }

  /** The request with this upload as its body. */
  on(init: RequestInit): RequestInit {
    const half = isStream(init.body) ? { duplex: 'half' } : {};
    if (this.#body === undefined) return { ...half, ...init };
    const reader = (this.#reader = this.#body.getReader());
    // Not every `fetch` tells the producer, and a deaf one never would.
    this.#link = this.#scope.token.onCancelled(() => {
      this.drop();
    });
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

  /** Somebody has answered: what is still sent is between the two of them. */
  release(): void {
    this.#isAwaited = false;
    this.#link?.unregister();
  }

  /** Nobody will: the producer may stop. */
  drop(): void {
    this.release();
    if (this.#reader === undefined) void this.#body?.cancel().catch(nobodysError);
    else void this.#reader.cancel().catch(nobodysError);
  }
}
