import { expectTypeOf, it } from 'vitest';

import { drainOnSignals, type DrainHandle } from '../../src/adapters/process-signals/index.ts';
import type { DrainEnd } from '../../src/adapters/process-signals/drain-target.ts';
import { SessionRegistry, type DrainReport } from '../../src/sessions/index.ts';

it('drainOnSignals takes a registry, or what drains like one', () => {
  const sessions = new SessionRegistry();
  expectTypeOf(drainOnSignals(sessions)).toEqualTypeOf<DrainHandle>();
  expectTypeOf(drainOnSignals).toBeCallableWith(sessions, { timeoutMs: undefined, signals: ['SIGTERM'] });
  expectTypeOf(drainOnSignals).toBeCallableWith({ drain: () => Promise.resolve({ finished: [], stopped: [] }) });
  // @ts-expect-error nothing to drain
  drainOnSignals({});
  // @ts-expect-error nobody can catch it
  drainOnSignals(sessions, { signals: ['SIGKILL'] });
  expectTypeOf<DrainEnd['report']>().toEqualTypeOf<DrainReport | undefined>();
});
