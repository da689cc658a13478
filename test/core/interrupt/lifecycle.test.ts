/**
 * What an agent says of its interrupts, sentence by sentence: one row each, and every row over every way in which a stop
 * can come. The files beside this one look at one source file each; here all ways have to agree.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';

import {
  CancellationTokenSource,
  DeadlineExceededError,
  InterruptController,
  delay,
  type AgentSnapshot,
  type Delivery,
  type Turn,
  type TurnReport,
  type TurnTicket,
} from '../../../src/index.ts';
import type { UndeliveredPolicy } from '../../../src/core/interrupt/public-types/messages.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { call, deaf, errorOf, obedient, stage, tick } from './kit.ts';

type Body = (turn: Turn) => unknown;

/** An agent, how it is run, and one way to stop it from where that way begins. */
interface Setting {
  readonly agent: InterruptController;
  readonly clock: VirtualClock;
  run(body: Body): Promise<TurnReport<unknown>>;
  stop(): unknown;
}

const ways: Readonly<Record<string, () => Setting>> = {
  'cancel()': () => direct((agent) => agent.cancel('stop')),
  'kill()': () => direct((agent) => agent.kill('stop')),
  'the cancel of its ticket': () => {
    const { agent, clock } = watched();
    let ticket: TurnTicket | undefined;
    const run = (body: Body): Promise<TurnReport<unknown>> => {
      ticket = agent.accept();
      return agent.runTurn(body, { ticket });
    };
    return { agent, clock, run, stop: () => ticket?.cancel('stop') };
  },
  'cancelAll()': () => direct((agent) => agent.cancelAll('stop')),
  'the outside token of the turn': () => {
    const { agent, clock } = watched();
    let request = new CancellationTokenSource({ clock });
    const run = (body: Body): Promise<TurnReport<unknown>> => {
      request = new CancellationTokenSource({ clock });
      return agent.runTurn(body, { token: request.token });
    };
    return { agent, clock, run, stop: () => request.cancel('stop') };
  },
  'an AbortSignal of the turn': () => {
    const { agent, clock } = watched();
    let request = new AbortController();
    const run = (body: Body): Promise<TurnReport<unknown>> => {
      request = new AbortController();
      return agent.runTurn(body, { token: request.signal });
    };
    return { agent, clock, run, stop: () => request.abort('stop') };
  },
  'the session, by id': () => {
    const clock = new VirtualClock({ startAt: 1_000 });
    const sessions = new SessionRegistry({ clock });
    const agent = sessions.open('main').controller;
    return { agent, clock, run: (body) => agent.runTurn(body), stop: () => void sessions.cancel('main', 'stop') };
  },
  'all sessions': () => {
    const clock = new VirtualClock({ startAt: 1_000 });
    const sessions = new SessionRegistry({ clock });
    const agent = sessions.open('main').controller;
    return { agent, clock, run: (body) => agent.runTurn(body), stop: () => void sessions.cancelAll('stop') };
  },
  'the agent above': () => {
    const { agent: root, clock } = watched();
    const agent = root.child('sub');
    const run = async (body: Body): Promise<TurnReport<unknown>> => {
      let report: TurnReport<unknown> | undefined;
      await root.runTurn(({ tool }) => tool(call('delegate'), async () => (report = await agent.runTurn(body))));
      if (report === undefined) throw new Error('the sub-agent did not report');
      return report;
    };
    return { agent, clock, run, stop: () => root.cancel('stop') };
  },
};

function watched(): Pick<Setting, 'agent' | 'clock'> {
  const { agent, clock } = stage();
  return { agent, clock };
}

function direct(stop: (agent: InterruptController) => unknown): Setting {
  const { agent, clock } = watched();
  return { agent, clock, run: (body) => agent.runTurn(body), stop: () => stop(agent) };
}

const deliveries: readonly Delivery[] = ['now', 'after-current-tool', 'next-model-call', 'after-turn'];
const interrupting = deliveries.filter((delivery) => delivery !== 'after-turn');

/** Stops a turn in its midst, and waits for its end. */
async function stopped({ clock, run, stop }: Setting): Promise<TurnReport<unknown>> {
  const turn = run(obedient);
  await tick();
  stop();
  await clock.advance(0);
  return turn;
}

type Row = readonly [sentence: string, check: (setting: Setting) => Promise<void>];

