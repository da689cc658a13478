import { describe, expect, it } from 'vitest';

import { InterruptController, type TurnReport } from '../../../../../src/index.ts';
import { deferred } from '../../../../../src/testing/fakes.ts';
import { errorOf, obedient, stage } from '../../kit.ts';

describe('accept', () => {
  it('counts the prompts from 1 and says so', async () => {
    const { agent, events } = stage();
    expect([agent.accept().id, agent.accept().id]).toEqual([1, 2]);
    expect(events.map((event) => event.type === 'turn-accepted' && event.turnId)).toEqual([1, 2]);
    const report = await agent.runTurn(({ id }) => id);
    expect([report.unwrap(), report.turnId]).toEqual([3, 3]);
  });

  it('lets tickets start in any order', async () => {
    const { agent } = stage();
    const [first, second] = [agent.accept(), agent.accept()];
    expect((await agent.runTurn(({ id }) => id, { ticket: second })).unwrap()).toBe(2);
    expect((await agent.runTurn(({ id }) => id, { ticket: first })).unwrap()).toBe(1);
  });
});

describe('an early cancel', () => {
  it('sticks to every prompt that exists, and to no later one', async () => {
    const { agent, events } = stage();
    const [first, second] = [agent.accept(), agent.accept()];
    expect(agent.cancel('too late for me')).toMatchObject({ accepted: true });
    const third = agent.accept();
    let ran = 0;
    const reports = [];
    for (const ticket of [first, second, third]) reports.push(await agent.runTurn(() => ++ran, { ticket }));
    expect(reports.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'completed']);
    expect(ran).toBe(1);
    expect(reports[0]).toMatchObject({ reason: { message: 'too late for me' }, calls: [], partials: [] });
    expect(events.filter(({ type }) => type === 'turn-ended')).toHaveLength(3);
  });

  it('can be aimed at one of them', async () => {
    const { agent } = stage();
    const [first, second] = [agent.accept(), agent.accept()];
    expect(second.cancel('only the second')).toMatchObject({ accepted: true, turnId: 2 });
    expect((await agent.runTurn(() => 1, { ticket: first })).status).toBe('completed');
    expect((await agent.runTurn(() => 1, { ticket: second })).status).toBe('cancelled');
  });

  it('counts once: the first reason stays', async () => {
    const { agent } = stage();
    const ticket = agent.accept();
    agent.cancel('one');
    agent.cancel('two');
    const report = await agent.runTurn(() => 1, { ticket });
    expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'one' } });
  });

  it('repeated gives the same report, with the reason that stuck', async () => {
    const { agent } = stage();
    agent.accept();
    const first = await agent.cancel('one').settled;
    const second = await agent.cancel('two').settled;
    expect(second.reason).toBe(first.reason);
    expect(second).toEqual(first);
  });

  it.each(['cancel', 'kill'] as const)('by %s sticks', async (how) => {
    const { agent } = stage();
    const ticket = agent.accept();
    expect(agent[how]('not even started')).toMatchObject({ accepted: true, turnId: 1 });
    const report = await agent.runTurn(() => 'ran', { ticket });
    expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'not even started' } });
  });

  it.each(['cancel', 'kill'] as const)('by %s reaches the running turn and those that wait behind it', async (how) => {
    const { agent, clock } = stage();
    const running = agent.runTurn(obedient);
    const queued = agent.runTurn(() => 'ran', { whenBusy: 'queue' });
    agent[how]();
    await clock.advance(0);
    expect([(await running).status, (await queued).status]).toEqual(['cancelled', 'cancelled']);
    expect((await agent.runTurn(() => 1)).status).toBe('completed');
  });

  it('gives feedback at once', () => {
    const { agent, said } = stage();
    agent.accept();
    agent.cancel();
    expect(said()).toEqual(['main:turn-accepted', 'main:interrupt-requested']);
  });

  it('each stop of a prompt is told, by the time the prompt has ended', async () => {
    const { agent, events } = stage();
    const [first, second] = [agent.accept(), agent.accept()];
    second.cancel('two');
    agent.cancel('one');
    for (const ticket of [first, second]) await agent.runTurn(() => 1, { ticket });
    const told = events.flatMap((event) => (event.type === 'interrupt-requested' ? [event.reason.message] : []));
    expect(new Set(told)).toEqual(new Set(['one', 'two']));
  });

  it('runs nothing: no body, no model, no tool', async () => {
    const { agent, events } = stage();
    const ticket = agent.accept();
    agent.cancel();
    let ran = 0;
    const report = await agent.runTurn(
      async (turn) => {
        ran += 1;
        await turn.model(() => (ran += 1));
      },
      { ticket },
    );
    expect(ran).toBe(0);
    expect(report).toMatchObject({ status: 'cancelled', stop: { operations: [], abandoned: [] } });
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', status: 'cancelled', interrupted: true, kind: 'user' });
  });
});

describe('a ticket', () => {
  it('starts one turn', async () => {
    const { agent } = stage();
    const ticket = agent.accept();
    await agent.runTurn(() => 1, { ticket });
    expect(await errorOf(agent.runTurn(() => 2, { ticket }))).toBeInstanceOf(TypeError);
  });

  it('starts one turn also when both wait', async () => {
    const { agent, events } = stage();
    const end = deferred();
    const running = agent.runTurn(() => end.promise);
    const ticket = agent.accept();
    let ran = 0;
    const first = agent.runTurn(() => (ran += 1), { ticket, whenBusy: 'queue' });
    const second = agent.runTurn(() => (ran += 1), { ticket, whenBusy: 'queue' }).catch((error: unknown) => error);
    end.resolve();
    await Promise.all([running, first]);
    expect(await second).toBeInstanceOf(TypeError);
    expect(ran).toBe(1);
    expect(events.filter((event) => event.type === 'turn-ended' && event.turnId === 2)).toHaveLength(1);
  });

  it('stays good when the turn was refused because another runs', async () => {
    const { agent } = stage();
    const first = agent.accept();
    const running = agent.runTurn(obedient, { ticket: first });
    const ticket = agent.accept();
    expect(await errorOf(agent.runTurn(() => 1, { ticket }))).toBeInstanceOf(TypeError);
    first.cancel();
    await running;
    expect((await agent.runTurn(() => 1, { ticket })).status).toBe('completed');
  });

  it('of another controller is refused, and so is what is none', async () => {
    const { agent } = stage();
    const other = stage().agent.accept();
    expect(await errorOf(agent.runTurn(() => 1, { ticket: other }))).toBeInstanceOf(TypeError);
    for (const ticket of [{ id: 1 }, 7, 'one'] as never[]) {
      expect(await errorOf(agent.runTurn(() => 1, { ticket }))).toBeInstanceOf(TypeError);
    }
    expect((await agent.runTurn(() => 1)).turnId).toBe(1);
  });
});

it('a prompt that was stopped before its agent stops its sub-agent for its own reason', async () => {
  const outside = new AbortController();
  const agent = new InterruptController({ name: 'root', token: outside.signal });
  const ticket = agent.accept();
  ticket.cancel('first');
  outside.abort('second');
  let below: Promise<TurnReport<unknown>> | undefined;
  agent.onEvent(({ type, agent: name }) => {
    if (type === 'turn-started' && name === 'root') below = agent.child('sub').runTurn(() => 'never');
  });
  await agent.runTurn(() => 'never', { ticket });
  expect(await below).toMatchObject({ status: 'cancelled', reason: { message: 'first' } });
});
