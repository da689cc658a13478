import { describe, expect, it } from 'vitest';

import { CancellationTokenSource, InterruptController, type ToolContext, type Turn } from '../../../../src/index.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, errorOf, hasSettled, obedient, stage, tick } from '../kit.ts';

describe('S07 turn identity', () => {
  it('S07 one terminal event per accepted turn, whatever happens', async () => {
    const { agent, events, clock } = stage();
    const ticket = agent.accept();
    agent.cancel();
    await agent.runTurn(() => 1, { ticket });
    await agent.runTurn(() => 1);
    await agent.runTurn(() => Promise.reject(new Error('x')));
    const running = agent.runTurn(deaf);
    const queued = agent.runTurn(() => 1, { whenBusy: 'queue' });
    for (let i = 0; i < 3; i += 1) agent.cancel();
    agent.kill();
    await clock.advance(0);
    await Promise.all([running, queued]);
    const ids = (type: string): unknown[] =>
      events.flatMap((e) => (e.type === type && 'turnId' in e ? [e.turnId] : []));
    expect(ids('turn-accepted')).toEqual([1, 2, 3, 4, 5]);
    expect(ids('turn-ended')).toEqual([1, 2, 3, 4, 5]);
  });

  it('S07 a stale finally of turn 1 does nothing to turn 2', async () => {
    const { agent } = stage();
    const seen: string[] = [];
    const ticket = agent.accept();
    const first = await agent.runTurn(() => void agent.cancel('first'), { ticket });
    const end = deferred();
    const second = agent.runTurn(() => end.promise);
    try {
      first.unwrap();
    } catch (error) {
      seen.push((error as Error).name);
    } finally {
      ticket.cancel('cleaning up');
    }
    expect([agent.state, agent.interrupted]).toEqual(['running', false]);
    end.resolve();
    expect((await second).status).toBe('completed');
    expect(seen).toEqual(['AbortError']);
  });

  it('S07 each turn has a token of its own', async () => {
    const { agent } = stage();
    const tokens: unknown[] = [];
    for (let i = 0; i < 2; i += 1) await agent.runTurn(({ token, signal }) => void tokens.push(token, signal));
    expect(new Set(tokens).size).toBe(4);
  });
});

describe('an outside token', () => {
  it('of the agent ends its turns, the running and the next', async () => {
    const session = new CancellationTokenSource({ name: 'session' });
    const { agent } = stage({ token: session.token });
    const running = agent.runTurn(obedient);
    session.cancel('session over');
    const report = await running;
    expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'session over', source: 'session' } });
    expect(report.status === 'cancelled' && report.reason).toBe(session.token.reason);
    let ran = 0;
    const next = await agent.runTurn(() => (ran += 1));
    expect([next.status, ran, agent.lifetime.reason]).toEqual(['cancelled', 0, session.token.reason]);
    expect(agent.wasInterrupted).toBe(true);
  });

  it('may be an AbortSignal; its kill is passed on', async () => {
    const abort = new AbortController();
    const byAbort = stage({ token: abort.signal }).agent;
    const first = byAbort.runTurn(obedient);
    abort.abort();
    expect((await first).status).toBe('cancelled');

    const session = new CancellationTokenSource();
    const { agent, clock } = stage({ token: session.token, graceMs: 60_000 });
    const second = agent.runTurn(({ tool }) => tool(call('a'), deaf));
    await tick();
    session.kill('out');
    expect(agent.state).toBe('killing');
    await clock.advance(0);
    expect(await second).toMatchObject({ status: 'cancelled', stop: { settledMs: 0, abandoned: ['a'] } });
  });

  it('of one turn ends that turn only', async () => {
    const { agent } = stage();
    const outside = new CancellationTokenSource({ name: 'request' });
    const running = agent.runTurn(obedient, { token: outside.token });
    outside.cancel({ kind: 'disconnect' });
    expect(await running).toMatchObject({ status: 'cancelled', reason: { kind: 'disconnect', source: 'request' } });
    expect(agent.lifetime.isCancelled).toBe(false);
    expect((await agent.runTurn(() => 1)).status).toBe('completed');
  });

  it('that is cancelled already runs nothing', async () => {
    const { agent } = stage();
    let ran = 0;
    const report = await agent.runTurn(() => (ran += 1), { token: AbortSignal.abort() });
    expect([report.status, ran]).toEqual(['cancelled', 0]);
  });

  it('counts only until the turn is told otherwise: the first reason stays', async () => {
    const { agent } = stage();
    const outside = new CancellationTokenSource();
    const running = agent.runTurn(obedient, { token: outside.token });
    agent.cancel('mine');
    outside.cancel('theirs');
    expect(await running).toMatchObject({ reason: { message: 'mine' }, stop: { reason: { message: 'mine' } } });
  });

  it('that is cancelled while an interjection waits gives it back', async () => {
    const { agent } = stage();
    const outside = new CancellationTokenSource();
    const running = agent.runTurn(obedient, { token: outside.token });
    const message = agent.interject('x');
    outside.cancel();
    expect(message.status).toBe('undelivered');
    expect((await running).undelivered).toEqual([message]);
  });

  it('lends its clock', async () => {
    const clock = new VirtualClock({ startAt: 77 });
    const session = new CancellationTokenSource({ clock });
    const agent = new InterruptController({ token: session.token });
    const at: number[] = [];
    agent.onEvent((event) => at.push(event.at));
    agent.accept();
    expect(at).toEqual([77]);
  });
});