const sentences: readonly Row[] = [
  [
    'interrupted is set synchronously by the interrupt',
    async ({ agent, clock, run, stop }) => {
      const turn = run(obedient);
      await tick();
      const before = agent.interrupted;
      stop();
      expect([before, agent.interrupted]).toEqual([false, true]);
      await clock.advance(0);
      await turn;
    },
  ],
  [
    'interrupted is cleared when the turn ends, and no earlier',
    async ({ agent, clock, run, stop }) => {
      const seen: unknown[] = [];
      agent.onEvent(({ type, instanceId }) => {
        if (type === 'turn-ended' && instanceId === agent.instanceId) seen.push(['ended', agent.interrupted]);
      });
      const turn = run(async ({ token }) => {
        try {
          await delay(token, 60_000);
        } finally {
          seen.push(['unwinding', agent.interrupted]);
        }
      });
      await tick();
      stop();
      await clock.advance(0);
      await turn;
      expect(seen).toEqual([['unwinding', true], ['ended', false]]); // prettier-ignore
    },
  ],
  [
    'interruption says why, when and that a person did it, and is gone with the turn',
    async (setting) => {
      const { agent, clock, run, stop } = setting;
      const turn = run(obedient);
      await clock.advance(250);
      stop();
      const { interruption } = agent;
      await clock.advance(0);
      const report = await turn;
      expect(interruption).toMatchObject({ kind: 'cancel', requestedAt: 1_250, isTimeout: false });
      expect(interruption?.canContinueAfterTimeout).toBe(false);
      expect(interruption?.reason).toBe(report.stop?.reason);
      expect(interruption?.reason).toBe(report.status === 'cancelled' && report.reason);
      expect(agent.interruption).toBeUndefined();
    },
  ],
  [
    'wasInterrupted is set when a cancelled turn ends, not by the cancel itself',
    async ({ agent, clock, run, stop }) => {
      const turn = run(obedient);
      await tick();
      stop();
      const meanwhile = agent.wasInterrupted;
      await clock.advance(0);
      await turn;
      expect([meanwhile, agent.wasInterrupted]).toEqual([false, true]);
    },
  ],
  [
    'wasInterrupted is never set by a cancel while idle',
    async ({ agent, run, stop }) => {
      await run(() => 'a turn that is over');
      stop();
      await tick();
      expect([agent.interrupted, agent.wasInterrupted]).toEqual([false, false]);
      expect(agent.consumeWasInterrupted()).toBeUndefined();
    },
  ],
  [
    'wasInterrupted survives the start of the next turn, and all of it',
    async (setting) => {
      await stopped(setting);
      const { agent } = setting;
      const seen: boolean[] = [];
      const next = await setting.run(async ({ model, tool }) => {
        seen.push(agent.wasInterrupted);
        await model(() => seen.push(agent.wasInterrupted));
        await tool(call('a'), () => seen.push(agent.wasInterrupted));
      });
      expect([next.status, ...seen, agent.wasInterrupted]).toEqual(['completed', true, true, true, true]);
    },
  ],
  [
    'wasInterrupted survives a turn cancelled before its first model call',
    async (setting) => {
      await stopped(setting);
      const second = await stopped(setting);
      expect([second.status, second.partials.length, setting.agent.wasInterrupted]).toEqual(['cancelled', 0, true]);
    },
  ],
  [
    'consumeWasInterrupted alone clears it, and gives the reason of the last stop once',
    async (setting) => {
      const { agent, run } = setting;
      const { stop } = await stopped(setting);
      await run(() => 'completed');
      await run(() => Promise.reject(new Error('failed')));
      await run(() => void agent.interject('not taken'));
      agent.cancel();
      agent.kill();
      agent.snapshot();
      agent.restore(new InterruptController().snapshot());
      expect(agent.wasInterrupted).toBe(true);
      expect(agent.consumeWasInterrupted()).toBe(stop?.reason);
      expect([agent.wasInterrupted, agent.consumeWasInterrupted()]).toEqual([false, undefined]);
    },
  ],
  [
    'snapshot and restore carry it over a restart, to be told once',
    async (setting) => {
      const { stop } = await stopped(setting);
      const written = JSON.stringify(setting.agent.snapshot());
      const after = new InterruptController({ name: 'main' });
      after.restore(JSON.parse(written) as AgentSnapshot);
      expect(after.interrupted).toBe(false);
      expect((await after.runTurn(() => after.wasInterrupted)).unwrap()).toBe(true);
      expect(after.consumeWasInterrupted()).toEqual(stop?.reason);
      expect(after.snapshot()).toEqual({ version: 1 });
    },
  ],
  [
    'a cancel wins over a message: what waits and what comes later is returned, once each, in order',
    async ({ agent, clock, run, stop }) => {
      const turn = run(obedient);
      await tick();
      const messages = deliveries.map((delivery) => agent.interject(delivery, { delivery }));
      stop();
      messages.push(...deliveries.map((delivery) => agent.interject(`${delivery}, later`, { delivery })));
      expect(messages.map(({ status }) => status)).toEqual(messages.map(() => 'undelivered'));
      await clock.advance(0);
      expect((await turn).undelivered).toEqual(messages);
    },
  ],
  [
    'a stop is told once, and ends the turn once',
    async ({ agent, clock, run, stop }) => {
      const told: string[] = [];
      agent.onEvent(({ type, instanceId }) => {
        if (instanceId === agent.instanceId) told.push(type);
      });
      const turn = run(obedient);
      await tick();
      for (let n = 0; n < 3; n += 1) stop();
      await clock.advance(0);
      await turn;
      expect(told).toEqual(['turn-accepted', 'turn-started', 'interrupt-requested', 'turn-ended']);
    },
  ],
];

