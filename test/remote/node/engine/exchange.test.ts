import { describe, expect, it } from 'vitest';

import { memoryBackend, type StopConnection } from '../../../../src/remote/index.ts';
import { Exchange, LIVE_MS, SETTLED_MS } from '../../../../src/remote/node/engine/exchange.ts';
import { encodeRecord, readableRecord, unhosted, type RunRecord } from '../../../../src/remote/record/run-record.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { running } from '../../kit.ts';

const times = { pendingMs: 10 };

/** An exchange over an engine that answers as it is told to. */
async function stage(change: (connection: StopConnection) => Partial<StopConnection> = () => ({})) {
  const clock = new VirtualClock({ startAt: 1_000 });
  const nobody = { wake: () => undefined, resync: () => undefined, down: () => undefined };
  const engine = await memoryBackend({ clock }).connect('n1', nobody);
  let resets = 0;
  const bound = Object.fromEntries(
    (['read', 'swap', 'pull', 'renew', 'list', 'alive', 'listen', 'close'] as const).map((name) => [name, (engine[name] as (...args: unknown[]) => unknown).bind(engine)]), // prettier-ignore
  ) as unknown as StopConnection;
  const connection = { ...bound, reset: () => resets++, ...change(bound) };
  return { clock, engine, exchange: new Exchange(connection, { name: 'engine', clock, deadlineMs: 50, times }), resets: () => resets }; // prettier-ignore
}

