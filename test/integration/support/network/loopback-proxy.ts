/**
 * A proxy on loopback between a client and an engine, which misbehaves when it is told to. It is a process of its own: it is no
 * slower when the test is busy, and the other way round.
 *
 * @module
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { Deed, Manner, ProxyOrder } from './manner.ts';

/** A proxy that misbehaves when it is told to. */
export interface LoopbackProxy {
  readonly port: number;
  /** Ends every connection at once. */
  cut(): Promise<void>;
  /** Nothing goes through the connections that there are, and none is ended: they are half open. New ones work. */
  silence(): Promise<void>;
  /** Nothing goes through any connection, until it is healed; what was sent meanwhile arrives late. */
  part(): Promise<void>;
  heal(): Promise<void>;
  /** Treats what goes through it otherwise from now on. */
  behave(manner: Partial<Manner>): Promise<void>;
  close(): Promise<void>;
}

const program = fileURLToPath(new URL('proxy-process.ts', import.meta.url));

/**
 * Starts a proxy in front of a port.
 *
 * @param port Its own; any that is free by default.
 * @param delayMs Milliseconds that each direction takes.
 */
export async function startProxy(target: number, port = 0, delayMs = 0): Promise<LoopbackProxy> {
  const child = fork(program, [String(port), String(target)], { execArgv: [] });
  const gone = new Promise<void>((resolve) => child.once('exit', () => void resolve()));
  const ended = gone.then(() => Promise.reject(new Error('the proxy has ended')));
  ended.catch(() => undefined);
  const waiting = new Map<number, () => void>();
  const told = new Promise<number>((resolve) => {
    child.on('message', (message: number | { readonly port: number }) => {
      if (typeof message === 'object') resolve(message.port);
      else waiting.get(message)?.();
    });
  });
  let sent = 0;
  const order = (what: Omit<ProxyOrder, 'number'>): Promise<void> => {
    const number = ++sent;
    const done = new Promise<void>((resolve) => waiting.set(number, resolve));
    child.send({ number, ...what });
    return Promise.race([done, ended]);
  };
  const deed = (name: Deed) => (): Promise<void> => order({ deed: name });
  const own = await Promise.race([told, ended]);
  if (delayMs > 0) await order({ manner: { delayMs } });
  return {
    port: own,
    ...{ cut: deed('cut'), silence: deed('silence'), part: deed('part'), heal: deed('heal') },
    behave: (manner) => order({ manner }),
    close: async () => {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}
