import { describe, expect, it } from 'vitest';

import { CancelledError, DeadlineExceededError, delay, type ModelContext, type Turn } from '../../../../src/index.ts';
import { deferred, type Deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, errorOf, obedient, stage, tick } from '../kit.ts';

/** Reads a reply word by word, and fails as told when it is cut. */
async function reading({ token, partial }: ModelContext): Promise<string> {
  partial('one');
  partial('one two');
  await obedient({ token });
  return 'one two three';
}

/** An SDK whose loop simply ends when its connection is cut. */
function ending(context: ModelContext): Promise<string> {
  return reading(context).catch(() => 'half of it');
}

describe('a model call', () => {
  it('gives what the call returned', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ model }) => [await model(() => 1), await model(async () => 'two')]);
    expect(report.unwrap()).toEqual([
      { status: 'completed', value: 1, delivered: [] },
      { status: 'completed', value: 'two', delivered: [] },
    ]);
    expect(report.partials).toEqual([]);
  });

  it('fails with what the call threw', async () => {
    const { agent } = stage();
    const error = new Error('overloaded');
    const report = await agent.runTurn(({ model }) => model(() => Promise.reject(error)));
    expect(report).toMatchObject({ status: 'failed', error });
    const again = await agent.runTurn(({ model }) =>
      model(() => {
        throw error;
      }),
    );
    expect(again).toMatchObject({ status: 'failed', error });
  });

  it('has a fresh token each time, below the turn', async () => {
    const { agent } = stage();
    const tokens: unknown[] = [];
    await agent.runTurn(async ({ model, token }) => {
      tokens.push(token);
      for (let i = 0; i < 2; i += 1) await model((ctx) => void tokens.push(ctx.token));
    });
    expect(new Set(tokens).size).toBe(3);
  });

  it('has a context that can be taken apart', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ model }) =>
      model(async ({ token, signal, graceToken, checkpoint, progress, commit, partial }) => {
        checkpoint();
        progress();
        partial('x');
        return [token.signal === signal, graceToken.isCancelled, await commit(() => 'kept')];
      }),
    );
    expect(report.unwrap()).toEqual({ status: 'completed', value: [true, false, 'kept'], delivered: [] });
  });
});

describe('cancelled', () => {
  it('it throws, and its partial output is kept', async () => {
    const { agent } = stage();
    let error: unknown;
    const turn = agent.runTurn(async ({ model }) => {
      await model(() => 'first');
      error = await errorOf(model(reading));
      throw error;
    });
    await tick();
    agent.cancel('enough');
    const report = await turn;
    expect(error).toBeInstanceOf(CancelledError);
    expect((error as CancelledError).reason).toBe(report.status === 'cancelled' && report.reason);
    expect(report.partials).toEqual([{ modelCall: 2, value: 'one two', reason: expect.anything() }]);
    expect(report.partials[0]?.reason.message).toBe('enough');
  });

  it('an SDK loop that simply ends was cut all the same', async () => {
    const { agent } = stage();
    let error: unknown;
    const turn = agent.runTurn(async ({ model }) => {
      error = await errorOf(model(ending));
    });
    await tick();
    agent.cancel();
    const report = await turn;
    expect(error).toBeInstanceOf(CancelledError);
    expect(report.partials).toMatchObject([{ modelCall: 1, value: 'one two' }]);
  });

  it('an SDK loop that ends without a value has produced nothing', async () => {
    const { agent } = stage();
    const report = await agent.runTurn((turn) =>
      turn.model(async ({ token }) => {
        agent.cancel('user');
        await token.whenCancelled();
      }),
    );
    expect(report).toMatchObject({ status: 'cancelled', partials: [] });
  });

  it('its value is the partial output if it gave none', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ model }) => model(({ token }) => obedient({ token }).catch(() => 'half of it')));
    await tick();
    agent.cancel();
    expect((await turn).partials).toMatchObject([{ modelCall: 1, value: 'half of it' }]);
  });

  it('does not start', async () => {
    const { agent } = stage();
    let ran = 0;
    const report = await agent.runTurn(async ({ model, tools }) => {
      await tools([call('a')], () => void agent.cancel());
      await model(() => (ran += 1));
    });
    expect([report.status, ran]).toEqual(['cancelled', 0]);
    expect(report.stop?.operations).toContainEqual(expect.objectContaining({ kind: 'model', outcome: 'not-started' }));
  });

  it('a call that finished in its tick is not taken for an answer', async () => {
    const { agent } = stage();
    const reply = deferred<string>();
    let went = false;
    const turn = agent.runTurn(async ({ model }) => {
      await model(() => reply.promise);
      went = true;
    });
    await tick();
    reply.resolve('whole');
    agent.cancel();
    const report = await turn;
    expect([report.status, went]).toEqual(['cancelled', false]);
    expect(report.partials).toMatchObject([{ value: 'whole' }]);
  });

  it('a deaf call is left behind after its grace, named, and heard of later', async () => {
    const { agent, clock, events } = stage();
    const reply = deferred<string>();
    const turn = agent.runTurn(({ model }) => model(() => reply.promise, { name: 'claude', graceMs: 30 }));
    await tick();
    agent.cancel();
    await clock.advance(30);
    const report = await turn;
    expect(report).toMatchObject({ status: 'cancelled', stop: { abandoned: ['claude'], settledMs: 30 } });
    expect(report.partials).toEqual([]);
    reply.resolve('too late');
    await tick();
    expect(events.at(-1)).toMatchObject({ type: 'late-settled', name: 'claude', status: 'completed', turnId: 1 });
  });

  it('a failure that merely raced the cancel is told by the cancel', async () => {
    const { agent } = stage();
    const reply = deferred<string>();
    const turn = agent.runTurn(({ model }) => errorOf(model(() => reply.promise)));
    await tick();
    agent.cancel();
    reply.reject(new Error('500'));
    expect(await turn).toMatchObject({ status: 'cancelled', completed: { value: { name: 'AbortError' } } });
  });
});

