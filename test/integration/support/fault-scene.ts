/**
 * An engine with a way to it for each of two processes, and what a fault comes to there.
 *
 * @module
 */
import { expect } from 'vitest';

import type { StopBackend } from '../../../src/remote/index.ts';
import type { Engine } from '../../support/engines/redis.ts';
import { stopsOf, type Fault, type FaultScene } from './faults.ts';
import { startProxy, type LoopbackProxy } from './network/loopback-proxy.ts';
import { lostByPublishing, type PlainBus } from './publish-only.ts';
import { lineOf, stopUnder, wrongs } from './stop-faults.ts';

/** An engine, and the ways to it. */
export interface Place {
  readonly engine: Engine;
  readonly near: LoopbackProxy;
  readonly far: LoopbackProxy;
}

/** What an engine's own clients do in a scene. */
export interface Parties extends Pick<FaultScene, 'forget'> {
  /** Of the process that asks, and of the one that runs. */
  readonly asking: StopBackend;
  readonly running: StopBackend;
  /** Whether a client that comes now is served, by both ways. */
  isServed(): Promise<boolean>;
  /** Ends the clients; the ways are closed already. */
  close(): Promise<unknown>;
}

/** How a fault is met. */
export interface Trial {
  readonly start: () => Promise<Engine>;
  readonly enter: (place: Place) => Promise<Parties>;
  readonly publishing: (askingPort: number, listeningPort: number) => PlainBus;
  /** Whether so few stops are enough for a bus that only publishes to lose one, where it is bound to. */
  readonly isMany: boolean;
}

/** Stops runs under a fault: nothing is lost, where a bus that only publishes loses some. */
export async function standFault(fault: Fault, { start, enter, publishing, isMany }: Trial): Promise<void> {
  const engine = await start();
  const engines = [engine];
  const [near, far] = [await startProxy(engine.port), await startProxy(engine.port)];
  const { asking, running, isServed, forget, close } = await enter({ engine, near, far });
  const failOver = async (): Promise<void> => {
    const next = await start();
    engines.push(next);
    await engine.stop();
    await Promise.all([near, far].map((proxy) => proxy.behave({ target: next.port })));
  };
  const misbehave = (): Promise<void> => fault.run({ engine, near, far, failOver, forget });
  const { spreadMs, races, skewMs, losesMessages } = fault;
  try {
    const figures = await stopUnder({
      ...{ asking, running, leaseMs: 9_000, spreadMs, races, skewMs, stops: stopsOf(fault) },
      ...{ fault: misbehave, isServed },
    });
    const isCompared = losesMessages !== undefined;
    const published = isCompared
      ? await lostByPublishing(fault, publishing(engine.port, far.port), misbehave)
      : undefined;
    process.stdout.write(lineOf(fault.name, stopsOf(fault), figures, published));
    expect(wrongs(figures)).toEqual({});
    if (losesMessages === true && isMany) expect(published).toBeGreaterThan(0);
  } finally {
    await Promise.all([near.close(), far.close()]);
    await close();
    await Promise.all(engines.map((each) => each.stop()));
  }
}