describe.each(Object.entries(ways))('stopped by %s', (_way, begin) => {
  it.each(sentences)('%s', async (_sentence, check) => {
    await check(begin());
  });
});

describe('an outside token of the agent', () => {
  it.each(['cancel', 'kill'] as const)('%s of it is the agent’s: the same is told, reported and kept', async (how) => {
    const traces = await Promise.all(
      [true, false].map(async (isOutside) => {
        const clock = new VirtualClock({ startAt: 1_000 });
        const outside = new CancellationTokenSource({ clock, name: 'main' });
        const { agent, said } = stage({ clock, token: outside.token, graceMs: 50 });
        const turn = agent.runTurn(({ tools }) =>
          tools([call('deaf'), call('obedient')], ({ id }, ctx) => (id === 'deaf' ? deaf() : obedient(ctx))),
        );
        await tick();
        agent.interject('waits');
        (isOutside ? outside : agent)[how]({ kind: 'user', message: 'enough' });
        const now = [agent.state, agent.interrupted, agent.interruption];
        await clock.advance(2_000);
        const { status, calls, stop, undelivered } = await turn;
        const untold = agent.consumeWasInterrupted();
        const messages = undelivered.map(({ message }) => message);
        return { now, status, calls, stop: { ...stop, undelivered: messages }, messages, untold, said: said() };
      }),
    );
    expect(traces[0]).toEqual(traces[1]);
    expect(traces[0]).toMatchObject({ status: 'cancelled', messages: ['waits'], untold: { message: 'enough' } });
  });

  it('stays: every later turn ends before its body, and counts as interrupted', async () => {
    const outside = new AbortController();
    const { agent } = stage({ token: outside.signal });
    outside.abort();
    expect([agent.interrupted, agent.wasInterrupted]).toEqual([false, false]);
    for (let n = 0; n < 2; n += 1) {
      const report = await agent.runTurn(() => 'never');
      expect(report.status).toBe('cancelled');
      expect(agent.consumeWasInterrupted()).toBe(report.stop?.reason);
    }
  });
});

describe('a message is no cancel', () => {
  const ends = ['delivered', 'undelivered'] as const;

  it.each(deliveries.flatMap((delivery) => ends.map((end) => [delivery, end] as const)))(
    'wasInterrupted is never set by an interjection: %s, %s',
    async (delivery, end) => {
      const { agent } = stage();
      const report = await agent.runTurn(async ({ model, takeInterjections }) => {
        await model(() => void agent.interject('x', { delivery }));
        if (end === 'delivered') takeInterjections();
      });
      expect([report.status, agent.interrupted, agent.wasInterrupted]).toEqual(['completed', false, false]);
      expect(agent.snapshot()).toEqual({ version: 1 });
    },
  );

  it.each(interrupting)('interrupted lasts until the last of several is delivered: %s', async (delivery) => {
    const { agent } = stage();
    const seen: boolean[] = [];
    await agent.runTurn(({ takeInterjections }) => {
      agent.interject('one', { delivery });
      agent.interject('two', { delivery: 'after-turn' });
      seen.push(agent.interrupted);
      seen.push(takeInterjections().length === 1, agent.interrupted);
    });
    expect(seen).toEqual([true, true, false]);
  });

  it.each(
    deliveries.flatMap((delivery) =>
      (['return', 'keep', 'drop'] as const).map((policy): [Delivery, UndeliveredPolicy] => [delivery, policy]),
    ),
  )('one after the last takeInterjections is in one place: %s, %s', async (delivery, undelivered) => {
    const { agent } = stage({ undelivered });
    const report = await agent.runTurn(({ takeInterjections }) => {
      takeInterjections();
      agent.interject('late', { delivery });
    });
    const next = await agent.runTurn(({ takeInterjections }) => takeInterjections().map(({ message }) => message));
    const after = await agent.runTurn(({ takeInterjections }) => takeInterjections().length);
    const places = { returned: report.undelivered.length, next: next.unwrap(), after: after.unwrap() };
    expect(places).toEqual({
      returned: undelivered === 'return' ? 1 : 0,
      next: undelivered === 'keep' ? ['late'] : [],
      after: 0,
    });
  });
});

