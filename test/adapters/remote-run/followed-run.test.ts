import fc from 'fast-check';
import { expect, it, vi } from 'vitest';

import { followRun } from '../../../src/adapters/remote-run/follow-run.ts';
import { FollowedRun } from '../../../src/adapters/remote-run/followed-run.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

async function* events() {
  yield 'one';
  yield await Promise.resolve('two');
}

it('a run is opened by its first reader, once, and says at its end what it came to', async () => {
  const open = vi.fn(events);
  const run = followRun(null, open, { cancel: () => undefined });
  expect(run).toBeInstanceOf(FollowedRun);
  expect(open).not.toHaveBeenCalled();
  const reads = await Promise.all([run.next(), run.next(), run.next(), run.next()]);
  expect(reads.map(({ value }) => value as unknown)).toEqual(['one', 'two', undefined, undefined]);
  expect(open).toHaveBeenCalledOnce();
  expect((await run.closed).status).toBe('completed');
});

it('a run that is left before anybody has read is never opened', async () => {
  const open = vi.fn(events);
  const run = followRun(null, open, { cancel: () => undefined });
  await run.return();
  expect(await run.closed).toEqual({ status: 'left', id: undefined });
  expect(await run.next()).toEqual({ done: true, value: undefined });
  expect(open).not.toHaveBeenCalled();
});

interface Event {
  readonly id: string | undefined;
  readonly end: 'completed' | undefined;
}

/** One run and its reader, in milliseconds from the beginning, and in events from 0; `undefined` for never. */
interface Scene {
  /** The events come this long after one another. */
  readonly gaps: readonly number[];
  /** Which event says the name, and by which way. */
  readonly named: number | undefined;
  readonly way: 'idOf' | 'named';
  /** Which event says the end. */
  readonly ended: number | undefined;
  /** Milliseconds until the connection is there. */
  readonly opensAfter: number;
  readonly stopAt: number | undefined;
  /** At which event the reader does what. */
  readonly acts: number;
  readonly act: 'breaks' | 'throws' | 'stops' | 'reads on';
}

const at = fc.option(fc.nat(4), { nil: undefined });
const scenes: fc.Arbitrary<Scene> = fc.record({
  gaps: fc.array(fc.nat(60), { minLength: 1, maxLength: 5 }),
  named: at,
  way: fc.constantFrom('idOf', 'named'),
  ended: at,
  opensAfter: fc.constantFrom(0, 0, 80),
  stopAt: fc.option(fc.nat(150), { nil: undefined }),
  acts: fc.nat(4),
  act: fc.constantFrom('breaks', 'throws', 'stops', 'reads on'),
});

/** Plays a scene, and says what the other side was asked, and what it had said by then. */
async function play({ gaps, named: nameAt, way, ended, opensAfter, stopAt, acts, act }: Scene) {
  const clock = new VirtualClock();
  const person = new CancellationTokenSource({ clock });
  const after = (ms: number) => new Promise<void>((resolve) => clock.setTimer(resolve, ms, { ref: true }));
  const said = { name: false, end: false, isOver: false };
  const asked = { cancels: 0, afterEnd: 0, isOwed: false };
  let isWanted = true;
  // What has arrived by then counts.
  const owes = (): void => {
    const look = (): void => {
      asked.isOwed ||= !isWanted && said.name && !said.end && !said.isOver;
    };
    clock.setTimer(look, 0, { ref: true });
  };
  const unwanted = (): void => {
    isWanted = false;
    owes();
  };
  async function* told(named: (id: string) => void) {
    for (const [index, gap] of gaps.entries()) {
      if (gap > 0) await after(gap);
      const isName = index === nameAt;
      // An event that says the name and the end is of no run that could be asked.
      said.name ||= isName && (way === 'named' || index !== ended);
      owes();
      if (isName && way === 'named') named('r1');
      yield {
        id: isName && way === 'idOf' ? 'r1' : undefined,
        end: index === ended ? ('completed' as const) : undefined,
      };
    }
    said.isOver = true;
  }
  const run = followRun<Event>(
    person.token,
    async ({ named }) => {
      if (opensAfter > 0) await after(opensAfter);
      return told(named);
    },
    {
      cancel: async () => {
        asked.cancels++;
        if (said.end || said.isOver) asked.afterEnd++;
        await Promise.resolve();
      },
      idOf: ({ id }) => id,
      endOf: ({ end }) => {
        said.end ||= end !== undefined;
        return end;
      },
      graceMs: 30,
    },
  );
  const read = async (): Promise<void> => {
    let index = 0;
    for await (const _event of run) {
      if (index++ !== acts || act === 'reads on') continue;
      unwanted();
      if (act === 'breaks') break;
      if (act === 'throws') throw new Error('the reader failed');
      person.cancel('user');
    }
  };
  const reading = read().catch(() => undefined);
  if (stopAt !== undefined) {
    clock.setTimer(
      () => {
        unwanted();
        person.cancel('user');
      },
      stopAt,
      { ref: true },
    );
  }
  await clock.advance(1_000);
  await reading;
  const { status } = await run.closed;
  await clock.advance(30_000);
  return { said, asked, status, pending: clock.pending };
}

