import { describe, expect, it } from 'vitest';

import { memoryBackend } from '../../src/remote/index.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

/** Two nodes of one engine, and what each was told. */
async function engine() {
  const clock = new VirtualClock({ startAt: 1_000 });
  const backend = memoryBackend({ clock });
  const heard: string[] = [];
  const connect = (node: string) =>
    backend.connect(node, {
      wake: (runId, value) => heard.push(`${node} ${runId} ${value ?? ''}`),
      resync: () => heard.push(`${node} resync`),
      down: () => heard.push(`${node} down`),
    });
  return { clock, heard, a: await connect('a'), b: await connect('b') };
}

const change = { runId: 'r', from: undefined, to: 'one', ttlMs: 100, inboxes: [], hints: [], handled: false };

describe('the engine in memory', () => {
  it('the engine in memory swaps what is as the caller believes, and says what is if not', async () => {
    const { a, b } = await engine();
    expect(await a.swap(change)).toEqual({ swapped: true });
    expect(await b.swap({ ...change, to: 'two' })).toEqual({ swapped: false, value: 'one', now: 1_000 });
    expect(await b.swap({ ...change, from: 'one', to: 'two' })).toMatchObject({ swapped: true });
    expect((await a.read('r')).value).toBe('two');
  });

  it('the engine in memory forgets a record in its time, unless it is renewed', async () => {
    const { a, clock } = await engine();
    await a.swap(change);
    await clock.advance(60);
    expect(await a.renew(['r', 'none'], 100)).toEqual(['one', undefined]);
    await clock.advance(99);
    expect((await a.read('r')).value).toBe('one');
    await clock.advance(1);
    expect((await a.read('r')).value).toBeUndefined();
  });

  it('the engine in memory keeps an inbox until it is handled, and wakes whoever listens', async () => {
    const { a, b, heard, clock } = await engine();
    await b.listen();
    await a.swap({ ...change, inboxes: ['b'], hints: ['a'] });
    await clock.advance(0);
    expect(heard).toEqual(['b r one']);
    expect((await b.pull(50, 'g1')).pending).toEqual([{ runId: 'r', value: 'one' }]);
    expect((await b.pull(50, 'g2')).pending).toHaveLength(1);
    await b.swap({ ...change, from: 'one', to: 'two', handled: true });
    expect((await b.pull(50, 'g2')).pending).toEqual([]);
  });

  it('the engine in memory drops an inbox entry whose record is gone', async () => {
    const { a, b, clock } = await engine();
    await a.swap({ ...change, inboxes: ['b'] });
    await clock.advance(100);
    expect((await b.pull(50, 'g')).pending).toEqual([]);
    await a.swap(change);
    expect((await b.pull(50, 'g')).pending).toEqual([]);
  });

  it('the engine in memory keeps the mark of a lease until it lapses, and ends it when told to', async () => {
    const { a, b, clock } = await engine();
    expect((await a.pull(50, 'm1')).previous).toBeUndefined();
    expect((await a.pull(50, 'm2')).previous).toBe('m1');
    expect(await b.alive(['a', 'b'])).toEqual([true, false]);
    await clock.advance(50);
    expect(await b.alive(['a'])).toEqual([false]);
    expect((await a.pull(50, 'm3')).previous).toBeUndefined();
    await a.close(true);
    expect(await b.alive(['a'])).toEqual([false]);
  });

  it('the engine in memory says that it is there again after a reset', async () => {
    const { a, heard, clock } = await engine();
    a.reset();
    await clock.advance(0);
    expect(heard).toEqual(['a resync']);
  });

  it('the engine in memory refuses a lease that is none', () => {
    expect(() => memoryBackend({ minLeaseMs: -1 })).toThrow('minLeaseMs must be');
  });
});