describe('upgrade only', () => {
  const rungs = ['interjecting', 'cancelling', 'killing'] as const;
  const acts = [
    (agent: InterruptController) => agent.interject('x', { delivery: 'now' }),
    (agent: InterruptController) => agent.cancel(),
    (agent: InterruptController) => agent.kill(),
  ];
  const numbers = [0, 1, 2] as const;
  const sequences = numbers.flatMap((a) => numbers.flatMap((b) => numbers.map((c) => [a, b, c] as const)));

  it.each(sequences)('interjection → cancel → kill, never back: %i, %i, %i', async (...steps) => {
    const { agent, clock } = stage({ graceMs: 50 });
    const turn = agent.runTurn(({ tool }) => tool(call('deaf'), deaf));
    await tick();
    let highest = 0;
    let firstStop: unknown;
    for (const step of steps) {
      acts[step]?.(agent);
      highest = Math.max(highest, step);
      expect(agent.state).toBe(rungs[highest]);
      if (highest > 0) firstStop ??= agent.interruption;
      // The first cancel counts: nothing that comes later replaces what it said.
      if (highest > 0) expect(agent.interruption).toBe(firstStop);
    }
    agent.kill();
    await clock.advance(0);
    const report = await turn;
    expect(report.undelivered).toHaveLength(steps.filter((step) => step === 0).length);
  });
});

describe('canContinueAfterTimeout', () => {
  const kinds = ['user', 'deadline', 'idle', 'budget', 'superseded', 'shutdown', 'disconnect'] as const;

  it.each(kinds)('is false for a stop of the turn, whatever its kind: %s', async (kind) => {
    const { agent } = stage();
    const turn = agent.runTurn(obedient);
    agent.cancel({ kind });
    expect(agent.interruption?.canContinueAfterTimeout).toBe(false);
    await turn;
  });

  it.each([0, 1, 3])('is true for a silence with recoveries left only: %i attempts', async (attempts) => {
    const { agent, clock } = stage({ graceMs: 10 });
    const shown: unknown[] = [];
    const turn = agent.runTurn(({ model }) => errorOf(model(deaf, { idleMs: 100, recover: { attempts } })));
    for (let n = 0; n <= attempts; n += 1) {
      await clock.advance(100);
      shown.push(agent.interruption?.canContinueAfterTimeout);
      await clock.advance(10);
    }
    expect((await turn).unwrap()).toBeInstanceOf(DeadlineExceededError);
    expect(shown).toEqual([...Array.from({ length: attempts }, () => true), false]);
    // Nobody stopped the turn: there is nothing to tell the model.
    expect([agent.interrupted, agent.wasInterrupted]).toEqual([false, false]);
  });

  it('is taken back by a person’s stop in the midst of a recovery', async () => {
    const { agent, clock } = stage({ graceMs: 50 });
    let calls = 0;
    const turn = agent.runTurn(({ model }) =>
      model(
        () => {
          calls += 1;
          return deaf();
        },
        { idleMs: 100, recover: { attempts: 3 } },
      ),
    );
    await clock.advance(100);
    expect(agent.interruption).toMatchObject({ isTimeout: true, canContinueAfterTimeout: true });
    agent.cancel();
    expect(agent.interruption).toMatchObject({ isTimeout: false, canContinueAfterTimeout: false });
    await clock.advance(2_000);
    expect([(await turn).status, calls, agent.wasInterrupted]).toEqual(['cancelled', 1, true]);
  });
});
