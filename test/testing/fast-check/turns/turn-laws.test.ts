import { describe, expect, it } from 'vitest';

import { InterruptController, type InterruptEvent } from '../../../../src/index.ts';
import { watchTurnLaws } from '../../../../src/testing/fast-check/turns/turn-laws.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

/** An agent that says what it is made to say. */
function puppet(): {
  readonly agent: Pick<InterruptController, 'onEvent' | 'instanceId'>;
  readonly say: (event: object) => void;
} {
  let hear: (event: InterruptEvent) => void = () => undefined;
  const agent = {
    instanceId: 'a1',
    onEvent: (fn: (event: InterruptEvent) => void) => {
      hear = fn;
      return { unregister: () => true, [Symbol.dispose]: () => undefined };
    },
  };
  return {
    agent,
    say: (event) => hear({ agent: 'Ada', instanceId: 'a1', at: 0, turnId: 1, ...event } as InterruptEvent),
  };
}

const started = (id: string, kind = 'tool'): object => ({
  type: 'operation-started',
  operationId: id,
  operationKind: kind,
  name: id,
});

describe('watchTurnLaws', () => {
  it.each<[string, readonly object[], string]>([
    ['a turn that begins twice', [{ type: 'turn-started' }, { type: 'turn-started' }], 'turn 1 of Ada began 2 times'],
    [
      'a turn that ends twice',
      [{ type: 'turn-started' }, { type: 'turn-ended' }, { type: 'turn-ended' }],
      'turn 1 of Ada ended 2 times',
    ],
    ['a turn that never ends', [{ type: 'turn-started' }], 'turn 1 of Ada ended 0 times'],
    [
      'two turns at once',
      [{ type: 'turn-started' }, { type: 'turn-started', turnId: 2 }],
      'turn 2 of Ada began while turn 1 of Ada was running',
    ],
    [
      'a start after the stop',
      [{ type: 'turn-started' }, { type: 'turn-stopping' }, started('rm')],
      'rm was started after the stop of turn 1 of Ada',
    ],
    [
      'a start after the end',
      [{ type: 'turn-started' }, { type: 'turn-ended' }, started('rm')],
      'rm was started outside of turn 1 of Ada',
    ],
    [
      'work behind the end',
      [{ type: 'turn-started' }, started('rm'), { type: 'turn-ended' }],
      'rm runs on behind the end of turn 1 of Ada',
    ],
    [
      'two outcomes',
      [
        { type: 'turn-started' },
        ...[1, 2].map(() => ({ type: 'tool-outcome', outcome: { id: 'c1' } })),
        { type: 'turn-ended' },
      ],
      'call c1 has two outcomes',
    ],
    [
      'an outcome after the end',
      [{ type: 'turn-started' }, { type: 'turn-ended' }, { type: 'tool-outcome', outcome: { id: 'c1' } }],
      'call c1 has an outcome after the end of turn 1 of Ada',
    ],
  ])('watchTurnLaws finds %s', (_, events, wrong) => {
    const { agent, say } = puppet();
    const laws = watchTurnLaws(agent);
    for (const event of events) say(event);
    expect(laws.close()).toContain(wrong);
  });

  it('watchTurnLaws lets a call that cleans up track what it does after the stop', () => {
    const { agent, say } = puppet();
    const laws = watchTurnLaws(agent);
    for (const event of [{ type: 'turn-started' }, { type: 'turn-stopping' }, started('save', 'file')]) say(event);
    say({ type: 'operation-ended', operationId: 'save', outcome: 'completed' });
    say({ type: 'turn-ended' });
    expect(laws.close()).toEqual([]);
  });

  it('watchTurnLaws knows what runs, and holds the rows of a report against what was told', async () => {
    const clock = new VirtualClock();
    const agent = new InterruptController({ clock });
    const laws = watchTurnLaws(agent);
    const deaf = deferred<string>();
    const running = agent.runTurn((turn) => turn.tool({ id: 'c1', name: 'deaf' }, () => deaf.promise));
    await clock.advance(0);
    expect(laws.running()).toEqual(['deaf']);
    agent.cancel();
    await clock.advance(1_000);
    const report = await running;
    expect([laws.running(), report.stop?.abandoned]).toEqual([['deaf'], ['deaf']]);
    laws.report(1, { ...report, calls: [] });
    deaf.resolve('late');
    await clock.advance(0);
    expect(laws.running()).toEqual([]);
    expect(laws.close()).toEqual(['the report of turn 1 of agent has rows of ; outcomes were told of c1']);
  });

  it('watchTurnLaws takes calls with one id, as servers give them in each round, for calls of their own', async () => {
    const clock = new VirtualClock();
    const agent = new InterruptController({ clock });
    const laws = watchTurnLaws(agent);
    const report = await agent.runTurn(async ({ tools }) => {
      for (let round = 0; round < 2; round++) await tools([{ id: 'call_0', name: 'read' }], () => 'text');
    });
    laws.report(1, report);
    expect([report.calls.length, laws.close()]).toEqual([2, []]);
  });
});
