/**
 * What a message may do to a turn, and what may become of it: the loop never hangs on it, and it is never lost.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';

import {
  delay,
  type Delivery,
  type Interjection,
  type InterruptController,
  type ModelContext,
} from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, obedient, stage, tick } from '../kit.ts';

const deliveries: readonly Delivery[] = ['now', 'after-current-tool', 'next-model-call', 'after-turn'];

describe('S39 a message cannot hang the loop', () => {
  it('S39 that never takes it: ESC is heard, and the message comes back undelivered', async () => {
    const { agent, clock } = stage();
    let calls = 0;
    const turn = agent.runTurn(async ({ model }) => {
      for (;;) {
        calls += 1;
        const reply = await model(({ token }) => delay(token, 20));
        if (reply.status === 'completed') return 'went on';
      }
    });
    await clock.advance(5);
    const message = agent.interject('use pnpm', { delivery: 'now' });
    await clock.advance(10);
    expect([calls, message.status]).toEqual([2, 'queued']);
    agent.cancel();
    await clock.advance(0);
    expect(await turn).toMatchObject({ status: 'cancelled', undelivered: [{ message: 'use pnpm' }] });
  });

  it('S39 that never takes it, and is not stopped either, goes on: the message cuts once', async () => {
    const { agent, clock } = stage();
    const seen: string[] = [];
    const turn = agent.runTurn(async ({ model }) => {
      for (let round = 0; round < 3; round += 1) seen.push((await model(({ token }) => delay(token, 20))).status);
    });
    await clock.advance(5);
    agent.interject('use pnpm', { delivery: 'now' });
    await clock.advance(100);
    expect([(await turn).status, seen]).toEqual(['completed', ['interjected', 'completed', 'completed']]);
  });
});

describe('S39 a message is never lost', () => {
  it('S39 that was read before a 429 is in the next request, and delivered once', async () => {
    const { agent, said } = stage();
    const requests: unknown[] = [];
    const report = await agent.runTurn(async ({ model }) => {
      agent.interject('use pnpm');
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await model(({ readInterjections }) => {
            requests.push(readInterjections().map(({ message }) => message));
            if (attempt === 0) throw new Error('429');
            return 'reply';
          });
        } catch (error) {
          if ((error as Error).message !== '429') throw error;
        }
      }
    });
    expect(requests).toEqual([['use pnpm'], ['use pnpm']]);
    expect(report.unwrap()).toMatchObject({ value: 'reply', delivered: [{ message: 'use pnpm' }] });
    expect(said().filter((each) => each.endsWith('interjection-delivered'))).toHaveLength(1);
  });

  it.each<[string, (context: ModelContext<string>) => unknown]>([
    ['a copy', (context) => ({ ...context }).signal.aborted],
    ['the rest', ({ partial: _partial, ...rest }) => rest.signal.aborted],
    ['each member', (context) => Object.values(context).length],
    ['the function, uncalled', ({ readInterjections }) => typeof readInterjections],
  ])('S39 that nobody looked at is given back, also where the call took %s of its context', async (_what, take) => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ model }) => {
      agent.interject('use pnpm');
      return model(take);
    });
    expect(report.unwrap().delivered).toEqual([]);
    expect(report.undelivered).toMatchObject([{ message: 'use pnpm', status: 'undelivered' }]);
  });

  it('S39 that comes during an attempt is in the next one, after what that had read', async () => {
    const { agent, clock } = stage({ graceMs: 10 });
    const requests: unknown[] = [];
    const turn = agent.runTurn(({ model }) => {
      agent.interject('first');
      return model(
        async (ctx) => {
          requests.push(ctx.readInterjections().map(({ message }) => message));
          expect(ctx.readInterjections()).toBe(ctx.readInterjections());
          if (ctx.continuation === undefined) await obedient(ctx);
          return 'reply';
        },
        { idleMs: 100, recover: { attempts: 1 } },
      );
    });
    await clock.advance(50);
    agent.interject('second');
    await clock.advance(50);
    const report = await turn;
    expect(requests).toEqual([['first'], ['first', 'second']]);
    expect(report.unwrap().delivered).toMatchObject([{ message: 'first' }, { message: 'second' }]);
  });

  it('S39 is not taken by an attempt that is over', async () => {
    const { agent, clock } = stage({ graceMs: 10 });
    const contexts: ModelContext<string>[] = [];
    const turn = agent.runTurn(async ({ model }) => {
      await model(
        (ctx) => {
          contexts.push(ctx);
          return ctx.continuation === undefined ? deaf() : 'reply';
        },
        { idleMs: 100, recover: { attempts: 1 } },
      );
      agent.interject('use pnpm');
      const late = contexts.map(({ readInterjections }) => readInterjections().length);
      return [late, await model(({ readInterjections }) => readInterjections().length)];
    });
    await clock.advance(110);
    expect((await turn).unwrap()).toMatchObject([[0, 0], { value: 1 }]);
  });

  it('S39 that was read before a recovery is in the next attempt: each attempt has the same list', async () => {
    const { agent, clock } = stage({ graceMs: 10 });
    const requests: (readonly Interjection[])[] = [];
    const turn = agent.runTurn(({ model }) => {
      agent.interject('use pnpm');
      return model(
        async (ctx) => {
          requests.push([...ctx.readInterjections()]);
          if (ctx.continuation === undefined) await obedient(ctx);
          return 'reply';
        },
        { idleMs: 100, recover: { attempts: 1 } },
      );
    });
    await clock.advance(100);
    const report = await turn;
    expect(requests).toHaveLength(2);
    expect(requests[1]).toEqual(requests[0]);
    expect(report.unwrap()).toMatchObject({
      value: 'reply',
      delivered: [{ message: 'use pnpm', status: 'delivered' }],
    });
  });

  /** Where the message is found; the stop comes some ticks after the answer, or after the message that cuts the pause before the next attempt. */
  async function stopAfter(ticks: number, undelivered: 'return' | 'keep', isCut: boolean): Promise<readonly string[]> {
    const { agent, clock } = stage({ undelivered });
    const reply = deferred<string>();
    const places: string[] = [];
    const options = isCut ? { timeoutMs: 50, recover: { attempts: 1, backoffMs: 50 } } : {};
    const turn = agent.runTurn(async ({ model }) => {
      const sent = agent.interject('use npm');
      const found = await model(async ({ readInterjections, token }) => {
        expect(readInterjections()).toContain(sent);
        if (isCut) await delay(token, 60_000);
        return await reply.promise;
      }, options);
      if (found.delivered.includes(sent)) places.push('a reply');
      return sent;
    });
    await clock.advance(isCut ? 60 : 0);
    const [sent] = agent.queued;
    if (isCut) agent.interject('quick', { delivery: 'now' });
    else reply.resolve('reply');
    for (let n = 0; n < ticks; n += 1) await Promise.resolve();
    agent.cancel();
    const report = await turn;
    if (report.undelivered.some((each) => each === sent)) places.push('the report');
    await agent.runTurn(({ model }) =>
      model(({ readInterjections }) => {
        if (readInterjections().some((each) => each === sent)) places.push('a later turn');
      }),
    );
    return places;
  }

  it.each(
    (['return', 'keep'] as const).flatMap((undelivered) => [true, false].map((isCut) => ({ undelivered, isCut }))),
  )('S39 is in one place, in whichever tick after the answer a stop comes: $undelivered, cut $isCut', async (way) => {
    const found = new Set<string>();
    for (let ticks = 0; ticks < 24; ticks += 1) {
      const places = await stopAfter(ticks, way.undelivered, way.isCut);
      expect(places, `${String(ticks)} ticks`).toHaveLength(1);
      for (const place of places) found.add(place);
    }
    expect([...found].sort()).toEqual(['a reply', way.undelivered === 'keep' ? 'a later turn' : 'the report'].sort());
  });

  it('S39 that a listener sends when the turn starts is delivered in it', async () => {
    const { agent } = stage();
    let message: Interjection<string> | undefined;
    let state = '';
    agent.onEvent(({ type }) => {
      if (type !== 'turn-started') return;
      ({ state } = agent);
      message = agent.interject('typed ahead');
    });
    const report = await agent.runTurn(({ model }) => model(({ readInterjections }) => readInterjections().length));
    expect([state, message?.status]).toEqual(['running', 'delivered']);
    expect(report.unwrap()).toMatchObject({ value: 1 });
  });

  it('S39 that came after the last model call is in the report', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ model }) => {
      await model(({ readInterjections }) => readInterjections().length);
      agent.interject('late');
    });
    expect(report.undelivered).toMatchObject([{ message: 'late', status: 'undelivered' }]);
  });

  it('S39 for after the turn leads to no further request in it', async () => {
    const { agent } = stage({ undelivered: 'keep' });
    let requests = 0;
    const loop = (): ReturnType<typeof agent.runTurn<number>> =>
      agent.runTurn(async (turn) => {
        for (;;) {
          const reply = await turn.model(({ readInterjections }) => {
            if ((requests += 1) === 1) agent.interject('and then the docs', { delivery: 'after-turn' });
            return readInterjections().length;
          });
          if (requests > 5 || (!turn.hasInterjections && reply.status === 'completed')) return requests;
        }
      });
    expect((await loop()).unwrap()).toBe(1);
    expect((await loop()).unwrap()).toBe(2);
  });
});

