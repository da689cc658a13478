/**
 * The Stop route as a listener of Node's servers, and as a handler of Express.
 *
 * @module
 */
import { byteLimit, inTime, type BodyLimits } from './read-body.ts';
import type { Answer, Incoming } from './exchange.ts';
import { Refusal } from './stop-message.ts';

/**
 * The part of Node's `IncomingMessage` that the Stop route reads.
 *
 * @since 0.1.0
 */
export interface NodeStopRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** 2 over HTTP/2. */
  readonly httpVersionMajor?: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined };
  /** What a framework has parsed. */
  readonly body?: unknown;
  /** Whether all of it was read by somebody. */
  readonly readableEnded: boolean;
  /** Subscribes to what comes. */
  on(event: 'data', listener: (part: Uint8Array) => void): unknown;
  /** Subscribes to its end. */
  on(event: 'end' | 'error' | 'close', listener: () => void): unknown;
  /** Unsubscribes from what comes. */
  removeListener(event: 'data', listener: (part: Uint8Array) => void): unknown;
  /** Unsubscribes from its end. */
  removeListener(event: 'end' | 'error' | 'close', listener: () => void): unknown;
  /** Lets the rest go unread. */
  resume(): unknown;
}

/**
 * The part of Node's `ServerResponse` that the Stop route writes.
 *
 * @since 0.1.0
 */
export interface NodeStopResponse {
  readonly headersSent: boolean;
  /** Status and headers. */
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  /** The body, and the end. */
  end(body: string): unknown;
}

/**
 * A listener for `http.createServer`, or a handler for Express.
 *
 * @since 0.1.0
 */
export type NodeExchange = (request: NodeStopRequest, response: NodeStopResponse, next?: () => void) => void;

/** The path of a request, without what follows it. */
export function pathOf({ url }: Pick<NodeStopRequest, 'url'>): string {
  return (url ?? '').split(/[?#]/u, 1)[0] as string;
}

/** Reads a request's headers by name; a function of its own, as `authorize` takes it out of its object. */
export function headerOf({ headers }: Pick<NodeStopRequest, 'headers'>): (name: string) => string | undefined {
  return (name) => {
    const value = headers[name.toLowerCase()];
    return typeof value === 'string' ? value : value?.[0];
  };
}

class NodeIncoming implements Incoming {
  readonly raw: NodeStopRequest;

  constructor(raw: NodeStopRequest) {
    this.raw = raw;
  }

  get method(): string {
    return this.raw.method ?? '';
  }

  get path(): string {
    return pathOf(this.raw);
  }

  get address(): string | undefined {
    return this.raw.socket.remoteAddress;
  }

  get header(): (name: string) => string | undefined {
    return headerOf(this.raw);
  }

  /** Whether its headers say that something was sent. */
  #hasBody(): boolean {
    return this.header('transfer-encoding') !== undefined || Number(this.header('content-length') ?? 0) > 0;
  }

  async readBody(limits: BodyLimits): Promise<unknown> {
    const { raw } = this;
    if (raw.readableEnded) {
      if (raw.body === undefined && this.#hasBody()) {
        throw new Refusal(400, 'the body was read before, by somebody who did not put it into request.body');
      }
      return raw.body;
    }
    const limit = byteLimit(limits.mostBytes);
    let stop = (): void => undefined;
    try {
      return await inTime(
        limits,
        () =>
          new Promise<string>((resolve, reject) => {
            // Nobody waits for the answer any more, and no stop was said.
            const gone = (): void => {
              reject(new Refusal(400, 'the body ended early'));
            };
            const add = (part: Uint8Array): void => {
              const refusal = limit.add(part);
              if (refusal !== undefined) reject(refusal);
            };
            const end = (): void => {
              resolve(limit.text());
            };
            raw.on('data', add);
            raw.on('end', end);
            raw.on('error', gone);
            raw.on('close', gone);
            stop = () => {
              raw.removeListener('data', add);
              raw.removeListener('end', end);
              raw.removeListener('error', gone);
              raw.removeListener('close', gone);
            };
          }),
      );
    } finally {
      stop();
    }
  }
}

/** What the listener needs of the route. */
interface Route {
  match(path: string): string | undefined;
  answer(request: Incoming): Promise<Answer>;
}

/** Makes the listener. */
export function nodeFrontEnd(route: Route): NodeExchange {
  return (request, response, next) => {
    const incoming = new NodeIncoming(request);
    if (next !== undefined && route.match(incoming.path) === undefined) {
      next();
      return;
    }
    void route.answer(incoming).then(({ status, headers, body }) => {
      if (response.headersSent) return;
      // What was not read of the body would be taken for the next request.
      const isUnread = !request.readableEnded;
      // HTTP/2 has no such header, and no need: a stream of its own is all that the rest would fill.
      const mustClose = isUnread && status >= 400 && (request.httpVersionMajor ?? 1) < 2;
      response.writeHead(status, mustClose ? { ...headers, connection: 'close' } : headers);
      response.end(body);
      if (isUnread) request.resume();
    });
  };
}
