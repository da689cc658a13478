import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { expectTypeOf, it } from 'vitest';

import { redisBackend } from '../../src/adapters/redis/index.ts';
import { memoryBackend, openStopBus, type RemoteStopBus, type StopBackend } from '../../src/remote/index.ts';
import { SessionRegistry, type SessionStatus } from '../../src/sessions/index.ts';

it('openStopBus takes a backend, and makes a bus for a registry', async () => {
  const bus = await openStopBus(memoryBackend(), { leaseMs: 15_000, onUnavailable: 'throw' });
  expectTypeOf(bus).toEqualTypeOf<RemoteStopBus>();
  expectTypeOf(new SessionRegistry({ bus }).look('a')).resolves.toEqualTypeOf<SessionStatus>();
  expectTypeOf(bus.look('a')).resolves.toEqualTypeOf<SessionStatus>();
  // @ts-expect-error one of the two
  await openStopBus(memoryBackend(), { onUnavailable: 'wait' });
});

it('redisBackend takes the clients of ioredis and of node-redis', () => {
  expectTypeOf(redisBackend({ client: new Redis() })).toEqualTypeOf<StopBackend>();
  expectTypeOf(redisBackend({ client: createClient() })).toEqualTypeOf<StopBackend>();
  // @ts-expect-error this is no client
  redisBackend({ client: 'redis://x' });
});
