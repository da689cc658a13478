/** Questions of several calls that one press answers. */
import { expect, it, vi } from 'vitest';

import { TurnCalls } from '../../../src/adapters/claude-agent/turn-calls.ts';
import { InterruptController } from '../../../src/index.ts';
import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';

const request = (id: string) => ({ signal: new AbortController().signal, toolUseID: id });

async function play(body: (calls: TurnCalls) => unknown) {
  const agent = new InterruptController();
  const stopAlone = vi.fn();
  const report = await agent.runTurn(async (turn) => {
    const isOwnTool = (name: string): boolean => name.startsWith('mcp__own__');
    const calls = new TurnCalls({ turn, dialect: anthropic, graceMs: 100, stopAlone, isOwnTool });
    await body(calls);
    calls.end(new Error('over'));
    return calls.outcomes();
  });
  return { report, stopAlone };
}

it('S11 a person who says no to several at once, and stops, has declined each of them', async () => {
  const { report } = await play(async (calls) => {
    const press: (() => void)[] = [];
    const ask = () =>
      new Promise((resolve) => {
        press.push(() => {
          resolve({ behavior: 'deny', message: 'not today', interrupt: true });
        });
      });
    const answers = ['a', 'b', 'c'].map((id) => calls.permission(ask, id, {}, request(id)));
    await vi.waitUntil(() => press.length === 3);
    for (const no of press) no();
    for (const answer of await Promise.all(answers)) {
      expect(answer).toMatchObject({ behavior: 'deny', message: expect.stringContaining('not today') as string });
    }
  });
  expect(report.calls.map(({ status }) => status)).toEqual(['declined', 'declined', 'declined']);
});

it('S11 what was allowed in the tick of a no that stops has not started', async () => {
  const { report } = await play(async (calls) => {
    const press: (() => void)[] = [];
    const ask = (name: string) =>
      new Promise((resolve) => {
        press.push(() => {
          resolve(name === 'no' ? { behavior: 'deny', interrupt: true } : { behavior: 'allow' });
        });
      });
    const answers = ['before', 'no', 'behind'].map((id) => calls.permission(ask, id, {}, request(id)));
    await vi.waitUntil(() => press.length === 3);
    for (const answer of press) answer();
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ behavior: 'deny' });
  });
  expect(report.calls.map(({ status }) => status)).toEqual(['not-started', 'declined', 'not-started']);
});
