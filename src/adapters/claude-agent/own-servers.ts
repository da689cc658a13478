/**
 * The MCP servers of this process: a call of one of their tools begins when its request comes here, and not already when the
 * executable may send it.
 *
 * @module
 */
import { isObject } from '../../core/inside.ts';

/** The transport between the executable and a server. */
interface Transport {
  send(message: object): unknown;
}
interface Server {
  connect(...args: readonly unknown[]): unknown;
}
type OnMessage = (message: unknown, ...rest: unknown[]) => unknown;

interface Request {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly _meta?: unknown };
}

/** The options of the SDK, as far as they are about servers. */
interface ServerOptions {
  readonly mcpServers?: unknown;
}

/** Those of the options. */
export interface OwnServers {
  /** What stands in the place of the option. */
  readonly option: ServerOptions;
  /** Whether a tool, by the name that the executable has for it, is one of theirs. */
  readonly has: (tool: string) => boolean;
}

/** The name of a call in what an MCP handler is given, or its request has. */
export function callIdOf(of: { readonly _meta?: unknown } | undefined): string | undefined {
  const meta = of?._meta;
  const id = isObject(meta) ? (meta as Readonly<Record<string, unknown>>)['claudecode/toolUseId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/**
 * Reads them.
 *
 * @param options Those of the SDK; they are not changed.
 * @param arrive Told of each call whose request has come; gives what the model reads instead, if its work must not begin.
 */
export function ownServers(
  { mcpServers }: ServerOptions,
  arrive: (callId: string) => Promise<string | undefined>,
): OwnServers {
  const prefixes: string[] = [];
  const under = (name: string, server: unknown): unknown => {
    if (!isObject(server)) return server;
    const { type, instance } = server as { readonly type?: unknown; readonly instance?: unknown };
    if (type !== 'sdk' || !isObject(instance)) return server;
    prefixes.push(`mcp__${name.replace(/[^\w-]/g, '_')}__`);
    const connect = (transport: Transport, ...rest: unknown[]): unknown =>
      (instance as Server).connect(watch(transport, arrive), ...rest);
    return { ...server, instance: Object.create(instance, { connect: { value: connect } }) as object };
  };
  const option = isObject(mcpServers)
    ? {
        mcpServers: Object.fromEntries(Object.entries(mcpServers).map(([name, server]) => [name, under(name, server)])),
      }
    : {};
  return { option, has: (tool) => prefixes.some((prefix) => tool.startsWith(prefix)) };
}

/** The transport to its server, which gets each request for a call once that has arrived. */
function watch(transport: Transport, arrive: (callId: string) => Promise<string | undefined>): Transport {
  const gated = (onMessage: OnMessage): OnMessage => {
    // What follows a request, such as its cancel, stays behind it.
    let before: Promise<void> | undefined;
    return (message, ...rest) => {
      const pass = (): void => void onMessage(message, ...rest);
      const { id, method, params } = (isObject(message) ? message : {}) as Request;
      const callId = method === 'tools/call' ? callIdOf(params) : undefined;
      if (callId === undefined && before === undefined) {
        pass();
        return;
      }
      const mine = (async (): Promise<void> => {
        await before;
        const said = callId === undefined ? undefined : await arrive(callId);
        if (said === undefined) pass();
        else
          await transport.send({
            jsonrpc: '2.0',
            id,
            result: { content: [{ type: 'text', text: said }], isError: true },
          });
      })()
        // A transport that has ended has nobody to tell.
        .catch(() => undefined)
        .finally(() => {
          if (before === mine) before = undefined;
        });
      before = mine;
    };
  };
  return new Proxy(transport, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' && key !== 'onmessage' ? (value.bind(target) as unknown) : value;
    },
    set: (target, key, value: unknown) =>
      Reflect.set(target, key, key === 'onmessage' && typeof value === 'function' ? gated(value as OnMessage) : value),
  });
}
