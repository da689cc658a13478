/** One instance as a process of its own, over Redis. */
import { drainOnSignals } from 'desist/process-signals';
import { redisBackend } from 'desist/redis';
import { Redis } from 'ioredis';
import { redisBoard } from './board.ts';
import { openInstance } from './instance.ts';

const [name = 'instance', url = 'redis://127.0.0.1', stepMs = '1500'] = process.argv.slice(2);
const client = new Redis(url);
const instance = await openInstance({
  name,
  backend: redisBackend({ client, namespace: 'multi-instance' }),
  board: redisBoard(client),
  stepMs: Number(stepMs),
});
drainOnSignals(instance.sessions, {
  timeoutMs: 0,
  onDrained: async () => {
    await instance.close();
    client.disconnect();
  },
});
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.send?.({ port: instance.port });
