/**
 * The same stop over Redis, or in memory where there is none: set REDIS_URL, and start it in as many processes as you like.
 */
import { delay } from 'desist';
import { redisBackend } from 'desist/redis';
import { memoryBackend, openStopBus } from 'desist/remote';
import { SessionRegistry } from 'desist/sessions';
import { Redis } from 'ioredis';

const url = process.env['REDIS_URL'];
const client = url === undefined ? undefined : new Redis(url);
const backend = client === undefined ? memoryBackend() : redisBackend({ client, namespace: 'example' });

const bus = await openStopBus(backend);
const sessions = new SessionRegistry({ bus });
const turn = sessions.open('chat-1').controller.runTurn(({ token }) => delay(token, 60_000));

const elsewhere = await openStopBus(backend);
const { status } = await new SessionRegistry({ bus: elsewhere }).cancel('chat-1', 'user', { wait: 'settled' });
console.log(status, (await turn).status);

await sessions.drain({ timeoutMs: 0 });
await Promise.all([bus.close(), elsewhere.close()]);
client?.disconnect();

// Output:
// settled cancelled
