/** Runs one instance as a process of its own, over Redis, until a signal comes or its parent is gone. */
import { drainOnSignals } from 'desist/process-signals';
import { redisBackend } from 'desist/redis';
import type { StopBackend } from 'desist/remote';
import type { SessionRegistry } from 'desist/sessions';
import { Redis } from 'ioredis';

export interface WorkerParts {
  readonly name: string;
  readonly args: readonly string[];
  readonly client: Redis;
  readonly backend: StopBackend;
}

export interface RunningInstance {
  readonly port: number;
  readonly sessions: SessionRegistry;
  close(): Promise<void>;
}

export async function runWorker(open: (parts: WorkerParts) => Promise<RunningInstance>): Promise<void> {
  const [name = 'instance', url = 'redis://127.0.0.1', ...args] = process.argv.slice(2);
  const client = new Redis(url);
  const backend = redisBackend({ client, namespace: 'multi-instance' });
  const instance = await open({ name, args, client, backend });
  drainOnSignals(instance.sessions, {
    timeoutMs: 0,
    onDrained: async () => {
      await instance.close();
      client.disconnect();
    },
  });
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.send?.({ port: instance.port });
}
