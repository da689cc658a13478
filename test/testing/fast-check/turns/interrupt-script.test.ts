import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { delay, InterruptController } from '../../../../src/index.ts';
import { interruptScript, playInterrupts } from '../../../../src/testing/fast-check/turns/interrupt-script.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

describe('interruptScript', () => {
  it('interruptScript makes every act, and only those it was asked for', () => {
    const seen = new Set(
      fc.sample(interruptScript(), { numRuns: 300, seed: 1 }).flatMap((script) => script.map((act) => act.do)),
    );
    expect([...seen].sort()).toEqual(['cancel', 'cancelAll', 'cancelCall', 'kill', 'say', 'wait', 'withdraw']);
    const few = fc.sample(interruptScript({ acts: ['say', 'wait'], maxLength: 3, maxWaitMs: 7 }), {
      numRuns: 200,
      seed: 1,
    });
    expect(few.every((script) => script.length <= 3)).toBe(true);
    expect(few.flat().every((act) => act.do === 'say' || (act.do === 'wait' && act.ms <= 7))).toBe(true);
  });

  it.each([
    [[], 'acts must name at least one'],
    [['shout'], 'acts names "shout", which does not exist'],
  ])('interruptScript refuses the acts %j', (acts, message) => {
    expect(() => interruptScript({ acts: acts as never })).toThrow(new TypeError(message));
  });
});

describe('playInterrupts', () => {
  it('playInterrupts does one act after the other, and time goes by between them', async () => {
    const clock = new VirtualClock();
    const agent = new InterruptController({ clock });
    const heard: string[] = [];
    agent.onEvent((event) => {
      if (event.type === 'interrupt-requested') heard.push(`${event.kind} at ${String(clock.now() - start)}`);
    });
    const start = clock.now();
    const running = agent.runTurn((turn) =>
      turn.tools(
        [
          { id: 'c1', name: 'a' },
          { id: 'c2', name: 'b' },
        ],
        (_, { token }) => delay(token, 60_000),
      ),
    );
    const sent = await playInterrupts(
      agent,
      [
        { do: 'wait', ms: 10 },
        { do: 'cancelCall', call: 3 },
        { do: 'say', delivery: 'next-model-call' },
        { do: 'say', delivery: 'next-model-call' },
        { do: 'withdraw', message: 1 },
        { do: 'wait', ms: 5 },
        { do: 'cancel' },
      ],
      { clock, callIds: () => ['c1', 'c2'], reason: 'enough' },
    );
    const report = await running;
    expect(report.calls.map(({ id, status }) => [id, status])).toEqual([
      ['c1', 'stopped'],
      ['c2', 'stopped'],
    ]);
    expect(report.status === 'cancelled' && report.reason.message).toBe('enough');
    expect(sent.map(({ message, status }) => [message, status])).toEqual([
      ['message 0', 'undelivered'],
      ['message 1', 'withdrawn'],
    ]);
    expect(heard).toEqual(['cancel at 10', 'interjection at 10', 'interjection at 10', 'cancel at 15']);
  });

  it('playInterrupts leaves out a stop of a call, and a message taken back, where there is none', async () => {
    const clock = new VirtualClock();
    const agent = new InterruptController<number>({ clock });
    const script = [
      { do: 'withdraw', message: 4 },
      { do: 'cancelCall', call: 1 },
      { do: 'say', delivery: 'now' },
    ] as const;
    const sent = await playInterrupts(agent, script, { clock, message: (n) => n + 100 });
    expect(sent.map(({ message }) => message)).toEqual([100]);
    expect(agent.state).toBe('idle');
  });
});
