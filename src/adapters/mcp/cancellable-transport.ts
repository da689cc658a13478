/**
 * The transport of somebody else's MCP client: a server hears of a stop once, in neutral words, whatever the client sends. Prior art: the
 * `Transport` of `@modelcontextprotocol/sdk`, which clients of other makers take as well.
 *
 * @module
 */
import { isObject, neutralReasonText, show } from '../../core/inside.ts';

/**
 * A transport of an MCP client, as far as it concerns a stop.
 *
 * @since 0.1.0
 */
export interface McpTransportLike {
  /** Sends a message; of a request the options may hold its signal. */
  readonly send: (message: never, options?: never) => Promise<unknown>;
  /** Set by the client that reads it. */
  onmessage?: unknown;
  /** Set by the client that uses it. */
  onclose?: unknown;
  /** Ends it. */
  readonly close: (...args: never[]) => Promise<unknown>;
}

interface Message {
  readonly id?: string | number | undefined;
  readonly method?: string | undefined;
  readonly params?: { readonly requestId?: string | number | undefined } | undefined;
}

type Method = (...args: unknown[]) => unknown;

/** The requests that nobody has answered yet, and how each stops listening to its signal. */
class OpenRequests {
  readonly #open = new Map<string | number, () => void>();

  add(id: string | number, signal: AbortSignal | undefined, tell: () => void): void {
    this.end(id);
    if (signal === undefined) {
      this.#open.set(id, () => undefined);
      return;
    }
    const abort = (): void => {
      if (this.end(id)) tell();
    };
    this.#open.set(id, () => {
      signal.removeEventListener('abort', abort);
    });
    signal.addEventListener('abort', abort, { once: true });
  }

  /** Says whether it was open. */
  end(id: string | number): boolean {
    this.#open.get(id)?.();
    return this.#open.delete(id);
  }

  /** Some servers give the id back as a text, and clients take it. */
  answered(id: string | number): void {
    const asked = this.#open.has(id) ? id : [...this.#open.keys()].find((each) => String(each) === id);
    if (asked !== undefined) this.end(asked);
  }

  endAll(): void {
    for (const id of [...this.#open.keys()]) this.end(id);
  }
}

function cancelOf(requestId: string | number): object {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: neutralReasonText } };
}

/**
 * Wraps the transport of an MCP client that tells its server nothing of a stop, or too much: the AI SDK's `createMCPClient` gives a call up
 * without a word, the SDK of version 1 sends the reason's own text, and announces calls that have long been answered.
 *
 * Of each request that was given up before it was answered the server gets one `notifications/cancelled` with the text "Request
 * cancelled"; of others none. A client's own notification counts as that one. `initialize` cannot be cancelled.
 *
 * @checkpoint never: it follows the signals that the client hands on
 * @cleanup With a request's answer, its failure to be sent, or the transport's end, its listener is gone.
 * @param transport The transport; it is used, not changed.
 * @returns The same to the client.
 * @throws TypeError – no transport.
 * @example
 * ```ts
 * import { cancellableTransport } from 'desist/mcp'
 *
 * // with the AI SDK: await createMCPClient({ transport: cancellableTransport(new Experimental_StdioMCPTransport({ command })) })
 * const sent: { method: string }[] = []
 * const transport = cancellableTransport({
 *   send: async (message: { method: string }, _options?: { signal: AbortSignal }) => void sent.push(message),
 *   close: async () => undefined,
 * })
 * const stop = new AbortController()
 * await transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' } as never, { signal: stop.signal } as never)
 * stop.abort('Monday is not their business')
 * sent.map(({ method }) => method) // => ['tools/call', 'notifications/cancelled']
 * ```
 * @source MCP specification, "Cancellation"
 * @since 0.1.0
 */
export function cancellableTransport<T extends McpTransportLike>(transport: T): T {
  if (!isObject(transport) || typeof (transport as Partial<McpTransportLike>).send !== 'function') {
    throw new TypeError(`transport must be a transport of an MCP client, got ${show(transport)}`);
  }
  const open = new OpenRequests();
  const forward = (...args: readonly unknown[]): unknown => Reflect.apply(transport.send as Method, transport, args);
  const tell = (id: string | number): void => {
    const told = async (): Promise<unknown> => await forward(cancelOf(id));
    // A transport that has ended has nobody to tell.
    told().catch(() => undefined);
  };
  const send = (message: Message, options?: { readonly signal?: AbortSignal }, ...rest: unknown[]): unknown => {
    const { id, method, params } = message;
    if (method === 'notifications/cancelled' && params?.requestId !== undefined) {
      return open.end(params.requestId) ? forward(cancelOf(params.requestId), options, ...rest) : Promise.resolve();
    }
    const isCancellable = id !== undefined && method !== undefined && method !== 'initialize';
    if (!isCancellable) return forward(message, options, ...rest);
    const signal = options?.signal;
    open.add(id, signal, () => {
      tell(id);
    });
    const sending = async (): Promise<unknown> => await forward(message, options, ...rest);
    const sent = sending();
    // What was never sent is not open, and the client hears of it.
    sent.catch(() => open.end(id));
    // An aborted signal tells nothing any more.
    if (signal?.aborted === true && open.end(id)) tell(id);
    return sent;
  };
  const close = (...args: unknown[]): unknown => {
    open.endAll();
    return Reflect.apply(transport.close as Method, transport, args);
  };
  const heard = {
    onmessage: (message: Message): void => {
      if (message.method === undefined && message.id !== undefined) open.answered(message.id);
    },
    onclose: (): void => {
      open.endAll();
    },
  } as const;
  const given = new Map<PropertyKey, unknown>();
  return new Proxy(transport, {
    get: (target, key) => {
      if (key === 'send') return send;
      if (key === 'close') return close;
      if (given.has(key)) return given.get(key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value as Method).bind(target) : value;
    },
    set: (target, key, value: unknown) => {
      if (!(key in heard)) return Reflect.set(target, key, value, target);
      given.set(key, value);
      if (typeof value !== 'function') return Reflect.set(target, key, value, target);
      const listener = (...args: unknown[]): unknown => {
        Reflect.apply(heard[key as keyof typeof heard] as Method, undefined, args);
        return Reflect.apply(value as Method, target, args);
      };
      return Reflect.set(target, key, listener, target);
    },
  });
}