describe('turn.hasInterjections', () => {
  it('says whether something waits for the next model call of this turn', async () => {
    const { agent } = stage();
    const seen: boolean[] = [];
    await agent.runTurn(async (turn) => {
      const look = (): void => void seen.push(turn.hasInterjections);
      look();
      agent.interject('later', { delivery: 'after-turn' });
      look();
      agent.interject('one');
      look();
      await turn.model((ctx) => {
        look();
        expect(ctx.readInterjections()).toHaveLength(1);
        look();
      });
      look();
      agent.interject('two', { delivery: 'now' });
      look();
      turn.takeInterjections();
      look();
      agent.interject('three');
      agent.cancel();
      look();
    });
    expect(seen).toEqual([false, false, true, true, false, false, true, false, false]);
  });

  it('is false, and nothing is given out, from the abort of an outside signal on, also before the agent has heard of it', async () => {
    const controller = new AbortController();
    const seen: unknown[] = [];
    let look = (): void => undefined;
    controller.signal.addEventListener('abort', () => {
      look();
    });
    const { agent } = stage({ token: controller.signal });
    const report = await agent.runTurn(async (turn) => {
      agent.interject('one');
      await turn.model((context) => {
        look = () => void seen.push(turn.hasInterjections, turn.takeInterjections(), context.readInterjections());
        controller.abort();
      });
    });
    expect(seen).toEqual([false, [], []]);
    expect(report.undelivered.map(({ message }) => message)).toEqual(['one']);
  });
});

