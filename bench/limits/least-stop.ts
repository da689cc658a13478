/**
 * The least that a stop by a record can be, for W9: read, compared and set with an inbox and a wake-up that brings it, told, and
 * answered by a write that compares as well. Nobody follows it, no group knows it, and nothing is written again after a loss.
 *
 * @module
 */
import type { Redis } from 'ioredis';

/** Where its wake-ups come. */
export const leastChannel = 'least';
/** As long as a record that somebody hosts. */
const record = JSON.stringify([1, 1_796_002_747_282, 1, 'e40ca852-7767-40bd', '5fd9cd88-7cfc-41a6', [], []]);
const inbox = 'least:inbox';
/** How many one script takes, as for ours. */
const MOST = 100;

/** KEYS: inbox, records. ARGV: of each record what it was and what it becomes; a message, or none. */
const swapScript = `
for n, value in ipairs(redis.call('MGET', unpack(KEYS, 2))) do
  if value == ARGV[n * 2 - 1] then redis.call('SET', KEYS[n + 1], ARGV[n * 2], 'PX', 600000) end
end
if ARGV[#ARGV] == '' then return redis.call('SREM', KEYS[1], unpack(KEYS, 2)) end
redis.call('SADD', KEYS[1], unpack(KEYS, 2))
redis.call('PEXPIRE', KEYS[1], 600000)
return redis.call('PUBLISH', '${leastChannel}', ARGV[#ARGV])`;

async function swap(client: Redis, pairs: readonly string[], changes: readonly string[], sent: string): Promise<void> {
  const ids = pairs.filter((_, n) => n % 2 === 0);
  await client.eval(swapScript, ids.length + 1, inbox, ...ids, ...changes, sent);
}

/** Writes down that they run. */
export async function hostLeast(client: Redis, ids: readonly string[]): Promise<void> {
  await client.mset(...ids.flatMap((id) => [id, record]));
}

/** Asks for the stops of all. */
export async function askLeast(client: Redis, ids: readonly string[]): Promise<void> {
  const some = ids.slice(0, MOST);
  const more = ids.length > MOST ? askLeast(client, ids.slice(MOST)) : undefined;
  const found = (await client.mget(...some)).map(String);
  const asked = found.map((value) => {
    const read = JSON.parse(value) as unknown[];
    const reason = { kind: 'user', message: 'enough', at: Date.now() };
    const stop = { i: crypto.randomUUID().slice(0, 18), p: 0, r: reason, a: Date.now(), f: '63bc6284-f5cd-4ca5' };
    return JSON.stringify([...read.slice(0, 5), [stop], []]);
  });
  const pairs = some.flatMap((id, n) => [id, String(asked[n])]);
  await swap(client, pairs, found.flatMap((value, n) => [value, String(asked[n])]), JSON.stringify(pairs)); // prettier-ignore
  await more;
}

/** Tells each by `stop`, and writes that it has ended. */
export async function answerLeast(client: Redis, message: string, stop: (id: string) => void): Promise<void> {
  const pairs = JSON.parse(message) as string[];
  for (let n = 0; n < pairs.length; n += 2) stop(String(pairs[n]));
  await new Promise((resolve) => setImmediate(resolve));
  const ended = pairs.filter((_, n) => n % 2 === 1).flatMap((value) => [value, value.replace('"p":0', '"p":2')]);
  await swap(client, pairs, ended, '');
}
