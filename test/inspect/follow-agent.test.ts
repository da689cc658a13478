import { expect, it } from 'vitest';

import { InterruptController, delay } from '../../src/index.ts';
import { record } from '../../src/inspect/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

function stage() {
  const clock = new VirtualClock({ startAt: 1_000 });
  const agent = new InterruptController({ name: 'main', clock, graceMs: 100 });
  return { clock, agent, recording: record(agent, { clock }) };
}
const call = { id: 'c1', name: 'search' };

it('a turn of a sub-agent is part of the operation that waits for it', async () => {
  const { clock, agent, recording } = stage();
  const turn = agent.runTurn(({ tools }) =>
    tools([call], (_, { subagent }) =>
      subagent('sub').runTurn(({ tools: more }) => more([call], (_c, { token }) => delay(token, 999))),
    ),
  );
  await clock.advance(10);
  const { tokens, operations } = recording.trace();
  const nameOf = (id: string): string => operations.find((each) => each.id === id)?.kind ?? 'agent';
  expect(operations.map(({ kind, agent: whose, parentId }) => [kind, whose, nameOf(parentId)])).toEqual([
    ['turn', 'main', 'agent'],
    ['tool', 'main', 'turn'],
    ['subagent', 'main', 'turn'],
    ['turn', 'sub', 'subagent'],
    ['tool', 'sub', 'turn'],
  ]);
  expect(tokens.map(({ name, parentId }) => [name, parentId])).toEqual([
    ['main', undefined],
    ['sub', agent.instanceId],
  ]);
  agent.cancel('user');
  await turn;
  const { stops } = recording.trace();
  expect(stops).toHaveLength(1);
  expect(stops[0]?.asked).toHaveLength(5);
});

it('what was given up is a survivor until it ends', async () => {
  const { clock, agent, recording } = stage();
  const deaf = deferred();
  const turn = agent.runTurn(({ tools }) => tools([call], () => deaf.promise));
  agent.cancel('user');
  await clock.advance(100);
  await turn;
  const tool = () => recording.trace().operations.find(({ kind }) => kind === 'tool');
  expect(tool()).toMatchObject({ outcome: 'abandoned', askedAt: 1_000, endedAt: 1_100 });
  expect(recording.trace().stops[0]?.survivors).toEqual([tool()?.id]);
  deaf.resolve();
  await clock.advance(50);
  expect(tool()?.late).toEqual({ at: 1_100, outcome: 'completed' });
});

it('background work has a row, also when it ends late', async () => {
  const { clock, agent, recording } = stage();
  const deaf = deferred();
  agent.background('index', () => deaf.promise);
  const all = agent.cancelAll('user').settled;
  await clock.advance(100);
  await all;
  const index = () => recording.trace().operations.find(({ kind }) => kind === 'background');
  expect(index()).toMatchObject({ name: 'index', outcome: 'abandoned' });
  deaf.resolve();
  await clock.advance(0);
  expect(index()?.late?.outcome).toBe('completed');
});