describe('agent.queued', () => {
  it('is what was sent and is neither delivered nor given back, in order', async () => {
    const { agent } = stage();
    const texts = (): string[] => agent.queued.map(({ message }) => message);
    await agent.runTurn(async ({ model }) => {
      for (const delivery of deliveries) agent.interject(delivery, { delivery });
      expect(texts()).toEqual(deliveries);
      await model(({ readInterjections }) => {
        expect(readInterjections()).toHaveLength(3);
        // Read is not delivered: it may still fail.
        expect(texts()).toEqual(deliveries);
      });
      expect(texts()).toEqual(['after-turn']);
    });
    expect(texts()).toEqual([]);
  });

  it('keeps what waits for the next turn', async () => {
    const { agent } = stage({ undelivered: 'keep' });
    const message = agent.interject('before any turn');
    expect([agent.queued, message.status]).toEqual([[message], 'queued']);
    await agent.runTurn(({ model }) => model(({ readInterjections }) => readInterjections().length));
    expect([agent.queued, message.status]).toEqual([[], 'delivered']);
  });

  it('settles what was kept when the agent is closed', async () => {
    const { agent } = stage({ undelivered: 'keep' });
    const message = agent.interject('before any turn');
    await agent.close();
    expect([await message.settled, agent.queued]).toEqual(['undelivered', []]);
  });
});

