import { expect, it } from 'vitest';

import { openStopBus, type StopBackend } from '../../../src/remote/index.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import type { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { obedient } from '../../core/interrupt/kit.ts';
import { during, twoProcesses } from '../kit.ts';

/** What a record has no room for, by far. */
const MANY = 100;

/** The time that an engine tells is late by the way of its answer, which takes longer for some. */
function slow(backend: StopBackend, clock: VirtualClock): StopBackend {
  let asked = 0;
  const after = (ms: number) => new Promise<void>((resolve) => clock.setTimer(resolve, ms, { ref: true }));
  const connect: StopBackend['connect'] = async (node, events, limits) =>
    new Proxy(await backend.connect(node, events, limits), {
      get: (real, name) => {
        const own: unknown = Reflect.get(real, name);
        if (typeof own !== 'function') return own;
        if (name !== 'read' && name !== 'swap' && name !== 'pull') return own.bind(real);
        return async (...args: readonly unknown[]): Promise<unknown> => {
          await after(3);
          const answer: unknown = await Reflect.apply(own, real, args);
          await after((asked++ % 3) * 3);
          return answer;
        };
      },
    });
  return { ...backend, connect };
}

const ways = ['pause', 'cancelAll', 'kill', 'cancel', 'pause, kill', 'cancel, kill'] as const;

it.each(ways)(
  'D5 a host that was told more stops (%s) than the record has room for waits for its members with each, and blames nobody',
  async (named) => {
    const { clock, backend, b } = await twoProcesses();
    const bus = await openStopBus(slow(backend, clock), { clock });
    const events: string[] = [];
    bus.onEvent(({ type }) => events.push(type));
    const sessions = new SessionRegistry({ bus, clock });
    const session = sessions.open('chat');
    await during(clock, session.ready());
    const members = [b.bus.join('chat'), b.bus.join('chat')];
    for (const { token, release } of members)
      token.onCancelled(() => clock.setTimer(() => release(), 500, { ref: true }));
    await clock.advance(1_000);
    const turn = session.controller.runTurn(obedient);
    const startedAt = clock.now();
    const said = async (stopped: Promise<object | undefined>) => {
      const outcome = { status: 'settled', unconfirmed: false, ...(await stopped) };
      return `${outcome.status} ${String(outcome.unconfirmed)} ${clock.now() - startedAt < 500 ? 'early' : 'in time'}`;
    };
    const stops = {
      pause: () => session.pause('user'),
      cancelAll: () => sessions.cancelAll('user').then(([each]) => each),
      kill: () => sessions.kill('chat', 'user'),
      cancel: () => sessions.cancel('chat', 'user', { wait: 'settled' }),
    };
    const all: Promise<string>[] = [];
    for (const way of named.split(', ') as (keyof typeof stops)[]) {
      for (let n = 0; n < MANY; n++) all.push(said(stops[way]()));
      await clock.advance(1);
    }
    expect(new Set(await during(clock, Promise.all(all), 5_000))).toEqual(new Set(['settled false in time']));
    await during(clock, turn);
    expect(events.filter((type) => type !== 'told')).toEqual([]);
    await during(clock, bus.close());
  },
);