describe('two signals: a message cuts the model, not the turn', () => {
  it('now: interjected, with the partial output and no value', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ model, token, takeInterjections }) => {
      const reply = await model(reading);
      return [reply, token.isCancelled, takeInterjections().map(({ message }) => message)];
    });
    await tick();
    agent.interject('use pnpm', { delivery: 'now' });
    const report = await turn;
    expect(report.unwrap()).toEqual([
      {
        status: 'interjected',
        partial: 'one two',
        reason: expect.objectContaining({ kind: 'interjection' }),
        delivered: [],
      },
      false,
      ['use pnpm'],
    ]);
    expect(report.partials).toMatchObject([{ modelCall: 1, value: 'one two', reason: { kind: 'interjection' } }]);
    expect(report.undelivered).toEqual([]);
  });

  it('now: a loop that simply ends is interjected, its value the partial output', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ model }) => model(({ token }) => obedient({ token }).catch(() => 'half')));
    await tick();
    agent.interject('x', { delivery: 'now' });
    expect((await turn).unwrap()).toMatchObject({ status: 'interjected', partial: 'half' });
  });

  it('now: a deaf call is left behind after its grace', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ model }) => model(deaf, { graceMs: 50 }));
    await tick();
    agent.interject('x', { delivery: 'now' });
    await clock.advance(50);
    expect((await turn).unwrap()).toMatchObject({ status: 'interjected', partial: undefined });
  });

  it.each(['after-current-tool', 'next-model-call', 'after-turn'] as const)('%s: nothing is cut', async (delivery) => {
    const { agent } = stage();
    const reply = deferred<string>();
    const turn = agent.runTurn(({ model }) =>
      model(async ({ token }) => {
        const text = await reply.promise;
        return [text, token.isCancelled];
      }),
    );
    await tick();
    agent.interject('x', { delivery });
    reply.resolve('whole');
    expect((await turn).unwrap()).toEqual({ status: 'completed', value: ['whole', false], delivered: [] });
  });

  it('now: a call that starts later is not cut by it, taken or not', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ model, takeInterjections }) => {
      agent.interject('x', { delivery: 'now' });
      const first = await model(({ token }) => token.isCancelled);
      return [first, takeInterjections().length, await model(() => 'next')];
    });
    expect(report.unwrap()).toMatchObject([
      { status: 'completed', value: false },
      1,
      { status: 'completed', value: 'next' },
    ]);
  });

  it('now: a cut call is interjected whatever the client threw for it, and the error is attached', async () => {
    const { agent } = stage();
    const reply = deferred<string>();
    const turn = agent.runTurn(({ model }) => model(() => reply.promise));
    await tick();
    agent.interject('x', { delivery: 'now' });
    reply.reject(new Error('Streaming interrupted by user'));
    const report = await turn;
    expect(report.unwrap()).toMatchObject({
      status: 'interjected',
      partial: undefined,
      reason: { kind: 'interjection' },
      error: { message: 'Streaming interrupted by user' },
    });
    expect(report.undelivered).toMatchObject([{ message: 'x' }]);
  });

  it('a cancel that follows wins', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ model }) => model(({ partial }) => (partial('half'), deaf())));
    await tick();
    agent.interject('x', { delivery: 'now' });
    agent.cancel('enough');
    await clock.advance(1_000);
    const report = await turn;
    expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'enough' } });
    expect(report.partials).toHaveLength(1);
    expect(report.undelivered).toMatchObject([{ message: 'x', status: 'undelivered' }]);
  });
});

