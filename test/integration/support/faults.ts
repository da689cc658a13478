/**
 * What goes wrong while stops are on their way: with the engine, and with the network to it.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Engine } from '../../support/engines/redis.ts';
import { signalEngine } from '../../support/engines/signal-engine.ts';
import type { LoopbackProxy } from './network/loopback-proxy.ts';
import { isLong, STOPS } from './stop-faults.ts';

/** What can be harmed. */
export interface FaultScene {
  readonly engine: Engine;
  /** Before the engine, for the process that asks and for the one that runs. */
  readonly near: LoopbackProxy;
  readonly far: LoopbackProxy;
  /** The engine dies, and another one with nothing in it takes its place. */
  failOver(): Promise<void>;
  /** The engine loses every record, inbox and lease, and lives on. */
  forget(): Promise<void>;
}

/** One thing that goes wrong. */
export interface Fault {
  readonly name: string;
  /** Milliseconds over which the stops are spread. */
  readonly spreadMs: number;
  readonly races?: boolean;
  /** Milliseconds by which the clocks of the two processes are wrong. */
  readonly skewMs?: number;
  /** What the engine has to be: one that keeps its records on disk, or one that is reached through a pooler. */
  readonly needs?: 'disk' | 'pooler';
  /**
   * Whether a bus that only publishes is bound to lose some; left out where that one is not tried. TCP brings late what is sent
   * during a short partition, and a client that is back sooner than the next stop misses nothing of a restart.
   */
  readonly losesMessages?: boolean;
  readonly run: (scene: FaultScene) => Promise<void>;
}

/** How many runs a fault meets: the long form races twice as often, as each race has its own luck. */
export function stopsOf({ races }: Fault): number {
  return races === true && isLong ? STOPS * 2 : STOPS;
}

async function repeat(times: number, everyMs: number, act: () => unknown): Promise<void> {
  for (let n = 0; n < times; n++) {
    await sleep(everyMs);
    await act();
  }
}

/** Treats a way badly for a while. */
async function misbehave(proxy: LoopbackProxy, manner: Parameters<LoopbackProxy['behave']>[0]): Promise<void> {
  await proxy.behave(manner);
  await sleep(3_000);
  await proxy.behave({ jitterMs: 0, isByBytes: false, cutsEvery: 0, refuses: false });
}

/** What every engine has to stand, and the network to it. */
export const faults: readonly Fault[] = [
  {
    name: 'an engine that is killed twice',
    losesMessages: false,
    spreadMs: 4_000,
    run: ({ engine }) => repeat(2, 1_000, () => engine.restart()),
  },
  {
    name: 'an engine that is killed twice and keeps its records',
    needs: 'disk',
    spreadMs: 4_000,
    run: ({ engine }) => repeat(2, 1_000, () => engine.restart()),
  },
  {
    name: 'a failover to an engine that is empty',
    spreadMs: 4_000,
    run: async ({ failOver }) => {
      await sleep(1_000);
      await failOver();
    },
  },
  {
    name: 'an engine that forgets everything, twice',
    spreadMs: 3_000,
    run: ({ forget }) => repeat(2, 1_000, forget),
  },
  {
    name: 'an engine that is paused twice',
    spreadMs: 4_500,
    run: ({ engine }) =>
      repeat(2, 500, async () => {
        signalEngine(engine, 'SIGSTOP');
        await sleep(1_500);
        signalEngine(engine, 'SIGCONT');
      }),
  },
  {
    name: "a runner's socket that is cut every 300 ms",
    losesMessages: true,
    spreadMs: 3_000,
    run: ({ far }) => repeat(10, 300, far.cut),
  },
  {
    name: "an asker's socket that is cut every 300 ms",
    spreadMs: 3_000,
    run: ({ near }) => repeat(10, 300, near.cut),
  },
  {
    name: 'a socket that is half open',
    losesMessages: true,
    spreadMs: 2_000,
    run: async ({ far }) => {
      await sleep(500);
      await far.silence();
    },
  },
  {
    name: 'a partition of 3 s',
    losesMessages: false,
    spreadMs: 3_500,
    run: async ({ far }) => {
      await far.part();
      await sleep(3_000);
      await far.heal();
    },
  },
  {
    name: 'connections that are refused for 3 s',
    spreadMs: 3_500,
    run: async ({ far, near }) => {
      const refused = [far, near].map((proxy) => misbehave(proxy, { refuses: true }));
      await Promise.all([far.cut(), near.cut(), ...refused]);
    },
  },
  {
    name: 'replies that end in the middle',
    spreadMs: 3_000,
    run: async ({ far, near }) => {
      await Promise.all([far, near].map((proxy) => misbehave(proxy, { cutsEvery: 7 })));
    },
  },
  {
    name: 'what comes byte by byte',
    spreadMs: 2_500,
    run: async ({ far, near }) => {
      await Promise.all([far, near].map((proxy) => misbehave(proxy, { isByBytes: true })));
    },
  },
  {
    name: 'answers that take up to 400 ms',
    spreadMs: 2_500,
    run: async ({ far, near }) => {
      await Promise.all([far, near].map((proxy) => misbehave(proxy, { jitterMs: 200 })));
    },
  },
  {
    name: 'clocks that are an hour wrong',
    spreadMs: 2_000,
    skewMs: 3_600_000,
    run: ({ far }) => repeat(3, 500, far.cut),
  },
  {
    name: 'a pooler in transaction mode',
    needs: 'pooler',
    spreadMs: 2_000,
    run: ({ far }) => repeat(3, 500, far.cut),
  },
  {
    name: 'stops that race with registration',
    spreadMs: 500,
    losesMessages: true,
    races: true,
    run: () => Promise.resolve(),
  },
];