describe('withdraw', () => {
  it.each(deliveries)('takes a message back that no call has: %s', async (delivery) => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const message = agent.interject('never mind', { delivery });
      const { withdraw } = message;
      expect([withdraw(), withdraw(), message.status]).toEqual([true, false, 'withdrawn']);
      expect([agent.interrupted, agent.state, turn.hasInterjections, agent.queued]).toEqual([
        false,
        'running',
        false,
        [],
      ]);
      expect(await message.settled).toBe('withdrawn');
      return turn.model(({ readInterjections }) => readInterjections().length);
    });
    expect(report.unwrap()).toMatchObject({ value: 0, delivered: [] });
    expect(report.undelivered).toEqual([]);
  });

  it('S39 after a cut leaves the cut a cut: the text is no answer', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ model }) =>
      model(async (ctx) => {
        ctx.partial('half');
        await obedient(ctx);
        return 'whole';
      }),
    );
    await tick();
    const message = agent.interject('x', { delivery: 'now' });
    expect(message.withdraw()).toBe(true);
    const report = await turn;
    expect(report.unwrap()).toMatchObject({ status: 'interjected', partial: 'half' });
    expect(report.undelivered).toEqual([]);
  });

  it('lets the rest of a batch run, if that is all it held back', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ tools }) => {
      const outcomes = await tools(
        [call('a'), call('b')],
        ({ id }) => {
          if (id === 'a') agent.interject('x', { delivery: 'after-current-tool' }).withdraw();
        },
        { mode: 'sequential' },
      );
      return outcomes.map(({ status }) => status);
    });
    expect(report.unwrap()).toEqual(['completed', 'completed']);
  });

  it('comes too late once a call has read it, and in time again when that call failed', async () => {
    const { agent } = stage();
    const seen: unknown[] = [];
    await agent.runTurn(async ({ model }) => {
      const message = agent.interject('x');
      await model(({ readInterjections }) => {
        seen.push(readInterjections().length, message.withdraw());
        throw new Error('429');
      }).catch(() => undefined);
      seen.push(message.withdraw(), message.status);
    });
    expect(seen).toEqual([1, false, true, 'withdrawn']);
  });

  it('does nothing to one that was delivered or given back', async () => {
    const { agent } = stage();
    const messages: Interjection<string>[] = [];
    await agent.runTurn(({ takeInterjections }) => {
      messages.push(agent.interject('delivered'));
      takeInterjections();
      messages.push(agent.interject('left over'));
    });
    messages.push(agent.interject('idle'));
    expect(messages.map(({ withdraw }) => withdraw())).toEqual([false, false, false]);
    expect(messages.map(({ status }) => status)).toEqual(['delivered', 'undelivered', 'undelivered']);
  });

  it('takes back what was kept for the next turn', async () => {
    const { agent } = stage({ undelivered: 'keep' });
    const message = agent.interject('x');
    expect(message.withdraw()).toBe(true);
    expect(
      (await agent.runTurn(({ model }) => model(({ readInterjections }) => readInterjections().length))).unwrap(),
    ).toMatchObject({ value: 0 });
  });

  it('reaches a message that a sub-agent has', async () => {
    const { agent } = stage();
    const gate = deferred();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, { subagent }) => {
        const report = await subagent('sub').runTurn(async ({ model }) => {
          await gate.promise;
          return model(({ readInterjections }) => readInterjections().length);
        });
        return report.unwrap();
      }),
    );
    await tick();
    const message = agent.interject('x');
    expect(message.withdraw()).toBe(true);
    gate.resolve();
    expect((await turn).calls).toMatchObject([{ value: { value: 0 } }]);
    expect(message.status).toBe('withdrawn');
  });
});

describe('a message is no stop', () => {
  it('of a sub-agent, although it stops that (onParentInterject: stop): wasInterrupted stays unset', async () => {
    const { agent } = stage();
    let kid: InterruptController | undefined;
    const turn = agent.runTurn(({ tool }) =>
      tool(call('d'), async (_call, { subagent }) => {
        kid = subagent('kid', { onParentInterject: 'stop' });
        return (await kid.runTurn(obedient)).status;
      }),
    );
    await tick();
    agent.interject('hey');
    await turn;
    expect([kid?.wasInterrupted, agent.wasInterrupted]).toEqual([false, false]);
  });

  it('flips no sub-agent’s turn that has finished, when it falls back', async () => {
    const { agent } = stage();
    let kid: InterruptController | undefined;
    const statuses: unknown[] = [];
    await agent.runTurn(({ tool }) =>
      tool(
        call('d'),
        async (_call, { subagent }) => {
          kid = subagent('kid');
          const report = await kid.runTurn(() => {
            agent.interject('hey', { delivery: 'now' });
            return 'finished';
          });
          statuses.push(report.status, report.stop, kid.wasInterrupted);
        },
        { onInterject: 'cancel' },
      ),
    );
    expect(statuses).toEqual(['completed', undefined, false]);
  });
});