describe('a live stream', () => {
  it.each([
    ['an async iterable', () => ({ [Symbol.asyncIterator]: () => ({ next: deaf }) })],
    [
      'an async generator',
      () =>
        (async function* () {
          yield 1;
        })(),
    ],
    ['a web stream', () => new ReadableStream()],
    ['a response', () => new Response('hello')],
  ])('%s is refused: TypeError, consume it inside the call', async (_what, make) => {
    const { agent } = stage();
    const report = await agent.runTurn(({ model }) => model(async () => make()));
    expect(report).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('inside the call') } });
    expect(report.status === 'failed' && report.error).toBeInstanceOf(TypeError);
  });

  it('that was refused does not stay open: its signal aborts', async () => {
    const { agent } = stage();
    let signal: AbortSignal | undefined;
    await agent.runTurn(({ model }) => model((context) => ((signal = context.signal), new ReadableStream())));
    expect(signal?.aborted).toBe(true);
  });

  it('consumed inside it is fine', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ model }) =>
      model(async ({ partial }) => {
        let text = '';
        for await (const word of (async function* () {
          yield 'a';
          yield 'b';
        })())
          partial((text += word));
        return text;
      }),
    );
    expect(report.unwrap()).toEqual({ status: 'completed', value: 'ab', delivered: [] });
  });
});

describe('idleMs', () => {
  it('throws DeadlineExceededError to the turn, the partial output kept', async () => {
    const { agent, clock } = stage();
    let error: unknown;
    const turn = agent.runTurn(async ({ model }) => {
      error = await errorOf(model(reading, { idleMs: 100 }));
    });
    await clock.advance(100);
    const report = await turn;
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(error).toMatchObject({ limitMs: 100, reason: { kind: 'idle' } });
    expect(report.status).toBe('completed');
    expect(report.partials).toMatchObject([{ value: 'one two', reason: { kind: 'idle' } }]);
  });

  it('is fed by partial output and by progress', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ model }) =>
      model(
        async ({ partial, progress }) => {
          for (let i = 0; i < 6; i += 1) {
            await new Promise<void>((resolve) => {
              clock.setTimer(resolve, 90, { ref: true });
            });
            if (i % 2 === 0) partial(i);
            else progress();
          }
          return 'done';
        },
        { idleMs: 100 },
      ),
    );
    await clock.advance(600);
    expect((await turn).unwrap()).toEqual({ status: 'completed', value: 'done', delivered: [] });
    expect(clock.pending).toBe(0);
  });

  it('a cancel stays a cancel', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ model }) => model(reading, { idleMs: 100 }));
    await clock.advance(99);
    agent.cancel();
    expect(await turn).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
    expect(clock.pending).toBe(0);
  });
});

/** What the turn waits for is over after 1,050 ms, and the model call 50 ms later. */
async function endAfterSilence(clock: ReturnType<typeof stage>['clock'], over: Deferred<string>): Promise<void> {
  await clock.advance(1_050);
  over.resolve('over');
  await tick();
  await clock.advance(50);
}

