import { describe, expect, it } from 'vitest';

import {
  CancellationToken,
  CancellationTokenSource,
  CancelledError,
  type AgentSnapshot,
  type Turn,
  type TurnTicket,
} from '../../../../src/index.ts';
import { call, obedient, stage, type Stage } from '../kit.ts';

describe('a turn that was stopped before its start', () => {
  it('says its start, its stop and its end, in this order, and runs nothing', async () => {
    const source = new CancellationTokenSource();
    const { agent, said } = stage({ token: source.token });
    source.cancel('too early');
    let ran = false;
    expect(await agent.runTurn(() => (ran = true))).toMatchObject({ status: 'cancelled' });
    expect(ran).toBe(false);
    expect(said()).toEqual(['main:turn-accepted', 'main:turn-started', 'main:interrupt-requested', 'main:turn-ended']);
  });

  it('keeps the reason of its prompt, whatever a listener of the start does', async () => {
    const { agent, events } = stage();
    const ticket = agent.accept();
    ticket.cancel('first');
    agent.onEvent(({ type }) => {
      if (type === 'turn-started') agent.cancel('second');
    });
    expect(await agent.runTurn(obedient, { ticket })).toMatchObject({ reason: { message: 'first' } });
    const stops = events.flatMap((event) => (event.type === 'interrupt-requested' ? [event.reason.message] : []));
    expect(stops).toEqual(['first']);
  });
});

it('misuse of a turn is told as a rejection, and leaves the agent idle', async () => {
  const { agent } = stage();
  await expect(agent.runTurn(undefined as never)).rejects.toThrow(/body must be a function/);
  expect(agent.state).toBe('idle');
});

