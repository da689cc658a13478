import { describe, expect, it } from 'vitest';

import { RedisConnection } from '../../../src/adapters/redis/connection.ts';
import { Keys } from '../../../src/adapters/redis/keys.ts';
import { pullScript, swapScript } from '../../../src/adapters/redis/scripts.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { heldWires, type HeldWire } from './kit.ts';

function stage() {
  const { wiring, wires } = heldWires();
  const clock = new VirtualClock();
  const heard: string[] = [];
  const connection = new RedisConnection(
    wiring,
    new Keys('ns'),
    'n1',
    {
      wake: (runId, value) => heard.push(`${runId} ${value ?? ''}`),
      resync: () => heard.push('resync'),
      down: (error) => heard.push(String(error)),
    },
    clock,
  );
  return { connection, heard, wires, clock, wire: wires[0] as HeldWire };
}

const change = {
  runId: 'r',
  from: undefined,
  to: 'one',
  ttlMs: 0.5,
  inboxes: ['n2'],
  hints: ['n3', 'n2'],
  handled: true,
};

describe('a connection to Redis', () => {
  it('a connection to Redis keeps all keys of a namespace in one slot, and asks for whole milliseconds', async () => {
    const { connection, wire } = stage();
    wire.answers.push([null, 1, null]);
    const grouped = { ...change, joins: ['g:1'], leaves: ['g:2', 'g:3'] };
    expect(await connection.swap(grouped)).toEqual({ swapped: true });
    const keys = ['{ns}:stop:inbox:n1', '{ns}:stop:run:r', '{ns}:stop:inbox:n2'];
    keys.push('{ns}:stop:group:g:1', '{ns}:stop:group:g:2', '{ns}:stop:group:g:3');
    const channels = ['{ns}:stop:wake:n2', '{ns}:stop:wake:n3'];
    const counts = ['1', '1', '2', '2'];
    const args = ['86400000', '{ns}:stop:run:', ...counts, 'r', '0', '', 'one', '1', '1', '"r","one"', ...channels];
    expect(wire.sent).toEqual([['EVALSHA', swapScript.sha1, '6', ...keys, ...args]]);
  });

  it('a connection to Redis sends what is asked for at once in one operation, and gives each its answer', async () => {
    const { connection, wire } = stage();
    const long = 'x'.repeat(5_000);
    wire.answers.push([5, [null, 'b']], [6, 1, null, 0, 'other']);
    const both = [connection.read('r'), connection.read('s')];
    const swaps = [
      { ...change, to: long },
      { ...change, runId: 's' },
    ].map((each) => connection.swap(each));
    expect(await Promise.all(both)).toEqual([{ value: undefined, now: 5 }, { value: 'b', now: 5 }]); // prettier-ignore
    expect(await Promise.all(swaps)).toEqual([{ swapped: true }, { swapped: false, value: 'other', now: 6 }]);
    expect([wire.sent.length, wire.sent[1]?.includes('"r",null')]).toEqual([2, true]);
  });

  it('a connection to Redis asks for the time with a record only where it does not know it from shortly before', async () => {
    const { connection, wire, clock } = stage();
    const read = async (...answers: readonly unknown[]): Promise<unknown> => {
      wire.answers.push(...answers);
      const { now, value } = await connection.read('r');
      return [now, value, wire.sent.at(-1)?.[0]];
    };
    expect(await read([1_000, ['a']])).toEqual([1_000, 'a', 'EVALSHA']);
    await clock.advance(9_999);
    expect(await read(['b'])).toEqual([10_999, 'b', 'MGET']);
    await clock.advance(1);
    expect(await read([11_000, [null]])).toEqual([11_000, undefined, 'EVALSHA']);
    wire.events.down(new Error('gone'));
    expect(await read([12_000, ['c']])).toEqual([12_000, 'c', 'EVALSHA']);
    wire.answers.push([null, 13_000]);
    await connection.pull(50, 'g');
    await clock.advance(10);
    expect(await read(['d'])).toEqual([13_010, 'd', 'MGET']);
  });

  it('a connection to Redis asks once after nodes that many ask after at once', async () => {
    const { connection, wire } = stage();
    wire.answers.push(['mark', null]);
    const asked = [['n2', 'n3'], ['n3'], [], ['n2']].map((nodes) => connection.alive(nodes));
    expect(await Promise.all(asked)).toEqual([[true, false], [false], [], [true]]);
    expect(wire.sent).toEqual([['MGET', '{ns}:stop:lease:n2', '{ns}:stop:lease:n3']]);
  });

  it('a connection to Redis sends the script itself to an engine that does not know it, and nothing else twice', async () => {
    const { connection, wire } = stage();
    wire.answers.push(new Error('NOSCRIPT No matching script'), ['before', 7, 'r', 'one']);
    expect(await connection.pull(50, 'g')).toEqual({
      previous: 'before',
      now: 7,
      pending: [{ runId: 'r', value: 'one' }],
    });
    expect(wire.sent.map(([command, text]) => [command, text === pullScript.text])).toEqual([['EVALSHA', false], ['EVAL', true]]); // prettier-ignore
    wire.answers.push(new Error('closed'));
    await expect(connection.read('r')).rejects.toThrow('closed');
    expect(wire.sent).toHaveLength(3);
  });

  it('a connection to Redis refuses an answer that is none', async () => {
    const { connection, wire } = stage();
    wire.answers.push('OK');
    await expect(connection.read('r')).rejects.toThrow(TypeError);
  });

  it('a connection to Redis asks nothing where there is nothing to ask', async () => {
    const { connection, wire } = stage();
    expect([await connection.alive([]), await connection.renew([], 5), wire.sent]).toEqual([[], [], []]);
  });

  it('a connection to Redis is made anew as a whole, and what the old one tells is not heard', async () => {
    const { connection, heard, wires, wire } = stage();
    const listening = connection.listen();
    wires[1]?.events.ready();
    await listening;
    connection.reset();
    expect(wires.map(({ isClosed }) => isClosed)).toEqual([true, true, false, false]);
    wire.events.down(new Error('old'));
    wires[2]?.events.ready();
    wires[3]?.events.ready();
    for (let n = 0; n < 5; n++) await Promise.resolve();
    wires[3]?.say('["r","one"]');
    wires[3]?.say('["r",null,"s","two"]');
    for (const foreign of ['', '{', '{}', '[]', '[7]']) wires[3]?.say(foreign);
    expect([heard, wires[3]?.channels]).toEqual([['resync', 'r one', 'r ', 's two'], ['{ns}:stop:wake:n1']]);
  });

  it('a connection to Redis ends with both of its parts, also when the engine is away', async () => {
    const { connection, heard, wire } = stage();
    wire.answers.push(new Error('closed'));
    await expect(connection.close(true)).rejects.toThrow('closed');
    wire.events.down(new Error('late'));
    connection.reset();
    await connection.listen();
    expect([wire.isClosed, heard]).toEqual([true, []]);
    expect(wire.sent).toEqual([['DEL', '{ns}:stop:lease:n1', '{ns}:stop:inbox:n1']]);
  });
});
