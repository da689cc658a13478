/**
 * What is used of a Redis client, by structure: of ioredis and iovalkey, which agree, and of node-redis.
 *
 * Invariant: the client that was given is only copied; nothing of ours waits behind the application's own commands.
 *
 * @module
 */
import { isObject, show } from '../../core/inside.ts';

/**
 * A client of `ioredis` or `iovalkey`.
 *
 * @since 0.1.0
 */
export interface IoRedisClient {
  /** Sends any command. */
  call(command: string, ...args: string[]): Promise<unknown>;
  /** Starts to receive what is sent to a channel. */
  subscribe(channel: string): Promise<unknown>;
  /** Ends the connection at once. */
  disconnect(): void;
  /** A client with the same settings, but for these. */
  duplicate(options?: object): unknown;
  /** Hears of the connection. */
  on(event: string, listener: (...args: unknown[]) => void): unknown;
}

/**
 * A client of `redis` (node-redis).
 *
 * @since 0.1.0
 */
export interface NodeRedisClient {
  /** Sends any command. */
  sendCommand(args: string[]): Promise<unknown>;
  /** Starts to receive what is sent to a channel. */
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  /** Opens the connection. */
  connect(): Promise<unknown>;
  /** Ends the connection at once. */
  destroy(): void;
  /** A client with the same settings, but for these. */
  duplicate(options?: object): unknown;
  /** Hears of the connection. */
  on(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** What a connection tells. */
export interface WireEvents {
  /** It can be used; again, after it could not. */
  ready(): void;
  down(error: unknown): void;
}

/** A connection of ours. */
export interface Wire {
  command(args: readonly string[]): Promise<unknown>;
  /** Stays subscribed when the connection is made anew; repeated calls with the same listener are one. */
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
  close(): void;
}

/** Makes connections like the one that was given. */
export type Wiring = (events: WireEvents) => Wire;

/** The longest wait between two tries to connect, in milliseconds. */
const LONGEST_WAIT_MS = 1_000;

function waitBefore(attempt: number): number {
  return Math.min(attempt * 50, LONGEST_WAIT_MS);
}

/** Commands fail at once where there is no connection: they have deadlines, and are sent again by those who know how. */
const ioRedisOptions = {
  ...{ enableOfflineQueue: false, autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 },
  ...{ lazyConnect: false, retryStrategy: waitBefore },
  // Scripts make names of records themselves; and a stop is for every process, whatever prefix its client has.
  keyPrefix: '',
  // How long a silent engine may keep a socket that has been closed: nothing is waited for by then.
  disconnectTimeout: 100,
  // ioredis hears nobody's rejection when a connection is lost in the middle of that, and the process would end of it.
  autoResubscribe: false,
};

/** A cluster copies its nodes first; it hears again by itself when the node that it listens on is gone. */
function duplicateCluster(given: IoRedisClient): unknown {
  const { autoResubscribe: _own, retryStrategy: clusterRetryStrategy, keyPrefix, ...redisOptions } = ioRedisOptions;
  const cluster = given as { duplicate(nodes: readonly unknown[], options: object): unknown };
  return cluster.duplicate([], {
    ...{ enableOfflineQueue: false, lazyConnect: false, keyPrefix },
    ...{ clusterRetryStrategy, redisOptions },
  });
}

function ioRedisWire(given: IoRedisClient, events: WireEvents): Wire {
  const isCluster = (given as { readonly isCluster?: unknown }).isCluster === true;
  const client = (isCluster ? duplicateCluster(given) : given.duplicate(ioRedisOptions)) as IoRedisClient;
  client.on('ready', () => events.ready());
  client.on('error', (error) => events.down(error));
  let hear: ((message: string) => void) | undefined;
  client.on('message', (_channel, message) => hear?.(String(message)));
  return {
    command: async ([name = '', ...args]) => await client.call(name, ...args),
    subscribe: async (channel, listener) => {
      hear = listener;
      await client.subscribe(channel);
    },
    close: () => leave(() => client.disconnect()),
  };
}

function nodeRedisWire(given: NodeRedisClient, events: WireEvents): Wire {
  const { socket } = (given as { readonly options?: { readonly socket?: object } }).options ?? {};
  const client = given.duplicate({
    disableOfflineQueue: true,
    // Answers are read as text, whatever yours are mapped to.
    commandOptions: {},
    socket: { ...socket, reconnectStrategy: waitBefore },
  }) as NodeRedisClient;
  let isClosed = false;
  client.on('ready', () => events.ready());
  client.on('error', (error) => events.down(error));
  const connect = async (): Promise<unknown> => await client.connect();
  connect().catch((error: unknown) => {
    if (!isClosed) events.down(error);
  });
  return {
    command: async (args) => await client.sendCommand([...args]),
    subscribe: async (channel, listener) => {
      await client.subscribe(channel, listener);
    },
    close: () => {
      if (isClosed) return;
      isClosed = true;
      leave(() => client.destroy());
    },
  };
}

/** A client that is closed already may throw; nobody is left to be told. */
function leave(close: () => void): void {
  try {
    close();
  } catch {
    // It is given up in any case.
  }
}

/**
 * How to connect as `client` is connected.
 *
 * @throws TypeError – it is of no kind that we know.
 */
export function wiringOf(client: IoRedisClient | NodeRedisClient): Wiring {
  const has = (name: string): boolean =>
    isObject(client) && typeof (client as unknown as Readonly<Record<string, unknown>>)[name] === 'function';
  if (has('duplicate') && has('call') && has('disconnect')) {
    return (events) => ioRedisWire(client as IoRedisClient, events);
  }
  // A cluster, a sentinel and a pool of node-redis take their commands in ways of their own.
  const isOne = isObject(client) && !('masters' in client) && !('getSentinelNode' in client);
  if (isOne && has('duplicate') && has('sendCommand') && has('destroy')) {
    return (events) => nodeRedisWire(client as NodeRedisClient, events);
  }
  throw new TypeError(
    `client must be a client or a Cluster of ioredis or iovalkey, or a single client of redis (node-redis), got ${show(client)}`,
  );
}
