import { expect, it } from 'vitest';

import { AgentTurn } from '../../../src/adapters/acp/agent-turn.ts';
import { InterruptController } from '../../../src/core/interrupt/controller.ts';
import type { Turn } from '../../../src/core/interrupt/public-types/turn.ts';
import { FakePeer } from './fake-peer.ts';

const question = { toolCall: { toolCallId: 'c1' }, options: [{ optionId: 'yes' }] };

/** Runs a body as one prompt's. */
async function run<T>(body: (turn: AgentTurn<Turn>, peer: FakePeer, agent: InterruptController) => Promise<T>) {
  const agent = new InterruptController();
  const peer = new FakePeer();
  const report = await agent.runTurn((turn) => body(new AgentTurn('s1', turn, peer), peer, agent));
  return { report, peer };
}

it('sends updates in the name of the session, until the prompt is answered', async () => {
  const { report, peer } = await run(async (turn) => {
    const first = await turn.update({ sessionUpdate: 'plan' });
    turn.end();
    return [first, await turn.update({ sessionUpdate: 'late' })];
  });
  expect(report.unwrap()).toEqual([true, false]);
  expect(peer.sent).toEqual([['session/update', { sessionId: 's1', update: { sessionUpdate: 'plan' } }]]);
});

it('hands on what the person decided', async () => {
  const { report, peer } = await run((turn, { answer }) => {
    const outcome = turn.requestPermission(question);
    answer.resolve({ outcome: { outcome: 'selected', optionId: 'yes' } });
    return outcome;
  });
  expect(report.unwrap()).toEqual({ outcome: 'selected', optionId: 'yes' });
  expect(peer.sent).toEqual([['session/request_permission', { sessionId: 's1', ...question }]]);
});

it('a stop settles the question as cancelled at once, and takes it back in neutral words', async () => {
  const { report, peer } = await run(async (turn, { answer }, agent) => {
    const outcome = turn.requestPermission(question);
    agent.cancel({ kind: 'user', message: 'the secret plan changed' });
    const settled = await outcome;
    answer.resolve({ outcome: { outcome: 'selected', optionId: 'yes' } });
    return settled;
  });
  expect(report).toMatchObject({ status: 'cancelled', completed: { value: { outcome: 'cancelled' } } });
  expect(String(peer.cancellation?.reason)).toBe('Request cancelled');
});

it('the client’s failure is the question’s', async () => {
  const failure = new Error('no such session');
  const { report } = await run((turn, { answer }) => {
    const outcome = turn.requestPermission(question);
    answer.reject(failure);
    return outcome;
  });
  expect(report).toMatchObject({ status: 'failed', error: failure });
});

it('asks nothing once the turn is cancelled', async () => {
  const { peer } = await run((turn, _peer, agent) => {
    agent.cancel();
    return turn.requestPermission(question);
  });
  expect(peer.sent).toEqual([]);
});
