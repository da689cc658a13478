/**
 * What one request looked like from the server's side: what was asked, what went out, and who closed the socket.
 *
 * @module
 */
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Which provider's protocol a request spoke.
 *
 * @since 0.1.0
 */
export type ModelDialect = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini' | 'ollama';

/**
 * One request as the server saw it. The object is live: its fields change while the reply is on its way.
 *
 * @since 0.1.0
 */
export interface ModelRequest {
  /** 1 for the first request of the server. */
  readonly n: number;
  /** The protocol, told by the path. */
  readonly dialect: ModelDialect;
  /** The model it asked for, in its body or in its path; `undefined` if it named none. */
  readonly model: string | undefined;
  /** The parsed JSON body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The request's headers, names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Whether the client asked for a stream. */
  readonly stream: boolean;
  /** When its body had arrived, epoch ms. */
  readonly receivedAt: number;
  /** The HTTP status sent; `undefined` before the headers went out. */
  readonly status: number | undefined;
  /** The provider's words with which the transcript was refused; `undefined` if it was not. */
  readonly refusal: string | undefined;
  /** Bytes of body written so far. */
  readonly bytesWritten: number;
  /** Deltas written so far. */
  readonly deltasWritten: number;
  /** When the whole reply had been handed over, epoch ms; `undefined` before, and for ever if it was cut. */
  readonly finishedAt: number | undefined;
  /** Whether the client closed the connection before the reply was complete. */
  readonly closedEarly: boolean;
  /** When the connection for this request ended, in whatever way, epoch ms. */
  readonly closedAt: number | undefined;
}

/**
 * A request that no protocol of the server knows: another path, another method, or a body that is no JSON object.
 *
 * @since 0.1.0
 */
export interface UnknownRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The status that it got. */
  readonly status: number;
  /** When it came, epoch ms. */
  readonly receivedAt: number;
}

/** What a path says about a request, where the body does not. */
export interface Route {
  readonly model?: string | undefined;
  readonly stream?: boolean | undefined;
}

/** The writable side of {@link ModelRequest}. */
export type RequestRecord = { -readonly [K in keyof ModelRequest]: ModelRequest[K] };

/** Epoch milliseconds that never go backwards. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** A fresh record, of a request whose body has just arrived. */
export function createRecord(
  n: number,
  dialect: ModelDialect,
  body: Readonly<Record<string, unknown>>,
  headers: IncomingHttpHeaders,
  route: Route = {},
): RequestRecord {
  const model = route.model ?? body['model'];
  return {
    n,
    dialect,
    model: typeof model === 'string' ? model : undefined,
    body,
    headers,
    stream: route.stream ?? body['stream'] === true,
    receivedAt: now(),
    status: undefined,
    refusal: undefined,
    bytesWritten: 0,
    deltasWritten: 0,
    finishedAt: undefined,
    closedEarly: false,
    closedAt: undefined,
  };
}
