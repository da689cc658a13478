/**
 * What starts, ends or stops from inside the events of a stop, and which of several stops counts.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';

import type { Background, InterruptController, InterruptEvent, TurnReport } from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { call, deaf, obedient, stage, tick } from './kit.ts';

const requested = (events: readonly InterruptEvent[]): unknown[] =>
  events.flatMap((event) =>
    event.type === 'interrupt-requested' && event.kind !== 'interjection' ? [event.reason.message] : [],
  );

describe('the first stop of a waiting turn counts', () => {
  it('an early cancel, and not a later abort of its token', async () => {
    const { agent } = stage();
    const end = deferred();
    const running = agent.runTurn(() => end.promise);
    const controller = new AbortController();
    const ticket = agent.accept();
    const waiting = agent.runTurn(() => 'ran', { ticket, token: controller.signal, whenBusy: 'queue' });
    ticket.cancel('first');
    controller.abort('second');
    end.resolve();
    await running;
    expect(await waiting).toMatchObject({ status: 'cancelled', reason: { message: 'first' } });
  });

  it('an abort of its token, and not a later cancel', async () => {
    const { agent } = stage();
    const end = deferred();
    const running = agent.runTurn(() => end.promise);
    const controller = new AbortController();
    const waiting = agent.runTurn(() => 'ran', { token: controller.signal, whenBusy: 'queue' });
    controller.abort('first');
    agent.cancel('second');
    end.resolve();
    await running;
    expect(await waiting).toMatchObject({ status: 'cancelled', reason: { message: 'first' } });
  });
});

describe('a stop that is announced concerns everything below', () => {
  it.each(['a sub-agent is cancelled', 'the token of the agent is aborted'])(
    'and its reason is the one of every turn, also if %s meanwhile',
    async (then) => {
      const controller = new AbortController();
      const { agent, events } = stage({ token: controller.signal });
      let below: InterruptController | undefined;
      agent.onEvent((event) => {
        if (event.type !== 'interrupt-requested' || event.reason.message !== 'first') return;
        if (then === 'a sub-agent is cancelled') below?.cancel('second');
        else controller.abort('second');
      });
      const turn = agent.runTurn(({ tool }) =>
        tool(call('plan'), async (_call, context) => {
          below = context.subagent('child');
          (await below.runTurn(obedient)).unwrap();
        }),
      );
      agent.cancel('first');
      await turn;
      const ends = events.flatMap((event) => (event.type === 'turn-ended' ? [event.reason?.message] : []));
      expect(ends).toEqual(['first', 'first']);
      expect((await turn).calls).toMatchObject([{ status: 'stopped' }]);
      expect((await turn).calls[0]).not.toHaveProperty('by');
      expect(requested(events)).toEqual(['first']);
    },
  );

  it('but not what had been cancelled with its call', async () => {
    const { agent, events } = stage();
    agent.onEvent((event) => {
      if (event.type === 'turn-accepted' && event.agent === 'child') {
        agent.cancelCall('plan', 'the call');
        agent.cancel('the turn');
      }
    });
    await agent.runTurn(({ tool }) =>
      tool(call('plan'), (_call, context) => context.subagent('child').runTurn(obedient)),
    );
    const ends = events.flatMap((event) => (event.type === 'turn-ended' ? [event.reason?.message] : []));
    expect(ends).toEqual(['the call', 'the turn']);
  });
});

describe('a kill', () => {
  it('of a sub-agent that is about to hear of a cancel from above is announced, too', async () => {
    const { agent, events } = stage();
    let below: InterruptController | undefined;
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, context) => {
        context.token.onCancelled(() => below?.kill('now'));
        below = context.subagent('child');
        await below.runTurn(obedient);
      }),
    );
    agent.cancel('please');
    await turn;
    expect(requested(events)).toEqual(['please', 'now']);
    expect(events.find((event) => event.type === 'turn-ended')).toMatchObject({ reason: { message: 'please' } });
  });

  it('of everything reaches what an earlier stop of everything left unwinding, and is announced', async () => {
    const { agent, clock, events } = stage({ graceMs: 1_000 });
    const detached = agent.child('detached', { detached: true }).runTurn(deaf);
    const job = agent.background('job', deaf);
    const first = agent.cancelAll('please');
    await clock.advance(10);
    const second = agent.kill('now', { all: true });
    await clock.advance(10);
    expect(second.accepted).toBe(true);
    expect((await detached).stop?.settledMs).toBeLessThan(50);
    expect(await job.outcome).toMatchObject({ status: 'abandoned' });
    for (const { settled } of [first, second]) expect((await settled).abandoned).toEqual(['job', 'detached']);
    expect(requested(events)).toEqual(['please', 'now']);
    expect(agent.kill('again', { all: true }).accepted).toBe(false);
  });
});

describe('a stop of everything below a sub-agent', () => {
  it('reaches the detached agents that were started there, with their background work', async () => {
    const { agent } = stage();
    let below: InterruptController | undefined;
    let job: Background<void> | undefined;
    let detached: Promise<TurnReport<void>> | undefined;
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, context) => {
        below = context.subagent('child');
        await below.runTurn((inner) =>
          inner.tool(call('beside'), (_inner, { subagent }) => {
            const beside = subagent('beside', { detached: true });
            job = beside.background('job', obedient);
            detached = beside.runTurn(obedient);
            return detached;
          }),
        );
      }),
    );
    await below?.cancelAll('enough').settled;
    expect(await job?.outcome).toMatchObject({ status: 'cancelled', reason: { message: 'enough' } });
    expect(await detached).toMatchObject({ status: 'cancelled', reason: { message: 'enough' } });
    await turn;
  });

  it('is announced also to who hears of the start of the only turn it reaches', async () => {
    const { agent, events } = stage();
    agent.onEvent(({ type }) => {
      if (type === 'turn-started') agent.kill('not that', { all: true });
    });
    const report = await agent.child('detached', { detached: true }).runTurn(() => 'ran');
    expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'not that' } });
    expect(requested(events)).toEqual(['not that']);
  });
});

describe('nothing starts inside the announcement of a stop', () => {
  it('neither the next call of a batch nor a turn of a sub-agent beside it', async () => {
    const { agent } = stage();
    const ran: string[] = [];
    const child = agent.child('beside');
    let report: Promise<unknown> | undefined;
    agent.onEvent((event) => {
      if (event.type !== 'interrupt-requested' || report !== undefined) return;
      report = child.runTurn(() => ran.push('child'));
      // What was in the turn when the stop was asked for is stopped with it.
      expect(agent.sendToBackground('first')).toBe(false);
    });
    const end = deferred();
    const turn = agent.runTurn(({ tools }) =>
      tools(
        [call('first'), call('second')],
        ({ id }) => {
          ran.push(id);
          return end.promise;
        },
        { mode: 'sequential', canDetach: true },
      ),
    );
    agent.cancel('enough');
    end.resolve();
    expect((await turn).calls.map(({ status }) => status)).toEqual(['completed', 'not-started']);
    expect(await report).toMatchObject({ status: 'cancelled', reason: { message: 'enough' } });
    expect(ran).toEqual(['first']);
  });

  it('nor the next call of a batch that is being stopped alone', async () => {
    const { agent } = stage();
    const end = deferred();
    const started: string[] = [];
    agent.onEvent(({ type }) => {
      if (type === 'interrupt-requested') agent.sendToBackground('c1');
    });
    const turn = agent.runTurn(({ tools }) =>
      tools([call('c1'), call('c2')], ({ id }) => (started.push(id), end.promise), {
        mode: 'sequential',
        canDetach: true,
      }),
    );
    await tick();
    agent.cancelCall('c2', 'not this one');
    const { calls } = await turn;
    expect(calls).toMatchObject([
      { status: 'detached' },
      { status: 'not-started', reason: { message: 'not this one' } },
    ]);
    expect(started).toEqual(['c1']);
    end.resolve();
  });

  it('nor background work that was stopped by who heard of its start', async () => {
    const { agent } = stage();
    agent.onEvent(({ type }) => {
      if (type === 'background-started') agent.cancelAll('not that');
    });
    let ran = false;
    const { outcome } = agent.background('job', () => (ran = true));
    expect(await outcome).toMatchObject({ status: 'cancelled', reason: { message: 'not that' } });
    expect(ran).toBe(false);
  });
});

describe('a call that is sent to the background inside an event', () => {
  it('is sent there once, and has one outcome', async () => {
    const { agent, said } = stage();
    const again: boolean[] = [];
    agent.onEvent(({ type }) => {
      if (type === 'call-detached' || type === 'background-started') again.push(agent.sendToBackground('long'));
    });
    const end = deferred();
    const turn = agent.runTurn(({ tool }) => tool(call('long'), () => end.promise, { canDetach: true }));
    expect(agent.sendToBackground('long')).toBe(true);
    expect((await turn).calls).toMatchObject([{ status: 'detached' }]);
    expect(again).toEqual([false, false]);
    expect(said().filter((each) => each === 'main:tool-outcome')).toHaveLength(1);
    end.resolve();
    await tick();
  });

  it('is not sent there inside its own stop, which came first and settles with its end', async () => {
    const { agent } = stage();
    const sent: boolean[] = [];
    agent.onEvent(({ type }) => {
      if (type === 'interrupt-requested') sent.push(agent.sendToBackground('long'));
    });
    const turn = agent.runTurn(({ tool }) =>
      tool(call('long'), (_call, context) => obedient(context), { canDetach: true }),
    );
    const { settled } = agent.cancelCall('long', 'enough');
    expect((await settled).operations).toMatchObject([{ name: 'long', outcome: 'cancelled' }]);
    expect([sent, (await turn).calls]).toMatchObject([[false], [{ status: 'stopped', reason: { message: 'enough' } }]]);
  });
});

describe('what was given up is named', () => {
  it('by a second stop of everything', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    agent.background('first', deaf);
    agent.kill('one', { all: true });
    agent.background('second', deaf);
    await clock.advance(0);
    const { settled } = agent.kill('two', { all: true });
    await clock.advance(200);
    expect([...(await settled).abandoned].sort()).toEqual(['first', 'second']);
    expect([...(await agent.cancelAll('three').settled).abandoned].sort()).toEqual(['first', 'second']);
  });

  it('by a stop of everything, if a detached agent gave it up, and by no other', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const child = agent.child('detached', { detached: true });
    const job = child.background('job', deaf);
    job.cancel();
    await clock.advance(100);
    expect((await agent.cancel('one').settled).abandoned).toEqual([]);
    expect((await agent.cancelAll('two').settled).abandoned).toEqual(['job']);
    expect(agent.kill('three').accepted).toBe(false);
    expect(agent.kill('four', { all: true }).accepted).toBe(true);
  });

  it('if it was tracked after the end of its turn, and holds up no turn above', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, context) => {
        const child = context.subagent('child');
        const track = (await child.runTurn((below) => below.track)).unwrap();
        void track({ kind: 'work', name: 'late' }, deaf());
        return obedient(context);
      }),
    );
    await tick();
    const { settled } = agent.cancel('enough');
    await clock.advance(0);
    expect(await settled).toMatchObject({ settledMs: 0, abandoned: ['late'] });
    await turn;
  });
});

it('a message that a model call nobody awaits has read is delivered, and not kept for the next turn as well', async () => {
  const { agent } = stage({ undelivered: 'keep' });
  const message = agent.interject('and the tests');
  const answer = deferred();
  let reply: Promise<{ readonly delivered: readonly unknown[] }> | undefined;
  const turn = agent.runTurn(({ model }) => {
    reply = model(({ readInterjections }) => answer.promise.then(() => readInterjections().length));
  });
  await tick();
  answer.resolve();
  await turn;
  expect((await reply)?.delivered).toEqual([message]);
  const next = await agent.runTurn(({ model }) => model(({ readInterjections }) => readInterjections().length));
  expect([next.unwrap(), message.status]).toMatchObject([{ value: 0 }, 'delivered']);
});

it('a token that ends two turns is announced once', async () => {
  const controller = new AbortController();
  const { agent, events } = stage({ token: controller.signal });
  const turns = [agent.runTurn(obedient), agent.runTurn(obedient, { whenBusy: 'queue' })];
  controller.abort('over');
  await Promise.all(turns);
  expect(requested(events)).toEqual(['over']);
});