describe('the agent’s token', () => {
  it('outlives the turns', async () => {
    const { agent } = stage();
    const token = agent.lifetime;
    const turn = agent.runTurn(obedient);
    agent.cancel();
    await turn;
    expect([token.isCancelled, agent.lifetime === token, token.name]).toEqual([false, true, 'main']);
  });

  it('ends with the agent, and stays ended', async () => {
    const { agent } = stage();
    const token = agent.lifetime;
    await agent.close();
    expect([token.isCancelled, agent.lifetime.isCancelled]).toEqual([true, true]);
    expect(agent.lifetime.reason?.kind).toBe('shutdown');
  });
});

describe('kill', () => {
  it('is a cancel with force: from running, from interjecting, from cancelling', async () => {
    for (const before of ['running', 'interjecting', 'cancelling'] as const) {
      const { agent, clock } = stage({ graceMs: 60_000 });
      const turn = agent.runTurn(({ tool }) => tool(call('a'), deaf));
      await tick();
      if (before === 'interjecting') agent.interject('x');
      if (before === 'cancelling') agent.cancel('first');
      expect(agent.state).toBe(before);
      expect(agent.kill('second')).toMatchObject({ accepted: true, turnId: 1 });
      expect(agent.state).toBe('killing');
      await clock.advance(0);
      expect(await turn).toMatchObject({
        status: 'cancelled',
        reason: { message: before === 'cancelling' ? 'first' : 'second' },
        calls: [{ status: 'unknown' }],
      });
      expect(agent.state).toBe('idle');
    }
  });

  it('is seen by what runs', async () => {
    const { agent, clock } = stage();
    const seen: string[] = [];
    const turn = agent.runTurn(({ token, tool }) => {
      token.onKilled(() => seen.push('turn'));
      return tool(call('a'), (_call, ctx) => {
        ctx.token.onKilled(() => seen.push('tool'));
        return deaf();
      });
    });
    await tick();
    agent.kill();
    expect(seen).toEqual(['turn', 'tool']);
    await clock.advance(0);
    await turn;
  });
});

