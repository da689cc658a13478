import { describe, expect, it } from 'vitest';

import { CancelledError, type Turn } from '../../../../src/index.ts';
import { call, errorOf, obedient, stage, tick, withReported } from '../kit.ts';

describe('a turn', () => {
  it('can be taken apart', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const { id, token, signal, model, tool, tools, track, takeInterjections, checkpoint } = turn;
      checkpoint();
      return [
        id,
        token.signal === signal,
        (await model(() => 'reply')).status,
        (await tool(call('a'), () => 1)).status,
        (await tools([call('b')], () => 1)).map(({ status }) => status),
        await track({ kind: 'process', name: 'p' }, Promise.resolve('tracked')),
        takeInterjections(),
      ];
    });
    expect(report.unwrap()).toEqual([1, true, 'completed', 'completed', ['completed'], 'tracked', []]);
  });

  it('has the same signal every time, a real one', async () => {
    const { agent } = stage();
    await agent.runTurn((turn) => {
      expect(turn.signal).toBeInstanceOf(AbortSignal);
      expect(turn.signal).toBe(turn.signal);
      expect(turn.signal).toBe(turn.token.signal);
    });
  });

  it('carries a CancelledError as the reason of its signal', async () => {
    const { agent } = stage();
    let reason: unknown;
    const turn = agent.runTurn(async ({ token, signal }) => {
      await obedient({ token }).catch(() => undefined);
      reason = signal.reason;
    });
    agent.cancel({ message: 'enough' });
    await turn;
    expect(reason).toBeInstanceOf(CancelledError);
    expect(reason).toMatchObject({ name: 'AbortError', reason: { kind: 'user', message: 'enough' } });
  });
});

describe('checkpoint', () => {
  it('throws once the turn is cancelled: for hooks that go on by themselves', async () => {
    const { agent } = stage();
    let hooks = 0;
    const turn = agent.runTurn(async ({ checkpoint }) => {
      for (;;) {
        checkpoint();
        hooks += 1;
        if (hooks === 2) agent.cancel();
        await tick();
      }
    });
    expect((await turn).status).toBe('cancelled');
    expect(hooks).toBe(2);
  });

  it('is not moved by a message', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ checkpoint }) => {
      agent.interject('x', { delivery: 'now' });
      checkpoint();
    });
    expect(report.status).toBe('completed');
  });
});

describe('takeInterjections', () => {
  it('gives each message once, in the order in which they came', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ takeInterjections }) => {
      for (const message of ['a', 'b', 'c']) agent.interject(message);
      return [takeInterjections().map(({ message }) => message), takeInterjections()];
    });
    expect(report.unwrap()).toEqual([['a', 'b', 'c'], []]);
    expect(report.undelivered).toEqual([]);
  });

  it('gives none once the turn is cancelled: they come back', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ takeInterjections }) => {
      agent.interject('a');
      agent.cancel();
      return takeInterjections();
    });
    expect(report).toMatchObject({ status: 'cancelled', completed: { value: [] }, undelivered: [{ message: 'a' }] });
  });
});

describe('the handle of a turn that has ended', () => {
  const uses: readonly (readonly [string, (turn: Turn, ran: () => void) => Promise<unknown>])[] = [
    ['model', (turn, ran) => turn.model(ran)],
    ['tool', (turn, ran) => turn.tool(call('a'), ran)],
    ['tools', (turn, ran) => turn.tools([call('a')], ran)],
  ];

  it.each(uses)('starts nothing any more: %s', async (_name, use) => {
    for (const end of ['completed', 'cancelled', 'failed', 'closed']) {
      const { agent } = stage();
      let stale: Turn | undefined;
      await agent.runTurn((turn) => {
        stale = turn;
        if (end === 'cancelled') agent.cancel();
        if (end === 'failed') throw new Error('x');
      });
      if (end === 'closed') await agent.close();
      let ran = 0;
      const { errors } = await withReported(async () => {
        use(stale as Turn, () => void (ran += 1)).catch(() => undefined);
        await tick();
      });
      expect(ran, end).toBe(0);
      // After a cancel there is nothing to teach: the reason says why.
      expect(errors.length, end).toBe(end === 'cancelled' ? 0 : 1);
    }
  });

  it('takes no message of the next turn', async () => {
    const { agent } = stage();
    let stale: Turn | undefined;
    await agent.runTurn((turn) => void (stale = turn));
    const report = await agent.runTurn((turn) => {
      agent.interject('for the second');
      return [stale?.takeInterjections(), turn.takeInterjections().map(({ message }) => message)];
    });
    expect(report.unwrap()).toEqual([[], ['for the second']]);
  });

  it('leaves the report as it is', async () => {
    const { agent } = stage();
    let stale: Turn | undefined;
    const report = await agent.runTurn(async (turn) => {
      stale = turn;
      await turn.tool(call('a'), () => 1);
    });
    await withReported(async () => stale?.tool(call('b'), () => 2).catch(() => undefined));
    expect(report.calls.map(({ id }) => id)).toEqual(['a']);
  });
});

it('body and turn are checked', async () => {
  const { agent, events } = stage();
  for (const body of [undefined, null, 'body', {}]) {
    expect(await errorOf(agent.runTurn(body as never))).toBeInstanceOf(TypeError);
  }
  expect(events).toEqual([]);
});