describe('the dealings with an engine', () => {
  it('the dealings with an engine start over when somebody else was faster', async () => {
    let rival = true;
    const { exchange, engine } = await stage((connection) => ({
      swap: async (change) => {
        if (rival) await connection.swap({ ...change, to: encodeRecord(running({ epoch: 5 })) });
        rival = false;
        return connection.swap(change);
      },
    }));
    const seen: unknown[] = [];
    await exchange.commit('r', (record) => {
      seen.push(record?.epoch);
      return { record: running({ epoch: 9 }), result: undefined };
    });
    expect(seen).toEqual([undefined, 5]);
    expect((await engine.read('r')).value).toBe(encodeRecord(running({ epoch: 9 })));
  });

  it.each([
    [{ ...unhosted, epoch: 1 }, 10],
    [running(), LIVE_MS],
    [running({ state: 'settled' }), SETTLED_MS],
  ] as const)('D11 the dealings with an engine give each record its time: %#', async (record, ttlMs) => {
    const { exchange, engine, clock } = await stage();
    await exchange.commit('r', () => ({ record, result: undefined }));
    await clock.advance(ttlMs - 1);
    expect((await engine.read('r')).value).toBeDefined();
    await clock.advance(1);
    expect((await engine.read('r')).value).toBeUndefined();
  });

  it('the dealings with an engine start to listen once for many who ask at once, and again for who asks later', async () => {
    let asked = 0;
    const { exchange } = await stage(() => ({ listen: () => (asked++, Promise.resolve()) }));
    await Promise.all([exchange.listen(), exchange.listen()]);
    expect(asked).toBe(1);
    await exchange.listen();
    expect(asked).toBe(2);
  });

  it('the dealings with an engine have a deadline, and a socket that answers nothing is replaced once', async () => {
    const { exchange, clock, resets } = await stage(() => ({ read: () => new Promise(() => undefined) }));
    const late = [exchange.read('r'), exchange.read('r')].map((each) => each.catch((error: unknown) => String(error)));
    await clock.advance(50);
    expect(await Promise.all(late)).toEqual(Array(2).fill('Error: engine did not answer within 50 ms'));
    expect([resets(), clock.pending]).toEqual([1, 0]);
  });

  it('the dealings with an engine let no heartbeat wait behind what a process sends in one go', async () => {
    let sent = 0;
    const { exchange, clock, resets } = await stage(() => ({
      read: () => {
        sent++;
        return new Promise(() => undefined);
      },
    }));
    const late = Array.from({ length: 3_000 }, (_, n) => exchange.read(`r${String(n)}`).catch(() => 'late'));
    expect((await exchange.pull(100, 'm1')).previous).toBeUndefined();
    expect(sent).toBe(64);
    await clock.advance(50);
    // Its socket has answered something: it is slow, and gets no more than it can take.
    expect([sent, resets()]).toEqual([64, 0]);
    void exchange.read('another').catch(() => 'late');
    await clock.advance(50);
    expect([sent, exchange.waiting, clock.pending]).toEqual([64, 2_937, 0]);
    expect(await late[63]).toBe('late');
  });

  it('the dealings with an engine that answers nothing at all refuse what waits, and begin anew on another socket', async () => {
    let sent = 0;
    const { exchange, clock, resets } = await stage(() => ({ read: () => (sent++, new Promise(() => undefined)) }));
    const late = Array.from({ length: 3_000 }, (_, n) => exchange.read(`r${String(n)}`).catch(() => 'late'));
    await clock.advance(50);
    expect(new Set(await Promise.all(late))).toEqual(new Set(['late']));
    expect([sent, resets(), exchange.waiting]).toEqual([64, 1, 0]);
    void exchange.read('next').catch(() => undefined);
    await clock.advance(0);
    expect(sent).toBe(65);
  });

  it('the dealings with an engine take what is believed for what was read, and the swap says whether it was so', async () => {
    let reads = 0;
    const { exchange } = await stage((connection) => ({ read: (id) => (reads++, connection.read(id)) }));
    const claim = async (epoch: number, record?: RunRecord): Promise<readonly unknown[]> => {
      const seen: unknown[] = [];
      const step = (found: RunRecord | undefined) => {
        seen.push(found?.epoch);
        return { record: running({ epoch }), result: undefined };
      };
      await exchange.commit('r', step, { believed: { record, value: record && encodeRecord(record) } });
      return seen;
    };
    // Before the engine has told its time, nothing can be believed.
    expect([await claim(1), reads]).toEqual([[undefined], 1]);
    await exchange.pull(100, 'g');
    expect([await claim(2, running({ epoch: 1 })), reads]).toEqual([[1], 1]);
    expect([await claim(3), reads]).toEqual([[undefined, 2], 1]);
  });

  it('the dealings with an engine tell time by what the engine has told, never ahead of it', async () => {
    const { exchange, clock } = await stage();
    await exchange.pull(100, 'g');
    await clock.advance(30);
    const times: number[] = [];
    const step = (_: unknown, now: number) => (times.push(now), { record: running(), result: undefined });
    await exchange.commit('r', step, { believed: { value: undefined, record: undefined } });
    expect(times).toEqual([clock.now()]);
  });

  it('the dealings with an engine leave a socket alone that answered something, or was replaced meanwhile', async () => {
    for (const spare of [
      (exchange: Exchange) => exchange.anyAlive(['n1']),
      (exchange: Exchange) => Promise.resolve(exchange.reconnected()),
    ]) {
      const { exchange, clock, resets } = await stage(() => ({ read: () => new Promise(() => undefined) }));
      const late = exchange.read('r').catch(() => 'late');
      await spare(exchange);
      await clock.advance(50);
      expect([await late, resets()]).toEqual(['late', 0]);
    }
  });

  it('the dealings with an engine that somebody else writes to end in an error', async () => {
    const { exchange, engine } = await stage();
    await engine.swap({ runId: 'r', from: undefined, to: 'mine!', ttlMs: 99, inboxes: [], hints: [], handled: false });
    await expect(exchange.read('r')).rejects.toThrow('one that this version wrote');
  });

  it('the dealings with an engine take a run out of the inbox with a record that stays as it is', async () => {
    const { exchange, engine } = await stage();
    await exchange.commit('r', () => ({ record: running(), inboxes: ['n1'], result: undefined }));
    await exchange.commit('r', (record) => ({ record, result: undefined }));
    expect((await engine.pull(50, 'g')).pending).toHaveLength(1);
    await exchange.commit('r', (record) => ({ record, result: undefined }), { handled: true });
    expect((await engine.pull(50, 'g')).pending).toHaveLength(0);
  });

  it('the dealings with an engine keep the lists of groups with the record, and list it again where it stays as it is', async () => {
    const changes: unknown[] = [];
    const { exchange, engine } = await stage((connection) => ({
      swap: (change) => {
        changes.push([change.joins, change.leaves]);
        return connection.swap(change);
      },
    }));
    const write = (groups: readonly string[], rest = {}) =>
      exchange.commit('r', (record) => ({ record: record?.groups.join() === groups.join() ? record : running({ groups, ...rest }), result: 0 }), { handled: true }); // prettier-ignore
    await write(['g', 'h']);
    await write(['h', 'i']);
    await write(['h', 'i']);
    await write([]);
    expect(changes).toEqual([
      [['g', 'h'], []],
      [['i'], ['g']],
      [['h', 'i'], []],
      [[], ['h', 'i']],
    ]);
    await write(['g']);
    const foreign = { runId: 'x', from: undefined, to: 'of somebody else', ttlMs: 1_000, inboxes: [], hints: [] };
    await engine.swap({ ...foreign, handled: false, joins: ['g'] });
    const listed = await exchange.list('g');
    expect(listed.runs.map(({ runId, value }) => [runId, readableRecord(value)?.groups])).toEqual([
      ['r', ['g']],
      ['x', undefined],
    ]);
  });
});
