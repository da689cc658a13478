/** Which runs there are, whose they are, and what each is doing: what any application keeps in its database. */
import type { Redis } from 'ioredis';

export interface Run {
  readonly id: string;
  readonly owner: string;
  readonly instance: string;
  readonly doing: string;
}

export interface Board {
  put(run: Run): Promise<unknown>;
  get(id: string): Promise<Run | undefined>;
  list(): Promise<readonly Run[]>;
}

export function memoryBoard(): Board {
  const runs = new Map<string, Run>();
  return {
    put: async (run) => runs.set(run.id, run),
    get: async (id) => runs.get(id),
    list: async () => [...runs.values()],
  };
}

export function redisBoard(client: Redis): Board {
  const read = (text: string): Run => JSON.parse(text) as Run;
  return {
    put: (run) => client.hset('runs', run.id, JSON.stringify(run)),
    get: async (id) => {
      const text = await client.hget('runs', id);
      return text === null ? undefined : read(text);
    },
    list: async () => (await client.hvals('runs')).map(read),
  };
}
