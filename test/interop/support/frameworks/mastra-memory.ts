/** Mastra's memory in both majors: the newest brings one for tests, of the previous one its own class is filled in. */
import type { ModelMessage } from 'ai';
import type { Major } from '../../majors.ts';

interface Where {
  readonly threadId: string;
  readonly resourceId: string;
}

/** A message as Mastra stores it. */
export interface StoredMessage {
  readonly id: string;
  readonly role: string;
  readonly createdAt: Date;
}

interface List {
  add(messages: readonly unknown[], source: 'memory' | 'response'): List;
  readonly get: {
    readonly all: Record<'db' | 'v1' | 'v2', (() => StoredMessage[]) | undefined> & {
      readonly aiV5: { model(): ModelMessage[] };
    };
  };
}

interface Memory {
  createThread(thread: Where): Promise<unknown>;
  saveMessages(given: { messages: StoredMessage[]; format?: 'v2' }): Promise<unknown>;
  recall(given: Where & { perPage: false }): Promise<{ messages: StoredMessage[] }>;
}

export async function mastraMemory(major: Major) {
  const { MessageList } = await major.load<{ MessageList: new (where: Where) => List }>('@mastra/core/agent');
  const make = major.name === 'newest' ? await newest(major) : await previous(major, MessageList);
  return async (where: Where) => {
    const memory = make();
    await memory.createThread(where);
    return {
      memory: memory as object,
      /** What a conversation is begun with. */
      begun: async () =>
        new MessageList(where)
          .add((await memory.recall({ ...where, perPage: false })).messages, 'memory')
          .get.all.aiV5.model(),
      listed(messages: readonly unknown[]): StoredMessage[] {
        const { all } = new MessageList(where).add(messages, 'response').get;
        return (all.db ?? all.v2)?.() ?? [];
      },
      save: (messages: StoredMessage[]) => memory.saveMessages({ messages, format: 'v2' }),
      stored: async () => (await memory.recall({ ...where, perPage: false })).messages,
    };
  };
}

async function newest(major: Major): Promise<() => Memory> {
  const { MockMemory } = await major.load<typeof import('@mastra/core/memory')>('@mastra/core/memory');
  const { InMemoryStore } = await major.load<typeof import('@mastra/core/storage')>('@mastra/core/storage');
  return () => new MockMemory({ storage: new InMemoryStore() });
}

/** What the previous major leaves to a package of its own, over two maps. */
async function previous(major: Major, MessageList: new (where: Where) => List): Promise<() => Memory> {
  const { MastraMemory } = await major.load<{ MastraMemory: new (settings: object) => object }>('@mastra/core/memory');
  class MapMemory extends MastraMemory {
    readonly #threads = new Map<string, { readonly id: string }>();
    readonly #messages = new Map<string, StoredMessage>();
    protected readonly _hasOwnStorage = true;
    protected readonly _storage = { init: () => Promise.resolve(), __setLogger: () => undefined };

    #all(): StoredMessage[] {
      return [...this.#messages.values()].toSorted((a, b) => Number(a.createdAt) - Number(b.createdAt));
    }
    recall() {
      return Promise.resolve({ messages: this.#all() });
    }
    rememberMessages({ threadId, resourceId }: Where) {
      const { v1, v2 } = new MessageList({ threadId, resourceId }).add(this.#all(), 'memory').get.all;
      return Promise.resolve({ messages: v1?.(), messagesV2: v2?.() });
    }
    getThreadById({ threadId }: Where) {
      return Promise.resolve(this.#threads.get(threadId) ?? null);
    }
    saveThread({ thread }: { thread: { readonly id: string } }) {
      this.#threads.set(thread.id, thread);
      return Promise.resolve(thread);
    }
    saveMessages({ messages }: { messages: StoredMessage[] }) {
      for (const each of messages) this.#messages.set(each.id, each);
      return Promise.resolve(messages);
    }
    getWorkingMemory() {
      return Promise.resolve(null);
    }
    getWorkingMemoryTemplate() {
      return Promise.resolve(null);
    }
  }
  return () => new MapMemory({ name: 'maps' }) as unknown as Memory;
}
