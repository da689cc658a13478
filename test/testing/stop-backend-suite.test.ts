import { describe, expect, it } from 'vitest';

import { memoryBackend, type StopBackend, type StopConnection } from '../../src/remote/index.ts';
import { stopBackendSuite } from '../../src/testing/stop-backend-suite.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

function suite(broken: (connection: StopConnection) => Partial<StopConnection> = () => ({})) {
  const clock = new VirtualClock({ startAt: 1_000_000 });
  const open = (): StopBackend => {
    const backend = memoryBackend({ clock });
    const connect: StopBackend['connect'] = async (node, events) => {
      const real = await backend.connect(node, events);
      const bound = Object.fromEntries(
        (['read', 'swap', 'pull', 'renew', 'list', 'alive', 'listen', 'reset', 'close'] as const).map((name) => [
          name,
          real[name].bind(real),
        ]),
      ) as unknown as StopConnection;
      return { ...bound, ...broken(real) };
    };
    return { ...backend, connect };
  };
  return stopBackendSuite({ open, pass: (ms) => clock.advance(ms) });
}

describe('the suite of backends', () => {
  it.each(suite())('the engine in memory: $title', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it.each<[string, (connection: StopConnection) => Partial<StopConnection>, RegExp]>([
    ['swaps whatever there is', (c) => ({ swap: async (change) => c.swap({ ...change, from: (await c.read(change.runId)).value }) }), /only if it is what|one happens/], // prettier-ignore
    ['forgets its inboxes', (c) => ({ pull: async (ms, name) => ({ ...(await c.pull(ms, name)), pending: [] }) }), /until it is handled/], // prettier-ignore
    ['takes a mark for its own', (c) => ({ pull: async (ms, mark) => ({ ...(await c.pull(ms, mark)), previous: mark }) }), /finds the mark/], // prettier-ignore
    ['wakes nobody', () => ({ listen: () => Promise.resolve() }), /whoever listens/],
    ['lists whoever was there once', (c) => ({ swap: (change) => c.swap({ ...change, leaves: [] }) }), /a group lists whoever/], // prettier-ignore
    ['lists nobody', (c) => ({ list: async (group) => ({ ...(await c.list(group)), runs: [] }) }), /a group lists whoever .* a group lists no record|a group lists/], // prettier-ignore
    ['is always new', (c) => ({ list: async (group) => ({ ...(await c.list(group)), ageMs: 0 }) }), /says for how long/], // prettier-ignore
    ['keeps leases', (c) => ({ close: () => c.close(false) }), /gives its lease/],
  ])('the suite of backends finds one that %s', async (_name, broken, title) => {
    const failed: string[] = [];
    for (const { title: name, run } of suite(broken)) await run().catch(() => failed.push(name));
    expect(failed.join()).toMatch(title);
  });
});
