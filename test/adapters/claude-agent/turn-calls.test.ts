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
    const isOwnTool = (name: string): boolean => name.startsWith('mcp__own__');
    const calls = new TurnCalls({ turn, dialect: anthropic, graceMs: 100, stopAlone, isOwnTool });
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

it('S08 S11 the row of a call whose work is done here is that of the work, whatever the executable says', async () => {
  const { report } = await play(async (calls, turn) => {
    for (const id of ['pay', 'tidy']) {
      calls.follow(asks(id));
      await calls.begin(id, id, {});
    }
    const paid = calls.use('pay', () => Promise.resolve({ content: 'receipt' }));
    const tidied = calls.use('tidy', async ({ signal }) => {
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      throw signal.reason;
    });
    const told = expect(tidied).rejects.toThrow('stopped part-way');
    await Promise.resolve();
    turn.cancel('user');
    calls.follow(returns('pay', 'not wanted', true));
    calls.follow(returns('tidy', 'not wanted', true));
    expect(await paid).toEqual({ content: 'receipt' });
    await told;
    expect((await calls.outcomes()).map(({ name }) => name)).toEqual(['pay', 'tidy']);
  });
  expect(report.calls).toMatchObject([
    { name: 'pay', status: 'completed', value: 'receipt' },
    { name: 'tidy', status: 'stopped' },
  ]);
});

it.each([
  ['what it gives', () => 'seen', 'seen', 'completed'],
  ['its failure', () => Promise.reject(new Error('no space')), 'no space', 'failed'],
])('a call whose work is done here answers with %s', async (_what, work, said, status) => {
  const { report } = await play(async (calls) => {
    calls.follow(asks('look'));
    const given = calls.use('look', work).catch((error: unknown) => (error as Error).message);
    expect(await given).toBe(said);
    calls.follow(returns('look', 'as the executable has it', status === 'failed'));
  });
  expect(report.calls).toMatchObject([{ status }]);
});

it.each(['402', { status: 402 }, undefined])(
  'a call whose work here throws %o has failed with that',
  async (thrown) => {
    const { report } = await play(async (calls) => {
      calls.follow(asks('pay'));
      await expect(calls.use('pay', () => Promise.reject(thrown))).rejects.toBe(thrown);
      calls.follow(returns('pay', 'refused', true));
    });
    expect(report.calls).toMatchObject([{ status: 'failed', error: thrown }]);
  },
);

it('S06 a call whose work is done here and comes after its stop alone says so', async () => {
  await play(async (calls, _turn, agent) => {
    calls.follow(asks('look'));
    const given = calls.use('look', async () => {
      agent.cancelCall('look', 'user');
      await new Promise((resolve) => setImmediate(resolve));
      return { content: [{ type: 'text', text: 'half' }] };
    });
    const note = { type: 'text', text: expect.stringContaining('after it had been told to stop') as string };
    expect(await given).toEqual({ content: [{ type: 'text', text: 'half' }, note] });
    calls.follow(returns('look', 'as the executable has it', false));
  });
});

it('S06 a call whose work is done here and that is stopped alone is answered in the words of every door', async () => {
  await play(async (calls, _turn, agent) => {
    calls.follow(asks('slow'));
    const given = calls.use('slow', () => new Promise(() => undefined));
    await Promise.resolve();
    agent.cancelCall('slow', 'not this one');
    await expect(given).rejects.toThrow('may still complete, or have completed');
  });
});

it('a call whose work is done here does not begin after a stop', async () => {
  const work = vi.fn();
  await play(async (calls, turn) => {
    calls.follow(asks('pay'));
    turn.cancel('user');
    await expect(calls.use('pay', work)).rejects.toThrow('not started');
  });
  expect(work).not.toHaveBeenCalled();
});

it('a call of a server that the executable gives up is unknown', async () => {
  const { report } = await play(async (calls, turn) => {
    calls.follow(asks('mcp__files__write'));
    await calls.begin('mcp__files__write', 'mcp__files__write', {});
    turn.cancel('user');
    calls.follow(returns('mcp__files__write', 'not wanted', true));
  });
  expect(report.calls).toMatchObject([{ status: 'unknown' }]);
});

it('S12 a call of a server of this process begins when it arrives: given up before, it was not started', async () => {
  const { report } = await play(async (calls, turn) => {
    for (const id of ['mcp__own__seen', 'mcp__own__sent', 'mcp__own__asked']) {
      calls.follow(asks(id));
      expect(await calls.begin(id, id, {})).toBeUndefined();
    }
    expect(await calls.arrive('mcp__own__seen')).toBeUndefined();
    turn.cancel('user');
    expect(await calls.arrive('mcp__own__sent')).toMatch(/not started/);
    for (const id of ['mcp__own__seen', 'mcp__own__sent', 'mcp__own__asked']) calls.follow(returns(id, 'no', true));
  });
  expect(report.calls).toMatchObject([
    { name: 'mcp__own__seen', status: 'unknown' },
    { name: 'mcp__own__sent', status: 'not-started' },
    { name: 'mcp__own__asked', status: 'not-started' },
  ]);
});

it('a call of a server of this process that was allowed, and stopped before it arrives, does not run', async () => {
  const { report } = await play(async (calls, turn) => {
    await calls.permission(() => ({ behavior: 'allow' }), 'mcp__own__pay', {}, request('mcp__own__pay'));
    turn.cancel('user');
    expect(await calls.arrive('mcp__own__pay')).toMatch(/stopped/);
  });
  expect(report.calls).toMatchObject([{ status: 'stopped' }]);
});

it('a call of nobody’s turn arrives as it is', async () => {
  const { report } = await play(async (calls) => {
    expect(await calls.arrive('of a task')).toBeUndefined();
  });
  expect(report.calls).toEqual([]);
});
