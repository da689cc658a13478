import { expect, it, vi } from 'vitest';

import { TurnCalls } from '../../../src/adapters/claude-agent/turn-calls.ts';
import { InterruptController, type Turn } from '../../../src/index.ts';
import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';

const asks = (id: string, more: object = {}) => ({
  ...{ type: 'assistant', parent_tool_use_id: null },
  message: { content: [{ type: 'tool_use', id, name: id, input: {} }] },
  ...more,
});
const returns = (id: string, content: unknown, isError = false) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }] },
});
const request = (id: string) => ({ signal: new AbortController().signal, toolUseID: id });

async function play(body: (calls: TurnCalls, turn: Turn, agent: InterruptController) => unknown) {
  const agent = new InterruptController();
  const stopAlone = vi.fn();
  const report = await agent.runTurn(async (turn) => {
    const calls = new TurnCalls({ turn, dialect: anthropic, graceMs: 100, stopAlone });
    await body(calls, turn, agent);
    calls.end(new Error('over'));
    return calls.outcomes();
  });
  return { report, stopAlone };
}

it('a call is open from its reply to its result', async () => {
  const { report } = await play(async (calls) => {
    expect(calls.areAnswered).toBe(true);
    calls.follow(asks('read'));
    expect(calls.areAnswered).toBe(false);
    expect(await calls.begin('read', 'read', {})).toBeUndefined();
    calls.follow(returns('read', 'text'));
    expect(calls.areAnswered).toBe(true);
  });
  expect(report.calls).toMatchObject([{ id: 'read', status: 'completed', value: 'text' }]);
});

it('a result that is an error is a failed call, with its words', async () => {
  const { report } = await play((calls) => {
    calls.follow(asks('read'));
    calls.follow(returns('read', [{ type: 'text', text: 'no such file' }], true));
  });
  expect(report.calls).toMatchObject([{ status: 'failed', error: new Error('no such file') }]);
});

it('a call that has not begun when the stop comes is told so, and its row says so', async () => {
  const { report } = await play(async (calls, turn) => {
    calls.follow(asks('read'));
    calls.follow(asks('pay'));
    turn.cancel('user');
    expect(await calls.begin('read', 'read', {})).toMatch(/not started/);
  });
  expect(report.calls).toMatchObject([
    { name: 'read', status: 'not-started' },
    { name: 'pay', status: 'not-started' },
  ]);
});

it('a sub-agent that speaks has begun, and its words are what its call has produced', async () => {
  const { report } = await play(async (calls, turn) => {
    calls.follow(asks('Agent'));
    calls.follow({
      type: 'assistant',
      parent_tool_use_id: 'Agent',
      message: { content: [{ type: 'text', text: 'hm' }] },
    });
    await Promise.resolve();
    await Promise.resolve();
    turn.cancel('user');
  });
  expect(report.calls).toMatchObject([{ name: 'Agent', status: 'stopped', partial: 'hm' }]);
});

it('a call that is stopped alone is stopped in the executable, where that can be', async () => {
  const { stopAlone, report } = await play(async (calls, _turn, agent) => {
    await calls.begin('Agent', 'Agent', {});
    agent.cancelCall('Agent', 'user');
    calls.follow(returns('Agent', 'stopped', true));
  });
  expect(stopAlone).toHaveBeenCalledExactlyOnceWith('Agent');
  expect(report).toMatchObject({ status: 'completed', calls: [{ status: 'stopped' }] });
});

it('a question is put with a signal that its own stop ends, and its answer is given as it is', async () => {
  const given = { behavior: 'allow', updatedInput: { more: 1 } };
  await play(async (calls) => {
    const answer = await calls.permission(() => given, 'pay', {}, request('pay'));
    expect(answer).toBe(given);
  });
});

it('a question whose callback throws is a failure of the callback', async () => {
  await play(async (calls) => {
    const ask = () => Promise.reject(new Error('no window'));
    await expect(calls.permission(ask, 'pay', {}, request('pay'))).rejects.toThrow('no window');
  });
});

it('a question that the executable withdraws is answered, and the call goes on', async () => {
  const { report } = await play(async (calls) => {
    const gone = new AbortController();
    const asking = calls.permission(
      () => {
        gone.abort();
        return new Promise(() => undefined);
      },
      'pay',
      {},
      { signal: gone.signal, toolUseID: 'pay' },
    );
    expect(await asking).toMatchObject({ behavior: 'deny' });
    calls.follow(returns('pay', 'allowed elsewhere'));
  });
  expect(report.calls).toMatchObject([{ status: 'completed' }]);
});

it('a no that interrupts stops the turn', async () => {
  const { report } = await play(async (calls) => {
    const no = { behavior: 'deny', message: 'stop it', interrupt: true };
    expect(await calls.permission(() => no, 'pay', {}, request('pay'))).toMatchObject({
      ...{ behavior: 'deny', interrupt: true },
      message: expect.stringMatching(/declined.*stop it/s) as string,
    });
  });
  expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' }, calls: [{ status: 'declined' }] });
});

it('a stop while a person is asked withdraws the question: denied in the executable, not started in the ledger', async () => {
  const { report } = await play(async (calls, turn) => {
    let signal: AbortSignal | undefined;
    const asking = calls.permission(
      (_name, _input, own) => {
        ({ signal } = own);
        turn.cancel('user');
        return new Promise(() => undefined);
      },
      'pay',
      {},
      request('pay'),
    );
    expect(await asking).toMatchObject({ behavior: 'deny', interrupt: true });
    expect(signal?.aborted).toBe(true);
  });
  expect(report.calls).toMatchObject([{ status: 'not-started' }]);
});
