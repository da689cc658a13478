import { afterEach, describe, expect, it, vi } from 'vitest';

import { delay, type Interjection, type InterruptController } from '../../../../src/index.ts';
import { call, obedient, stage, tick } from '../kit.ts';

const texts = (list: readonly { readonly message: unknown }[]): unknown[] => list.map(({ message }) => message);

/** A turn that takes its messages, and says what it got. */
async function taken(agent: InterruptController): Promise<unknown[]> {
  return texts((await agent.runTurn(({ takeInterjections }) => takeInterjections())).unwrap());
}

describe('undelivered: return', () => {
  it('is the default: they are in the report, and gone', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(() => void agent.interject('a'));
    expect(texts(report.undelivered)).toEqual(['a']);
    expect(await taken(agent)).toEqual([]);
  });
});

describe('undelivered: drop', () => {
  it('they are nowhere, but the sender hears of it', async () => {
    const { agent } = stage({ undelivered: 'drop' });
    let sent: Promise<string> | undefined;
    const report = await agent.runTurn(() => {
      sent = agent.interject('a').settled;
    });
    expect([report.undelivered, await sent]).toEqual([[], 'undelivered']);
    expect(await taken(agent)).toEqual([]);
  });
});

describe('undelivered: keep', () => {
  it('the next turn gets them, in order, once', async () => {
    const { agent } = stage({ undelivered: 'keep' });
    const report = await agent.runTurn(() => {
      agent.interject('a');
      agent.interject('b', { delivery: 'now' });
      agent.interject('c', { delivery: 'after-current-tool' });
    });
    expect(report.undelivered).toEqual([]);
    expect(await taken(agent)).toEqual(['a', 'b', 'c']);
    expect(await taken(agent)).toEqual([]);
  });

  it('also those of a cancelled turn, before and after the cancel', async () => {
    const { agent } = stage({ undelivered: 'keep' });
    const turn = agent.runTurn(obedient);
    const before = agent.interject('before');
    agent.cancel();
    const after = agent.interject('after');
    expect([before.status, after.status]).toEqual(['queued', 'queued']);
    expect((await turn).undelivered).toEqual([]);
    expect(await taken(agent)).toEqual(['before', 'after']);
    expect([await before.settled, await after.settled]).toEqual(['delivered', 'delivered']);
  });

  it('over a turn that takes none', async () => {
    const { agent } = stage({ undelivered: 'keep' });
    await agent.runTurn(() => void agent.interject('a'));
    await agent.runTurn(() => void agent.interject('b'));
    expect(await taken(agent)).toEqual(['a', 'b']);
  });

  it('what was meant for after the turn is for the next one', async () => {
    const { agent } = stage({ undelivered: 'keep' });
    await agent.runTurn(() => void agent.interject('a', { delivery: 'after-turn' }));
    expect(await taken(agent)).toEqual(['a']);
    expect(await taken(agent)).toEqual([]);
  });

  it('what came while nothing ran is for the next one', async () => {
    const { agent } = stage({ undelivered: 'keep' });
    const message = agent.interject('a');
    expect(await taken(agent)).toEqual(['a']);
    expect(await message.settled).toBe('delivered');
  });

  it('ends with the agent: what is kept is settled as undelivered', async () => {
    const { agent } = stage({ undelivered: 'keep' });
    let sent: Promise<string> | undefined;
    await agent.runTurn(() => {
      sent = agent.interject('a').settled;
    });
    await agent.close();
    expect(await sent).toBe('undelivered');
  });
});

describe('a message with a delivery that is none', () => {
  it.each(['now', null, 7])('is refused at once, with what to write instead: %j', (given) => {
    const { agent } = stage();
    const send = (): unknown => agent.interject('x', given as never);
    expect(send).toThrow(TypeError);
    expect(send).toThrow("options must be an object such as { delivery: 'now' }");
    expect(agent.queued).toEqual([]);
  });
});

