/** What the application keeps: chats, and the pieces of a stream for a page that comes back. In Redis, or here. */
import type { UIMessage } from 'ai';
import { type Redis } from 'ioredis';
import {
  createResumableStreamContext,
  type Publisher,
  type ResumableStreamContext,
  type Subscriber,
} from 'resumable-stream/generic';

export interface Chat {
  readonly owner: string;
  readonly messages: UIMessage[];
  /** The stream of the answer that is being given. */
  readonly stream?: string;
}

export interface Store {
  read(id: string): Promise<Chat | undefined>;
  write(id: string, chat: Chat): Promise<unknown>;
  readonly streams: ResumableStreamContext;
  close(): void;
}

export function redisStore(publisher: Redis): Store {
  const subscriber = publisher.duplicate();
  return {
    read: async (id) => {
      const text = await publisher.hget('chats', id);
      return text === null ? undefined : (JSON.parse(text) as Chat);
    },
    write: (id, chat) => publisher.hset('chats', id, JSON.stringify(chat)),
    streams: createResumableStreamContext({ waitUntil: null, publisher, subscriber }),
    close: () => subscriber.disconnect(),
  };
}

/** One memory for all instances of this process. */
export function memoryStore(): Store {
  const [chats, values, channels] = [
    new Map<string, Chat>(),
    new Map<string, string>(),
    new Map<string, (text: string) => void>(),
  ];
  const publisher: Publisher = {
    connect: async () => undefined,
    publish: async (channel, message) => channels.get(channel)?.(message),
    set: async (key, value) => values.set(key, value),
    get: async (key) => values.get(key) ?? null,
    incr: async (key) => {
      const next = Number(values.get(key) ?? 0) + 1;
      values.set(key, String(next));
      return next;
    },
  };
  const subscriber: Subscriber = {
    connect: async () => undefined,
    subscribe: async (channel, callback) => void channels.set(channel, callback),
    unsubscribe: async (channel) => channels.delete(channel),
  };
  return {
    read: async (id) => chats.get(id),
    write: async (id, chat) => chats.set(id, chat),
    streams: createResumableStreamContext({ waitUntil: null, publisher, subscriber }),
    close: () => undefined,
  };
}
