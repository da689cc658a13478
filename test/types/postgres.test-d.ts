import { Client, Pool } from 'pg';
import { expectTypeOf, it } from 'vitest';

import { postgresBackend, postgresTables } from '../../src/adapters/postgres/index.ts';
import type { StopBackend } from '../../src/remote/index.ts';

it('postgresBackend takes the pool and the clients of pg', () => {
  const backend = postgresBackend({ pool: new Pool(), session: () => new Client('postgres://x') });
  expectTypeOf(backend).toEqualTypeOf<StopBackend>();
  expectTypeOf(postgresTables).parameters.toEqualTypeOf<[namespace?: string | undefined]>();
  // @ts-expect-error a client that is made already is one session, and not as many as are needed
  postgresBackend({ pool: new Pool(), session: new Client('postgres://x') });
  // @ts-expect-error there is no pool
  postgresBackend({});
});