describe('close', () => {
  it('cancels everything with kind shutdown, waits for it, and takes no more turns', async () => {
    const { agent, clock, events } = stage({ graceMs: 100 });
    const background = agent.child('bg', { detached: true }).runTurn(obedient);
    const running = agent.runTurn(({ tool }) => tool(call('a'), deaf));
    const queued = agent.runTurn(() => 'ran', { whenBusy: 'queue' });
    const ticket = agent.accept();
    await tick();
    const closing = agent.close();
    expect(await hasSettled(closing)).toBe(false);
    await clock.advance(1_000);
    expect(await closing).toMatchObject({ reason: { kind: 'shutdown' }, abandoned: ['a'], settledMs: 100 });
    for (const turn of [running, queued, background]) {
      expect(await turn).toMatchObject({ status: 'cancelled', reason: { kind: 'shutdown' } });
    }
    const ended = events.filter((event) => event.type === 'turn-ended' && event.agent === 'main');
    expect(ended).toMatchObject([
      { turnId: 1, status: 'cancelled' },
      { turnId: 2, status: 'cancelled' },
      { turnId: 3, status: 'cancelled', interrupted: true, kind: 'shutdown' },
    ]);
    expect(() => agent.accept()).toThrow(TypeError);
    expect(await errorOf(agent.runTurn(() => 1))).toBeInstanceOf(TypeError);
    expect(await errorOf(agent.runTurn(() => 1, { ticket }))).toBeInstanceOf(TypeError);
    expect(clock.pending).toBe(0);
  });

  it('takes no more turns from the moment it is called', async () => {
    const { agent } = stage();
    const closing = agent.close();
    expect(() => agent.accept()).toThrow(TypeError);
    expect(await errorOf(agent.runTurn(() => 1))).toBeInstanceOf(TypeError);
    await closing;
    expect(agent.interject('x').status).toBe('undelivered');
    expect(agent.cancel().accepted).toBe(false);
  });

  it('says why if it is told', async () => {
    const { agent, events } = stage();
    agent.accept();
    const running = agent.runTurn(obedient);
    const report = await agent.close({ kind: 'lease-lost', message: 'moved' });
    expect(report.reason).toMatchObject({ kind: 'lease-lost', message: 'moved' });
    expect((await running).status).toBe('cancelled');
    for (const event of events) if (event.type === 'turn-ended') expect(event.kind).toBe('lease-lost');
    expect(events.filter(({ type }) => type === 'turn-ended')).toHaveLength(2);
  });

  it.each([undefined, 'shutdown', { message: 'bye' }])('is a shutdown, told with %j', async (reason) => {
    const { agent } = stage();
    const running = agent.runTurn(obedient);
    expect((await agent.close(reason)).reason?.kind).toBe('shutdown');
    expect(await running).toMatchObject({ status: 'cancelled', reason: { kind: 'shutdown' } });
  });

  it.each([
    ['why', 'unknown'],
    ['user', 'user'],
    ['SIGTERM', 'shutdown'],
    ['budget', 'budget'],
  ])('%j is one kind of a stop, wherever it is said', async (text, kind) => {
    const said: (string | undefined)[] = [];
    for (const verb of ['cancel', 'cancelAll', 'kill', 'close'] as const) {
      const { agent } = stage();
      const running = agent.runTurn(obedient);
      void agent[verb](text);
      const report = await running;
      said.push(report.status === 'cancelled' ? report.reason.kind : report.status);
    }
    const source = new CancellationTokenSource();
    source.cancel(text);
    said.push(source.token.reason?.kind);
    const { agent } = stage();
    const ticket = agent.accept();
    ticket.cancel(text);
    const report = await agent.runTurn(obedient, { ticket });
    said.push(report.status === 'cancelled' ? report.reason.kind : report.status);
    expect(said).toEqual(Array.from({ length: 6 }, () => kind));
  });

  it('says nothing if there is nothing to stop', async () => {
    const { agent, events } = stage();
    await agent.runTurn(() => 1);
    const before = events.length;
    expect((await agent.close()).abandoned).toEqual([]);
    expect(events.slice(before)).toEqual([]);
  });

  it('may be called again', async () => {
    const { agent, events } = stage();
    const turn = agent.runTurn(obedient);
    const [first, second] = await Promise.all([agent.close(), agent.close('again')]);
    await agent.close();
    expect([first.reason?.kind, second.reason?.kind]).toEqual(['shutdown', 'shutdown']);
    expect((await turn).status).toBe('cancelled');
    expect(events.filter(({ type }) => type === 'turn-ended')).toHaveLength(1);
  });

  it('is what dispose does', async () => {
    const { agent } = stage();
    let turn: Promise<{ readonly status: string }> | undefined;
    {
      await using scoped = agent;
      turn = scoped.runTurn(obedient);
    }
    expect((await turn).status).toBe('cancelled');
    expect(() => agent.accept()).toThrow(TypeError);
  });
});