describe('a silence', () => {
  it.each(['a tool runs', 'a person is asked'])('while %s does not count', async (what) => {
    const { agent, clock } = stage();
    const over = deferred<string>();
    const turn = agent.runTurn(async ({ model, tool }) => {
      const reading = model(({ token }) => delay(token, 1_100), { idleMs: 100 });
      if (what === 'a tool runs') await tool(call('slow'), () => over.promise);
      else await tool(call('asks'), (_call, { ask }) => ask<string>((respond) => void over.promise.then(respond)));
      return (await reading).status;
    });
    await tick();
    await endAfterSilence(clock, over);
    expect((await turn).unwrap()).toBe('completed');
  });

  it.each<[string, (turn: Turn<string>, silent: () => Promise<unknown>) => Promise<unknown>]>([
    ['of a call that a tool makes', async ({ tool }, silent) => (await tool(call('summary'), silent)).status],
    [
      'of a call beside a tool that began before',
      async ({ tool }, silent) => {
        const slow = tool(call('slow'), (_call, context) => obedient(context));
        await silent();
        return slow;
      },
    ],
    [
      'after a question that its tool did not wait for',
      async ({ tool }, silent) => {
        await tool(call('asks'), (_call, { ask }) => void ask(() => undefined));
        return silent();
      },
    ],
    [
      'after a question that its tool did not wait for, asked meanwhile',
      async ({ tool }, silent) => {
        const reading = silent();
        await tool(call('asks'), (_call, { ask }) => void ask(() => undefined));
        return reading;
      },
    ],
    [
      'after a question that went to the background, asked meanwhile',
      async ({ tool }, silent) => {
        const reading = silent();
        void tool(call('asks'), (_call, { ask }) => ask(() => undefined), { canDetach: true });
        return reading;
      },
    ],
  ])('counts %s', async (_what, body) => {
    const { agent, clock } = stage({ graceMs: 5 });
    const errors: unknown[] = [];
    const turn = agent.runTurn((own) =>
      body(own, async () => {
        errors.push(await errorOf(own.model(obedient, { idleMs: 100 })));
      }),
    );
    await tick();
    agent.sendToBackground('asks');
    await tick();
    await clock.advance(99);
    expect(errors).toEqual([]);
    await clock.advance(1);
    expect(errors).toMatchObject([{ name: 'TimeoutError', limitMs: 100 }]);
    const closed = agent.close();
    await clock.advance(5);
    await Promise.all([closed, turn]);
    expect(clock.pending).toBe(0);
  });

  it('while a tool runs does not count for a limit that is set meanwhile either', async () => {
    const { agent, clock } = stage();
    const over = deferred<string>();
    const turn = agent.runTurn(async ({ model, tool }) => {
      const reading = model(async ({ progress, token }) => {
        await tick();
        progress({ idleMs: 100 });
        await delay(token, 1_100);
      });
      await tool(call('slow'), () => over.promise);
      return (await reading).status;
    });
    await tick();
    await tick();
    await endAfterSilence(clock, over);
    expect((await turn).unwrap()).toBe('completed');
    expect(clock.pending).toBe(0);
  });

  it('is recovered from: cut, its output kept, made again with a note', async () => {
    const { agent, clock } = stage();
    const seen: unknown[] = [];
    const turn = agent.runTurn(({ model }) =>
      model(
        async ({ partial, continuation, token }) => {
          seen.push(continuation);
          if (continuation !== undefined) return `${String(continuation.partial)} and the rest`;
          partial('half');
          await delay(token, 60_000);
          return '';
        },
        { idleMs: 100, recover: { attempts: 2 } },
      ),
    );
    await tick();
    await clock.advance(100);
    const report = await turn;
    expect(report.unwrap()).toEqual({ status: 'completed', value: 'half and the rest', delivered: [] });
    expect(report.partials).toMatchObject([{ modelCall: 1, value: 'half', reason: { kind: 'idle' } }]);
    expect(seen).toMatchObject([undefined, { partial: 'half', reason: { kind: 'idle' }, note: /^\[Your output was cut off/ }]); // prettier-ignore
    expect([agent.wasInterrupted, clock.pending]).toEqual([false, 0]);
  });

  it('is recovered from n times, keeps the last partial output there was, and then fails with a type', async () => {
    const { agent, clock, events } = stage();
    const partials: unknown[] = [];
    const shown: unknown[] = [];
    const turn = agent.runTurn(({ model }) =>
      errorOf(
        model(
          async ({ partial, continuation, token }) => {
            partials.push(continuation?.partial);
            if (continuation === undefined) partial('half');
            token.onCancelled(() => shown.push(agent.interruption?.canContinueAfterTimeout));
            await delay(token, 60_000);
          },
          { idleMs: 100, recover: { attempts: 2 } },
        ),
      ),
    );
    for (let n = 0; n < 3; n++) await clock.advance(100);
    const report = await turn;
    expect(report.unwrap()).toBeInstanceOf(DeadlineExceededError);
    expect(report.unwrap()).toMatchObject({ limitMs: 100, reason: { kind: 'idle' } });
    expect(partials).toEqual([undefined, 'half', 'half']);
    expect(shown).toEqual([true, true, false]);
    const told = events.filter((event) => event.type === 'model-timed-out');
    expect(told.map((event) => event.canContinueAfterTimeout)).toEqual([true, true, false]);
  });

  it('is shown while it lasts: whether the call will be made again', async () => {
    const { agent, clock } = stage({ graceMs: 50 });
    const turn = agent.runTurn(({ model }) => errorOf(model(deaf, { idleMs: 100, recover: { attempts: 1 } })));
    await clock.advance(100);
    expect(agent.state).toBe('running');
    expect(agent.interrupted).toBe(true);
    expect(agent.interruption).toMatchObject({ kind: 'cancel', isTimeout: true, canContinueAfterTimeout: true });
    await clock.advance(50);
    expect([agent.interrupted, agent.interruption]).toEqual([false, undefined]);
    await clock.advance(100);
    expect(agent.interruption).toMatchObject({ reason: { kind: 'idle' }, canContinueAfterTimeout: false });
    await clock.advance(50);
    await turn;
    expect(agent.interruption).toBeUndefined();
  });

  it.each(['cancel', 'interject'] as const)('is never recovered from over a person’s %s', async (how) => {
    const { agent, clock } = stage({ graceMs: 50 });
    let calls = 0;
    const turn = agent.runTurn(({ model }) =>
      model(
        ({ partial }) => {
          calls++;
          partial('half');
          return deaf();
        },
        { idleMs: 100, recover: { attempts: 5 } },
      ),
    );
    await clock.advance(100);
    if (how === 'cancel') agent.cancel({ message: 'me' });
    else agent.interject('me', { delivery: 'now' });
    expect(agent.interruption).toMatchObject({ kind: how === 'cancel' ? 'cancel' : 'interjection', isTimeout: false });
    await clock.advance(50);
    const report = await turn;
    expect(calls).toBe(1);
    if (how === 'cancel') expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
    else expect(report.unwrap()).toMatchObject({ status: 'interjected', partial: 'half' });
  });
});

describe('bad input', () => {
  it.each([
    ['no function', TypeError, 'gpt', {}],
    ['idleMs negative', RangeError, () => 1, { idleMs: -5 }],
    ['idleMs a string', TypeError, () => 1, { idleMs: '5' }],
    ['recover a number', TypeError, () => 1, { recover: 1 }],
    ['attempts negative', TypeError, () => 1, { recover: { attempts: -1 } }],
    ['backoffMs negative', RangeError, () => 1, { recover: { attempts: 1, backoffMs: -1 } }],
    ['backoffMs without end', RangeError, () => 1, { recover: { attempts: 1, backoffMs: Infinity } }],
    ['timeoutMs NaN', RangeError, () => 1, { timeoutMs: NaN }],
    ['isStop no function', TypeError, () => 1, { isStop: /abort/ }],
    ['attempts a fraction', TypeError, () => 1, { recover: { attempts: 1.5 } }],
    ['graceMs NaN', RangeError, () => 1, { graceMs: NaN }],
  ])('%s', async (_what, type, fn, options) => {
    const { agent } = stage();
    const report = await agent.runTurn(({ model }) => errorOf(model(fn as never, options as never)));
    expect(report.unwrap()).toBeInstanceOf(type);
  });
});
