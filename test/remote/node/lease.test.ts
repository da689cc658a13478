import { describe, expect, it } from 'vitest';

import { Lease } from '../../../src/remote/node/lease.ts';
import type { StopPull } from '../../../src/remote/backend.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

interface Engine {
  mark: string | undefined;
  isAway: boolean;
  cannotWrite: boolean;
  answerMs: number;
}

/** A lease of 300 ms over an engine that answers as it is told to, `answerMs` after it was asked. */
function stage() {
  const clock = new VirtualClock({ startAt: 1_000 });
  const said: string[] = [];
  let marks = 0;
  const engine: Engine = { mark: undefined, isAway: false, cannotWrite: false, answerMs: 0 };
  const note = (what: string) => () => void said.push(`${String(clock.now() - 1_000)} ${what}`);
  const lease = new Lease({
    ...{ clock, leaseMs: 300, newId: () => `m${String(++marks)}` },
    pull: (_ms, mark): Promise<StopPull> => {
      note('pull')();
      if (engine.isAway) return Promise.reject(new Error('away'));
      return new Promise((resolve) => {
        const previous = engine.mark;
        engine.mark = mark;
        const answer = () => resolve({ previous, pending: [], now: 0 });
        if (engine.answerMs === 0) answer();
        else clock.setTimer(answer, engine.answerMs, { ref: true });
      });
    },
    pending: () => undefined,
    dataLost: note('data lost'),
    assert: (isAll) => {
      if (isAll) note('write all')();
      return engine.cannotWrite ? Promise.reject(new Error('away')) : Promise.resolve();
    },
    ...{ lost: note('lost'), failed: () => undefined, renewed: () => undefined },
  });
  return { clock, said, engine, lease };
}

describe('the lease of a node', () => {
  it('D6 the lease of a node is renewed every third of it, and costs nothing while nobody wants it', async () => {
    const { clock, said, lease } = stage();
    await clock.advance(1_000);
    expect(said).toEqual([]);
    await lease.held();
    await clock.advance(250);
    expect(said).toEqual(['1000 pull', '1100 pull', '1200 pull']);
    lease.rest();
    lease.beat(); // a wake-up that comes late
    await clock.advance(1_000);
    expect([said.length, lease.isHeld, clock.pending]).toEqual([3, false, 0]);
  });

  it('D8 the lease of a node is lost by its own clock, from the last renewal that it sent', async () => {
    const { clock, said, engine, lease } = stage();
    engine.answerMs = 40;
    const held = lease.held();
    await clock.advance(150);
    await held;
    engine.isAway = true;
    await clock.advance(249);
    expect(said.some((what) => what.endsWith('lost'))).toBe(false);
    await clock.advance(1);
    expect(said.filter((what) => what.endsWith('lost'))).toEqual(['400 lost']);
    engine.isAway = false;
    await clock.advance(100);
    expect(lease.isHeld).toBe(true);
  });

  it.each([
    ['nothing of it', undefined],
    ['only what was there some heartbeats ago', 'm1'],
  ])('D12 a node whose engine has %s notices it until everything is written again', async (_what, mark) => {
    const { clock, said, engine, lease } = stage();
    await lease.held();
    await clock.advance(150);
    engine.mark = mark;
    engine.cannotWrite = true;
    await clock.advance(200);
    engine.cannotWrite = false;
    await clock.advance(300);
    expect(said.filter((what) => !what.endsWith('pull'))).toEqual([
      ...['200 data lost', '200 write all', '300 write all', '400 write all'],
    ]);
  });

  it('the lease of a node is waited for until a heartbeat fails, and is asked for again then', async () => {
    const { engine, lease } = stage();
    engine.isAway = true;
    await expect(lease.held()).rejects.toThrow('away');
    engine.isAway = false;
    await lease.held();
    expect(lease.isHeld).toBe(true);
    lease.rest();
  });

  it('D12 the lease of a node is looked for at once where somebody wants to know, who hears after what was lost', async () => {
    const { clock, said, engine, lease } = stage();
    expect(await lease.checked()).toBe(true);
    await lease.held();
    await clock.advance(10);
    engine.mark = undefined;
    const both = Promise.all([lease.checked(), lease.checked()]);
    void both.then(() => said.push('told'));
    await clock.advance(1);
    expect([await both, said.filter((what) => / (data lost)|told/.test(what))]).toEqual([[true, true], ['10 data lost', 'told']]); // prettier-ignore
    engine.isAway = true;
    const unknown = lease.checked();
    await clock.advance(1);
    expect(await unknown).toBe(false);
    engine.isAway = false;
    engine.answerMs = 50;
    const [underWay, waiting] = [lease.checked(), lease.checked()];
    lease.rest();
    expect(await waiting).toBe(true);
    await clock.advance(100);
    expect(await underWay).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('a lease has an address to be woken at as long as it is wanted', () => {
    const { lease } = stage();
    expect(lease.addressOf('n1')).toBe('');
    void lease.held();
    expect(lease.addressOf('n1')).toBe('n1');
    lease.rest();
    expect(lease.addressOf('n1')).toBe('');
  });
});
