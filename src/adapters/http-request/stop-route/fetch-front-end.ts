/**
 * The Stop route for servers that take a `Request` and want a `Response`.
 *
 * @module
 */
import { byteLimit, inTime, type BodyLimits } from './read-body.ts';
import type { Answer, Incoming } from './exchange.ts';
import { Refusal } from './stop-message.ts';

/**
 * The part of a `Request` that the Stop route reads.
 *
 * @since 0.1.0
 */
export interface FetchRequestLike {
  readonly method: string;
  readonly url: string;
  readonly headers: {
    /** One header's value. */
    get(name: string): string | null;
  };
  /** Its body, if it has one. */
  readonly body: {
    /** Locks the body, to read it. */
    getReader(): {
      /** The next bytes. */
      read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
      /** Stops reading. */
      cancel(): Promise<void>;
    };
  } | null;
}

class FetchIncoming implements Incoming {
  readonly address = undefined;
  readonly raw: FetchRequestLike;

  constructor(raw: FetchRequestLike) {
    this.raw = raw;
  }

  get method(): string {
    return this.raw.method;
  }

  get path(): string {
    return new URL(this.raw.url, 'http://local').pathname;
  }

  // A field of its own: `authorize` takes it out of the object.
  readonly header = (name: string): string | undefined => this.raw.headers.get(name) ?? undefined;

  async readBody(limits: BodyLimits): Promise<string> {
    const reader = this.raw.body?.getReader();
    if (reader === undefined) return '';
    const limit = byteLimit(limits.mostBytes);
    try {
      return await inTime(limits, async () => {
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          const refusal = limit.add(part.value as Uint8Array);
          if (refusal !== undefined) throw refusal;
        }
        return limit.text();
      });
    } catch (error) {
      reader.cancel().catch(() => undefined);
      throw error instanceof Refusal ? error : new Refusal(400, 'the body ended early');
    }
  }
}

/** Makes the handler. */
export function fetchFrontEnd(
  respond: (request: Incoming) => Promise<Answer>,
): (request: FetchRequestLike) => Promise<Response> {
  return async (request) => {
    const { status, headers, body } = await respond(new FetchIncoming(request));
    return new Response(body, { status, headers });
  };
}