describe('a tool hears of a message', () => {
  it.each(deliveries)('by ctx.interjected, for any delivery but after-turn: %s', async (delivery) => {
    const { agent } = stage();
    const seen: boolean[] = [];
    await agent.runTurn(({ tool }) =>
      tool(call('waits'), (_call, { interjected, token }) => {
        seen.push(interjected.aborted);
        agent.interject('x', { delivery });
        seen.push(interjected.aborted, token.isCancelled);
      }),
    );
    expect(seen).toEqual([false, delivery !== 'after-turn', false]);
  });

  it('by a signal that is aborted already if a message waited before it looked', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool }) => {
      agent.interject('x');
      return tool(call('waits'), (_call, { interjected }) => interjected.aborted);
    });
    expect(report.calls).toMatchObject([{ value: true }]);
  });

  it('by the same signal each time, which the stop of the call aborts as well', async () => {
    const { agent } = stage();
    const seen: unknown[] = [];
    const turn = agent.runTurn(({ tool }) =>
      tool(call('waits'), async (_call, ctx) => {
        seen.push(ctx.interjected === ctx.interjected);
        await obedient(ctx).catch(() => undefined);
        seen.push(ctx.interjected.aborted);
      }),
    );
    await tick();
    agent.cancel();
    await turn;
    expect(seen).toEqual([true, true]);
  });

  it('by the end of its wait, with onInterject yield; the work goes on', async () => {
    const { agent } = stage();
    const work = deferred<string>();
    const turn = agent.runTurn(async ({ tool, takeInterjections }) => {
      const outcome = await tool(call('waits'), async (_call, { wait }) => (await wait(work.promise)).status, {
        onInterject: 'yield',
      });
      return [outcome, takeInterjections().length];
    });
    await tick();
    agent.interject('x', { delivery: 'next-model-call' });
    expect((await turn).unwrap()).toMatchObject([{ status: 'completed', value: 'interjected' }, 1]);
    work.resolve('unread');
  });
});

describe('a controller of typed messages', () => {
  it('takes any value, and gives back the same', async () => {
    const { agent } = stage();
    const typed = agent as unknown as InterruptController<{ readonly text: string }>;
    const message = { text: 'use pnpm' };
    const report = await typed.runTurn(({ model }) => {
      typed.interject(message);
      return model(({ readInterjections }) => readInterjections().map((each) => each.message));
    });
    expect(report.unwrap()).toMatchObject({ status: 'completed', value: [message] });
  });

  it('refuses options that are only a word', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(deaf);
    expect(() => agent.interject('x', 'now' as never)).toThrow('options must be an object');
    agent.kill();
    await clock.advance(0);
    expect([agent.queued, (await turn).status]).toEqual([[], 'cancelled']);
  });
});

describe('the place of a message among the replies', () => {
  it('S39 is told by the number of the model call that was shown it', async () => {
    const { agent, events } = stage();
    await agent.runTurn(async ({ id, model, takeInterjections }) => {
      const numbers: number[] = [];
      const ask = (): Promise<unknown> =>
        model(({ modelCall, readInterjections }) => {
          numbers.push(modelCall);
          return [...readInterjections()].length;
        });
      await ask();
      agent.interject('one');
      await ask();
      agent.interject('two');
      takeInterjections();
      await ask();
      expect([id, numbers]).toEqual([1, [1, 2, 3]]);
    });
    const told = events.flatMap((event) =>
      event.type === 'interjection-delivered' ? [[event.interjection.message, event.turnId, event.modelCall]] : [],
    );
    expect(told).toEqual([
      ['one', 1, 2],
      ['two', 1, 3],
    ]);
  });
});

describe('a model call that is not of the conversation', () => {
  it('S46 reads no message, is cut by none, and leaves no words', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(async ({ model }) => {
      const aside = await model(
        async ({ modelCall, readInterjections, partial, token }) => {
          partial('half a summary');
          agent.interject('use pnpm', { delivery: 'now' });
          await delay(token, 20);
          return [modelCall, readInterjections().length];
        },
        { name: 'compaction', aside: true },
      );
      const reply = await model(({ modelCall, readInterjections }) => [modelCall, readInterjections().length]);
      return [aside, reply];
    });
    await clock.advance(20);
    expect((await turn).unwrap()).toMatchObject([
      { status: 'completed', value: [0, 0], delivered: [] },
      { status: 'completed', value: [1, 1], delivered: [{ message: 'use pnpm' }] },
    ]);
  });

  it('S46 is stopped with its turn and stands in the report, and what it had said is no reply', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ model }) =>
      model(
        ({ token, partial }) => {
          partial('half a summary');
          return delay(token, 1000);
        },
        { name: 'compaction', aside: true },
      ),
    );
    await clock.advance(5);
    agent.cancel();
    await clock.advance(0);
    const report = await turn;
    expect(report.partials).toEqual([]);
    expect(report.stop?.operations).toMatchObject([{ kind: 'model', name: 'compaction', outcome: 'cancelled' }]);
  });
});