describe('the loop of the contract', () => {
  /** Runs the loop over scripted replies: each a list of calls; the last has none. */
  function loop(
    agent: InterruptController,
    script: (string[] | undefined)[],
    run: (id: string, signal: AbortSignal) => unknown,
  ) {
    const requests: string[][] = [];
    const history: string[] = [];
    const turn = agent.runTurn(async ({ model, tools, takeInterjections }) => {
      for (let round = 0; ; round += 1) {
        const reply = await model<string[]>(async ({ partial, token }) => {
          requests.push([...history]);
          partial(`reply ${String(round)}`);
          const calls = script[round];
          if (calls === undefined) await obedient({ token });
          return calls ?? [];
        });
        const calls = reply.status === 'completed' ? reply.value : [];
        const outcomes = await tools(
          calls.map((id) => call(id)),
          ({ id }, { signal }) => run(id, signal),
        );
        const news = takeInterjections();
        history.push(...outcomes.map(({ id, status }) => `${id} ${status}`), ...news.map((m) => m.message));
        if (outcomes.length === 0 && news.length === 0) return reply.status;
      }
    });
    return { turn, requests, history };
  }

  it('runs to its end', async () => {
    const { agent } = stage();
    const { turn, requests } = loop(agent, [['a', 'b'], ['c'], []], () => 1);
    expect((await turn).unwrap()).toBe('completed');
    expect(requests).toEqual([[], ['a completed', 'b completed'], ['a completed', 'b completed', 'c completed']]);
  });

  it('S02 S03 no model call after the tools were interrupted, deaf or not', async () => {
    const { agent, clock } = stage({ graceMs: 0 });
    const { turn, requests } = loop(agent, [['a', 'deaf'], []], (id) => (id === 'deaf' ? deaf() : 1));
    await tick();
    agent.cancel();
    await clock.advance(0);
    const report = await turn;
    expect(requests).toHaveLength(1);
    expect(report).toMatchObject({
      status: 'cancelled',
      calls: [{ status: 'completed' }, { status: 'unknown' }],
      stop: { settledMs: 0, abandoned: ['deaf'] },
    });
  });

  it('S21 a message cuts the reply and is in the next request, once', async () => {
    const { agent } = stage();
    const { turn, requests } = loop(agent, [['a'], undefined, []], () => 1);
    await tick();
    agent.interject('use pnpm', { delivery: 'now' });
    const report = await turn;
    expect(report.unwrap()).toBe('completed');
    expect(requests).toEqual([[], ['a completed'], ['a completed', 'use pnpm']]);
    expect(report.partials).toMatchObject([{ modelCall: 2, value: 'reply 1' }]);
  });
});

/** What the body of a turn throws. */
async function inTurn(body: (turn: Turn) => unknown): Promise<unknown> {
  return (await new InterruptController().runTurn(body)).unwrap();
}

/** What a tool throws. */
function inTool(run: (context: ToolContext) => unknown): Promise<unknown> {
  return inTurn(async ({ tool }) => {
    const outcome = await tool(call('a'), (_call, context) => run(context));
    if (outcome.status === 'failed') throw outcome.error;
  });
}

describe('bad input', () => {
  it.each<[string, () => unknown]>([
    ['new InterruptController', () => new InterruptController(null as never)],
    ['child', () => new InterruptController().child('x', null as never)],
    ['background', () => new InterruptController().background('x', () => 1, null as never)],
    ['runTurn', () => new InterruptController().runTurn(() => 1, null as never)],
    ['model', () => inTurn(({ model }) => model(() => 1, null as never))],
    ['tools', () => inTurn(({ tools }) => tools([call('a')], () => 1, null as never))],
    ['tool', () => inTurn(({ tool }) => tool(call('a'), () => 1, null as never))],
    ['subagent', () => inTool(({ subagent }) => subagent('x', null as never))],
    ['ask', () => inTool(({ ask }) => ask((respond) => respond(1), null as never))],
  ])('null for the options of %s is named', async (_what, given) => {
    await expect((async () => given())()).rejects.toThrow(new TypeError('options must be an object, got null'));
  });

  it.each([undefined, null, 5, 'work', {}])('what is no promise is named by wait: %o', async (work) => {
    const waiting = inTool(({ wait }) => wait(work as never));
    await expect(waiting).rejects.toThrow(/^work must be a promise, got /);
  });

  it.each([
    ['name', { name: 7 }, TypeError],
    ['undelivered', { undelivered: 'lose' }, TypeError],
    ['graceMs a string', { graceMs: '1' }, TypeError],
    ['graceMs negative', { graceMs: -1 }, RangeError],
    ['graceMs NaN', { graceMs: NaN }, RangeError],
    ['token', { token: 'token' }, TypeError],
    ['an AbortController for a token', { token: new AbortController() }, TypeError],
  ])('new InterruptController: %s', (_what, options, type) => {
    expect(() => new InterruptController(options as never)).toThrow(type);
  });

  it.each([
    ['whenBusy', { whenBusy: 'wait' }],
    ['token', { token: 7 }],
    ['an AbortController for a token', { token: new AbortController() }],
    ['ticket', { ticket: {} }],
  ])('runTurn: %s, and nothing was accepted', async (_what, options) => {
    const { agent, events } = stage();
    let ran = 0;
    expect(await errorOf(agent.runTurn(() => (ran += 1), options as never))).toBeInstanceOf(TypeError);
    expect([ran, events]).toEqual([0, []]);
  });

  it('a cancel is no error of the caller: unwrap throws it, runTurn does not', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ checkpoint }) => {
      agent.cancel();
      checkpoint();
    });
    await expect(turn).resolves.toMatchObject({ status: 'cancelled' });
  });
});
