import { describe, expect, it } from 'vitest';

import type { Exchange } from '../../../src/remote/node/engine/exchange.ts';
import { Silence } from '../../../src/remote/requester/silence.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

describe('the silence of a process', () => {
  it('D6 the silence of a process is believed after half a lease without one, and begins anew when it was heard or is another', async () => {
    const clock = new VirtualClock();
    const alive = new Set<string>();
    const exchange = { anyAlive: (nodes: readonly string[]) => Promise.resolve(nodes.some((node) => alive.has(node))) };
    const silence = new Silence({ clock, leaseMs: 1_000, exchange: exchange as unknown as Exchange });
    const after = async (ms: number, nodes: readonly string[]): Promise<boolean> => {
      await clock.advance(ms);
      return silence.isOf(nodes);
    };
    expect([await after(0, ['a']), await after(499, ['a']), await after(1, ['a'])]).toEqual([false, false, true]);
    expect([await after(0, ['a', 'b']), await after(500, ['a', 'b'])]).toEqual([false, true]);
    alive.add('b');
    expect(await after(10, ['a', 'b'])).toBe(false);
    alive.delete('b');
    expect([await after(490, ['a', 'b']), await after(499, ['a', 'b'])]).toEqual([false, false]);
    expect(await after(1, ['a', 'b'])).toBe(true);
  });
});