it('a run hears of a stop exactly once, whenever its name comes, and never behind its end, whoever leaves it', async () => {
  await fc.assert(
    fc.asyncProperty(scenes, async (scene) => {
      const { said, asked, status, pending } = await play(scene);
      expect(asked.afterEnd).toBe(0);
      expect(asked.cancels).toBeLessThanOrEqual(1);
      if (asked.isOwed) expect(asked.cancels).toBe(1);
      if (said.end && asked.cancels === 0 && status !== 'abandoned') expect(status).toBe('completed');
      expect(pending).toBe(0);
    }),
    { numRuns: 300 },
  );
}, 120_000);

it.each([
  ['a connection', [100, 0]],
  ['an event behind another', [0, 100, 100]],
])('a run whose name comes by %s after the grace is cancelled still', async (_what, gaps) => {
  const clock = new VirtualClock();
  const person = new CancellationTokenSource({ clock });
  const after = (ms: number) => new Promise<void>((resolve) => clock.setTimer(resolve, ms, { ref: true }));
  const [opensAfter = 0, ...rest] = gaps;
  const cancel = vi.fn();
  const open = async () => {
    await after(opensAfter);
    return (async function* () {
      for (const [index, gap] of rest.entries()) {
        await after(gap);
        yield { id: index === rest.length - 1 ? 'r1' : undefined, end: undefined };
      }
      await after(1_000);
    })();
  };
  const run = followRun<Event>(person.token, open, { cancel, idOf: ({ id }) => id, graceMs: 30 });
  const reading = run.next().catch((error: unknown) => error);
  person.cancel('user');
  await clock.advance(30);
  expect(await reading).toMatchObject({ abandoned: { name: 'remote run' } });
  await clock.advance(2_000);
  expect(cancel).toHaveBeenCalledExactlyOnceWith('r1', expect.anything());
  expect([run.id, clock.pending]).toEqual(['r1', 0]);
});

it.each([
  ['throws', () => void fail()],
  ['rejects', () => Promise.reject(new Error('store is down'))],
])('a store for names that %s is reported, and the run is read on', async (_how, onNamed) => {
  const reported = vi.fn();
  const person = new CancellationTokenSource({ onCallbackError: reported });
  const read: string[] = [];
  const run = followRun(
    person.token,
    ({ named }) => {
      named('r1');
      return events();
    },
    { cancel: () => undefined, onNamed },
  );
  for await (const event of run) read.push(event);
  expect(read).toEqual(['one', 'two']);
  expect(reported).toHaveBeenCalledExactlyOnceWith(new Error('store is down'));
});

function fail(): never {
  throw new Error('store is down');
}

it.each([false, 'done', null])('an event whose end is %o says nothing that a run can end with', async (end) => {
  const run = followRun(null, events, { cancel: () => undefined, endOf: () => end as never });
  await expect(run.next().then(() => run.next())).rejects.toThrow(/^the end must be /);
});
