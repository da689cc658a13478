/**
 * The process of a proxy: `proxy-process.ts port target`. It sends its port, and does what it is told over the channel that it
 * was started with; it ends with that.
 *
 * @module
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

import type { Deed, Manner, ProxyOrder } from './manner.ts';

const [port, target] = process.argv.slice(2).map(Number) as [number, number];
let manner: Manner = { delayMs: 0, jitterMs: 0, isByBytes: false, cutsEvery: 0, refuses: false, target };
let isParted = false;
let replies = 0;

/** One direction of a connection. */
interface Way {
  readonly from: Socket;
  /** What was held back while there was a partition, in its order. */
  readonly held: (() => void)[];
  isSilent: boolean;
}
const ways = new Set<Way>();

function link(from: Socket, to: Socket, isReply: boolean): void {
  const way: Way = { from, held: [], isSilent: false };
  ways.add(way);
  let dueAt = 0;
  /** What is still on its way, and what it comes after. */
  let [onWay, before]: [number, Promise<unknown>] = [0, Promise.resolve()];
  const end = (): void => {
    from.destroy();
    to.destroy();
  };
  const deliver = (part: Buffer): void => {
    if (way.isSilent) return;
    if (isParted) way.held.push(() => to.write(part));
    else if (!to.destroyed) to.write(part);
  };
  from.setNoDelay(true);
  from.on('error', () => undefined);
  from.on('close', () => {
    ways.delete(way);
    // A half-open connection has no end that the other side could see.
    if (!way.isSilent) to.destroy();
  });
  from.on('data', (part: Buffer) => {
    if (isReply && manner.cutsEvery > 0 && ++replies % manner.cutsEvery === 0) {
      to.write(part.subarray(0, Math.ceil(part.length / 2)), end);
      return;
    }
    const { delayMs, jitterMs, isByBytes } = manner;
    if (onWay === 0 && !isByBytes && delayMs + jitterMs === 0) {
      deliver(part);
      return;
    }
    dueAt = Math.max(dueAt, Date.now() + delayMs + Math.random() * jitterMs);
    onWay++;
    const send = async (due: number): Promise<void> => {
      await sleep(Math.max(0, due - Date.now()));
      // One turn for each, so that each arrives by itself.
      for (const byte of isByBytes ? part : []) if (await nextTurn(true)) deliver(Buffer.of(byte));
      if (!isByBytes) deliver(part);
      onWay--;
    };
    const due = dueAt;
    before = before.then(() => send(due));
  });
}

const server = createServer((client) => {
  if (manner.refuses) {
    client.destroy();
    return;
  }
  const engine = connect(manner.target, '127.0.0.1');
  link(client, engine, false);
  link(engine, client, true);
});

const deeds: Readonly<Record<Deed, () => void>> = {
  cut: () => {
    for (const { from } of [...ways]) from.destroy();
  },
  silence: () => {
    for (const way of ways) way.isSilent = true;
  },
  part: () => {
    isParted = true;
  },
  heal: () => {
    isParted = false;
    for (const { held } of ways) for (const deliver of held.splice(0)) deliver();
  },
};

process.on('message', ({ number, manner: given, deed }: ProxyOrder) => {
  manner = { ...manner, ...given };
  if (deed !== undefined) deeds[deed]();
  process.send?.(number);
});
process.once('disconnect', () => process.exit());
server.listen(port, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