describe('an automatic turn', () => {
  const automatic = { isAutomatic: true } as const;

  it('is refused after a person\u2019s stop, in words and without an event, until they run a turn', async () => {
    const { agent, said } = stage();
    const turn = agent.runTurn(obedient);
    agent.cancel({ kind: 'user', by: 'ada' });
    await turn;
    const before = said().length;
    let ran = 0;
    for (const whenBusy of ['reject', 'queue', 'supersede'] as const) {
      const refused = agent.runTurn(() => ran++, { ...automatic, whenBusy });
      await expect(refused).rejects.toThrow(CancelledError);
      await expect(refused).rejects.toMatchObject({
        message: 'A person has stopped "main": an automatic turn waits until they have said something',
        reason: { kind: 'user', by: 'ada' },
      });
    }
    expect([ran, said().length]).toEqual([0, before]);
    await agent.runTurn(() => undefined);
    expect(await agent.runTurn(() => ++ran, automatic)).toMatchObject({ status: 'completed', value: 1 });
  });

  it('runs again once the person has sent a message', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(obedient);
    agent.cancel();
    await turn;
    await expect(agent.runTurn(() => 1, automatic)).rejects.toThrow(CancelledError);
    agent.interject('go on');
    expect(await agent.runTurn(() => 1, automatic)).toMatchObject({ status: 'completed' });
  });

  it('that waits in line is stopped with the rest, and one that a listener of the end starts is refused', async () => {
    const { agent } = stage();
    const seen: string[] = [];
    agent.onEvent(({ type }) => {
      if (type === 'turn-ended')
        agent.runTurn(() => seen.push('ran'), automatic).catch((error: unknown) => seen.push(String(error)));
    });
    const first = agent.runTurn(obedient);
    const waiting = agent.runTurn(() => seen.push('ran'), { ...automatic, whenBusy: 'queue' });
    agent.cancel();
    await first;
    expect((await waiting).status).toBe('cancelled');
    expect(seen).toHaveLength(2);
    expect(seen.every((line) => line.includes('A person has stopped'))).toBe(true);
  });

  it('does not wait after a stop that was nobody\u2019s wish, and is true or false', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(obedient);
    agent.cancel({ kind: 'deadline' });
    await turn;
    expect(await agent.runTurn(() => 1, automatic)).toMatchObject({ status: 'completed' });
    await expect(agent.runTurn(() => 1, { isAutomatic: 'yes' as never })).rejects.toThrow(TypeError);
  });

  it.each([
    ['cancel', ({ agent }: Stage) => agent.cancel()],
    ['cancelAll', ({ agent }: Stage) => agent.cancelAll()],
    ['kill', ({ agent }: Stage) => agent.kill()],
    ['the cancel of a prompt that has not begun', ({ agent }: Stage) => agent.accept().cancel({ kind: 'user' })],
  ])('is refused after %s of an agent that does nothing, until the person says something', async (_verb, stop) => {
    const staged = stage();
    stop(staged);
    await expect(staged.agent.runTurn(() => 1, automatic)).rejects.toThrow(/A person has stopped/);
    staged.agent.interject('go on');
    expect(await staged.agent.runTurn(() => 1, automatic)).toMatchObject({ status: 'completed' });
  });

  it('is not refused over one call that was stopped, nor over a late stop of a turn that has ended', async () => {
    const { agent } = stage();
    const ticket = agent.accept();
    await agent.runTurn(({ tool }) => tool(call('c1'), (_call, ctx) => (agent.cancelCall('c1'), obedient(ctx))), {
      ticket,
    });
    ticket.cancel({ kind: 'user' });
    expect(await agent.runTurn(() => 1, automatic)).toMatchObject({ status: 'completed' });
  });

  it('runs once the person has said something, also while what they stopped still unwinds', async () => {
    const { agent } = stage();
    const first = agent.runTurn(obedient);
    agent.cancel();
    const second = agent.runTurn(() => 2, { whenBusy: 'queue' });
    await Promise.all([first, second]);
    expect(await agent.runTurn(() => 1, automatic)).toMatchObject({ status: 'completed' });
  });

  it('waits for the person also where the stop came before a restart', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(obedient);
    agent.cancel();
    await turn;
    const next = stage().agent;
    next.restore(agent.snapshot());
    await expect(next.runTurn(() => 1, automatic)).rejects.toThrow(CancelledError);
  });

  it.each([
    ['cancelAll', ({ agent }: Stage) => agent.cancelAll(), 'refused'],
    ['cancel', ({ agent }: Stage) => agent.cancel(), 'runs'],
  ])(
    'of a detached sub-agent knows after a restart whether the stop was one of everything: %s',
    async (_how, stop, is) => {
      const before = stage();
      stop(before);
      const { agent } = stage();
      agent.restore(JSON.parse(JSON.stringify(before.agent.snapshot())) as AgentSnapshot);
      const run = agent.child('d', { detached: true }).runTurn(() => 'runs', automatic);
      expect(
        await run.then(
          (report) => report.unwrap(),
          () => 'refused',
        ),
      ).toBe(is);
    },
  );

  it.each([
    ['of the running prompt by its ticket', ({ ticket }: StopWays) => ticket.cancel()],
    ['by the token that the turn was given', ({ source }: StopWays) => source.cancel('user')],
    ['of the turn by its body', ({ turn }: StopWays) => turn.cancel('user')],
  ])('that waits in line is refused after a stop %s, with the one end of an accepted turn', async (_what, stop) => {
    const { agent, said } = stage();
    const ticket = agent.accept();
    const source = new CancellationTokenSource();
    const first = agent.runTurn(
      (turn) => {
        stop({ ticket, source, turn });
        return obedient(turn);
      },
      { ticket, token: source.token },
    );
    let ran = false;
    const waiting = agent.runTurn(() => (ran = true), { ...automatic, whenBusy: 'queue' });
    await expect(waiting).rejects.toMatchObject({
      reason: { kind: 'user', message: expect.stringContaining('A person has stopped "main"') as string },
    });
    expect(await first).toMatchObject({ status: 'cancelled' });
    expect(ran).toBe(false);
    expect(said().filter((line) => line === 'main:turn-accepted')).toHaveLength(2);
    expect(said().filter((line) => line === 'main:turn-ended')).toHaveLength(2);
    expect(said().filter((line) => line === 'main:turn-started')).toHaveLength(1);
  });

  it.each(['cancel', 'kill'] as const)(
    'that supersedes is refused after a %s by the token of the turn that it superseded',
    async (how) => {
      const { agent, clock } = stage();
      const source = new CancellationTokenSource();
      const first = agent.runTurn(
        ({ token }) =>
          new Promise((resolve) => token.onCancelled(() => clock.setTimer(resolve as () => void, 50, { ref: false }))),
        {
          token: source.token,
        },
      );
      const ran: string[] = [];
      const superseding = agent.runTurn(() => ran.push('automatic'), { ...automatic, whenBusy: 'supersede' });
      const refused = expect(superseding).rejects.toThrow(/A person has stopped "main"/);
      source[how]('user');
      await clock.advance(50);
      await refused;
      expect(await first).toMatchObject({ reason: { kind: 'superseded' } });
      expect(ran).toEqual([]);
    },
  );

  it('that waits in line behind a turn of the person runs, for they have spoken', async () => {
    const { agent } = stage();
    const first = agent.runTurn(obedient);
    agent.cancel();
    const asked = agent.runTurn(() => 2, { whenBusy: 'queue' });
    const waiting = agent.runTurn(() => 3, { ...automatic, whenBusy: 'queue' });
    expect(await Promise.all([first, asked, waiting])).toMatchObject([
      { status: 'cancelled' },
      { value: 2 },
      { value: 3 },
    ]);
  });

  it.each([
    [
      'the prompt that was stopped',
      (agent: Stage['agent']) => {
        const ticket = agent.accept();
        agent.cancel();
        return agent.runTurn(() => 1, { ticket });
      },
    ],
    [
      'a turn whose token was cancelled before',
      (agent: Stage['agent']) => {
        agent.cancel();
        return agent.runTurn(() => 1, { token: CancellationToken.alreadyCancelled('shutdown') });
      },
    ],
    [
      'a turn that was refused because another was running',
      async (agent: Stage['agent']) => {
        const first = agent.runTurn(obedient);
        agent.cancel();
        await expect(agent.runTurn(() => 1)).rejects.toMatchObject({ code: 'ERR_AGENT_BUSY' });
        return first;
      },
    ],
  ])('is still refused after %s, whose body never began', async (_what, ends) => {
    const { agent } = stage();
    expect(await ends(agent)).toMatchObject({ status: 'cancelled' });
    await expect(agent.runTurn(() => 1, automatic)).rejects.toThrow(/A person has stopped/);
  });

  it('of a sub-agent is refused after a stop of its parent, until the person has spoken to either', async () => {
    for (const spokenTo of ['parent', 'child'] as const) {
      const { agent: parent } = stage();
      const before = parent.child('before');
      parent.cancel();
      const child = parent.child('research').child('below');
      for (const each of [before, child]) {
        await expect(each.runTurn(() => 1, automatic)).rejects.toThrow(/A person has stopped/);
      }
      ({ parent, child })[spokenTo].interject('go on');
      expect(await child.runTurn(() => 1, automatic)).toMatchObject({ status: 'completed' });
    }
  });

  it('of a detached sub-agent, which a stop of its parent does not reach, runs', async () => {
    const { agent } = stage();
    agent.cancel();
    const child = agent.child('beside', { detached: true });
    expect(await child.runTurn(() => 1, automatic)).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['cancelAll', (agent: Stage['agent']) => agent.cancelAll()],
    ['kill of everything', (agent: Stage['agent']) => agent.kill(undefined, { all: true })],
  ])('of a detached sub-agent waits after %s, until the person has spoken to either', async (_verb, stopEverything) => {
    for (const spokenTo of ['parent', 'child'] as const) {
      const { agent: parent } = stage();
      const child = parent.child('research').child('beside', { detached: true });
      stopEverything(parent);
      parent.cancel();
      await expect(child.runTurn(() => 1, automatic)).rejects.toThrow(/A person has stopped/);
      ({ parent, child })[spokenTo].interject('go on');
      expect(await child.runTurn(() => 1, automatic)).toMatchObject({ status: 'completed' });
    }
  });

  it('of a detached sub-agent that a person has stopped waits, whatever they say to its parent', async () => {
    const { agent } = stage();
    const child = agent.child('beside', { detached: true });
    child.cancel('user');
    agent.interject('go on');
    await expect(child.runTurn(() => 1, automatic)).rejects.toThrow(/A person has stopped/);
  });

  it('that supersedes comes too late after a stop of the person, and stops nothing that waits in line', async () => {
    const { agent } = stage();
    const source = new CancellationTokenSource();
    const first = agent.runTurn(obedient, { token: source.token });
    const asked = agent.runTurn(() => 2, { whenBusy: 'queue' });
    source.cancel('user');
    await expect(agent.runTurn(() => 3, { ...automatic, whenBusy: 'supersede' })).rejects.toThrow(
      /A person has stopped/,
    );
    expect(await Promise.all([first, asked])).toMatchObject([{ reason: { kind: 'user' } }, { value: 2 }]);
  });

  it('that has superseded is refused where the person stops its turn, or what it superseded, before it begins', async () => {
    for (const stop of [({ ticket }: SupersedeWays) => ticket, ({ second }: SupersedeWays) => second]) {
      const { agent } = stage();
      const ticket = agent.accept();
      const second = agent.accept();
      const first = agent.runTurn(obedient, { ticket });
      let ran = false;
      const options = { ...automatic, whenBusy: 'supersede', ticket: second } as const;
      const late = agent.runTurn(() => (ran = true), options).catch((error: unknown) => error);
      stop({ ticket, second }).cancel({ kind: 'user' });
      expect(await first).toMatchObject({ reason: { kind: 'superseded' } });
      expect(await late).toMatchObject({ reason: { kind: 'user' } });
      expect(ran).toBe(false);
    }
  });

  it.each([
    // What ran in its stead has said something for the person, and it waits in line behind that.
    ['the running prompt', ({ ticket }: LineWays) => ticket.cancel({ kind: 'user' }), true],
    ['another prompt in line by its token', ({ source }: LineWays) => source.cancel('user'), true],
    ['its own prompt', ({ own }: LineWays) => own.cancel({ kind: 'user' }), false],
  ])('that supersedes drops nothing that waits in line, where a person stops %s', async (_what, stop, runs) => {
    const { agent } = stage();
    const [ticket, own] = [agent.accept(), agent.accept()];
    const source = new CancellationTokenSource();
    const first = agent.runTurn(obedient, { ticket });
    const asked = agent.runTurn(() => 2, { whenBusy: 'queue' });
    const other = agent.runTurn(() => 3, { whenBusy: 'queue', token: source.token });
    let ran = false;
    const options = { ...automatic, whenBusy: 'supersede', ticket: own } as const;
    const late = agent.runTurn(() => (ran = true), options).catch((error: unknown) => error);
    stop({ ticket, source, own });
    expect(await first).toMatchObject({ reason: { kind: 'superseded' } });
    expect((await asked).unwrap()).toBe(2);
    await Promise.all([other, late]);
    expect(ran).toBe(runs);
  });

  it('that supersedes takes the place of what waits in line when it is accepted, and says so once', async () => {
    const { agent, events } = stage();
    const before = [agent.runTurn(obedient), ...[1, 2].map(() => agent.runTurn(() => 'ran', { whenBusy: 'queue' }))];
    const automaticTurn = agent.runTurn(() => 'automatic', { ...automatic, whenBusy: 'supersede' });
    const behind = agent.runTurn(() => 'behind', { whenBusy: 'queue' });
    const superseded = { status: 'cancelled', reason: { kind: 'superseded' } };
    expect(await Promise.all(before)).toMatchObject([superseded, superseded, superseded]);
    expect([(await automaticTurn).unwrap(), (await behind).unwrap()]).toEqual(['automatic', 'behind']);
    expect(events.filter(({ type }) => type === 'interrupt-requested')).toHaveLength(1);
  });

  it('that took the place of a prompt is not refused any more', async () => {
    const { agent } = stage();
    const ticket = agent.accept();
    const first = agent.runTurn(obedient);
    const asked = agent.runTurn(() => 2, { whenBusy: 'queue' });
    const third = agent.runTurn(() => 3, { whenBusy: 'queue', ticket });
    const late = agent.runTurn(() => 'ran', { ...automatic, whenBusy: 'supersede' });
    agent.onEvent((event) => {
      if (event.type === 'turn-ended' && event.turnId === 3) ticket.cancel({ kind: 'user' });
    });
    await Promise.all([first, asked, third]);
    expect((await late).unwrap()).toBe('ran');
  });

  it('waits over a restart also where the model has been told of the stop', async () => {
    const { agent } = stage();
    agent.cancel();
    agent.consumeWasInterrupted();
    const next = stage().agent;
    next.restore(agent.snapshot());
    await expect(next.runTurn(() => 1, automatic)).rejects.toThrow(/A person has stopped/);
  });

  it('runs after a restart where the person had spoken before it', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(obedient);
    agent.cancel();
    await turn;
    agent.interject('go on');
    const next = stage().agent;
    next.restore(agent.snapshot());
    expect(next.wasInterrupted).toBe(true);
    expect(await next.runTurn(() => 1, automatic)).toMatchObject({ status: 'completed' });
  });
});

interface SupersedeWays {
  readonly ticket: TurnTicket;
  readonly second: TurnTicket;
}

interface LineWays {
  readonly ticket: TurnTicket;
  readonly own: TurnTicket;
  readonly source: CancellationTokenSource;
}

interface StopWays {
  readonly ticket: TurnTicket;
  readonly source: CancellationTokenSource;
  readonly turn: Turn;
}