describe('events', () => {
  it('requested, queued, delivered: once each, in this order', async () => {
    const { agent, events, said } = stage();
    let message: unknown;
    await agent.runTurn(({ takeInterjections }) => {
      message = agent.interject('a');
      takeInterjections();
      takeInterjections();
    });
    expect(said().slice(2, -1)).toEqual([
      'main:interrupt-requested',
      'main:interjection-queued',
      'main:interjection-delivered',
    ]);
    expect(events[2]).toMatchObject({ kind: 'interjection', reason: { kind: 'interjection' } });
    expect(events[3]).toHaveProperty('interjection', message);
    expect(events[4]).toHaveProperty('interjection', message);
  });

  it('a refused message is never called queued or delivered', async () => {
    const { agent, said } = stage();
    const turn = agent.runTurn(obedient);
    agent.cancel();
    agent.interject('a', { delivery: 'now' });
    await turn;
    agent.interject('b');
    expect(said().filter((line) => line.includes('interjection-'))).toEqual([]);
  });

  it('several at once are delivered in their order', async () => {
    const { agent, events } = stage();
    await agent.runTurn(({ takeInterjections }) => {
      for (const text of ['a', 'b', 'c']) agent.interject(text);
      takeInterjections();
    });
    expect(
      events.flatMap((event) => (event.type === 'interjection-delivered' ? [event.interjection.message] : [])),
    ).toEqual(['a', 'b', 'c']);
  });
});

it('the policy is checked', () => {
  for (const undelivered of ['lose', '', null, 1]) {
    expect(() => stage({ undelivered: undelivered as never })).toThrow(TypeError);
  }
});

it('a message that a sub-agent in the background does not deliver, when the turn it came from is over, is in its report', async () => {
  const { agent, clock } = stage();
  let below: Promise<{ readonly undelivered: readonly { readonly message: unknown }[] }> | undefined;
  const turn = agent.runTurn(({ tool }) =>
    tool(
      call('c1'),
      async (_call, { subagent }) => (below = subagent('child').runTurn(({ token }) => delay(token, 500))),
      {
        canDetach: true,
      },
    ),
  );
  await tick();
  const message = agent.interject('and the tests');
  expect(agent.sendToBackground('c1')).toBe(true);
  expect((await turn).undelivered).toEqual([]);
  await clock.advance(500);
  expect([texts((await below)?.undelivered ?? []), message.status]).toEqual([['and the tests'], 'undelivered']);
});

describe('many messages', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** How many elements lists had that were searched, while something was done. */
  function searched(act: () => void): number {
    let elements = 0;
    for (const name of ['indexOf', 'includes', 'filter', 'some', 'find', 'sort', 'splice'] as const) {
      const original = Array.prototype[name] as (...args: unknown[]) => unknown;
      vi.spyOn(Array.prototype, name as 'indexOf').mockImplementation(function (this: unknown[], ...args: unknown[]) {
        elements += this.length;
        return original.apply(this, args) as number;
      });
    }
    act();
    vi.restoreAllMocks();
    return elements;
  }

  const sent = (agent: InterruptController, count: number): Interjection[] =>
    Array.from({ length: count }, (_, n) =>
      agent.interject(String(n), { delivery: n % 2 === 0 ? 'after-turn' : 'now' }),
    );

  it.each([
    ['wait', 'running'],
    ['were given back by a stop', 'stopped'],
    ['are kept for the next turn', 'idle'],
  ])('many messages that %s are withdrawn one by one without a search', async (_what, state) => {
    const { agent } = stage({ undelivered: 'keep' });
    const turn = state === 'idle' ? undefined : agent.runTurn(obedient);
    const messages = sent(agent, 200).reverse();
    if (state === 'stopped') agent.cancel();
    expect(searched(() => messages.forEach((message) => message.withdraw()))).toBeLessThan(2_000);
    expect(new Set(messages.map(({ status }) => status))).toEqual(new Set(['withdrawn']));
    agent.cancel();
    await turn;
    expect(agent.queued).toEqual([]);
  });

  it('many messages that are for later are not searched by a turn that asks for news', async () => {
    const { agent } = stage();
    const report = await agent.runTurn((turn) => {
      for (let n = 0; n < 200; n++) agent.interject(String(n), { delivery: 'after-turn' });
      return searched(() => {
        for (let n = 0; n < 200; n++) if (turn.hasInterjections) throw new Error('there are none');
      });
    });
    expect([report.unwrap(), report.undelivered.length]).toEqual([0, 200]);
  });
});
