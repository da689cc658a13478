import { describe, expect, it, vi } from 'vitest';

import { runInProcess } from '../../../src/adapters/worker/blocking-process.ts';
import { runBlocking } from '../../../src/adapters/worker/run-blocking.ts';
import { startsPerTurn } from '../../../src/adapters/worker/start-turn.ts';
import { CancellationToken } from '../../../src/core/token/cancellation-token.ts';

vi.mock('../../../src/adapters/worker/blocking-process.ts', () => ({ runInProcess: vi.fn() }));

const started = vi.mocked(runInProcess);

describe('runBlocking', () => {
  it('hands a checked call over, with defaults', async () => {
    started.mockResolvedValueOnce('value');
    expect(await runBlocking(null, new URL('file:///tool.js'))).toBe('value');
    expect(started.mock.lastCall?.[0]).toMatchObject({
      url: 'file:///tool.js',
      args: [],
      exportName: 'default',
      graceMs: 1000,
    });
  });

  it('starts nothing under a cancelled token', async () => {
    started.mockClear();
    const call = runBlocking(CancellationToken.alreadyCancelled('user'), 'file:///tool.js');
    await expect(call).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    expect(started).not.toHaveBeenCalled();
  });

  it('starts few of many calls in one turn of the event loop', async () => {
    started.mockReset().mockResolvedValue('value');
    const calls = Array.from({ length: 50 }, () => runBlocking(null, 'file:///tool.js'));
    let most = 0;
    for (let before = 0; before < 50;) {
      await new Promise((resolve) => setImmediate(resolve));
      const count = started.mock.calls.length;
      most = Math.max(most, count - before);
      before = count;
    }
    await Promise.all(calls);
    expect(most).toBeLessThanOrEqual(startsPerTurn);
  });

  it.each([
    [['./tool.js'], TypeError, 'moduleUrl must be an absolute URL, got "./tool.js"'],
    [[7], TypeError, 'moduleUrl must be an absolute URL, got 7'],
    [['file:///a.js', 'x'], TypeError, 'args must be an array, got "x"'],
    [['file:///a.js', [], { exportName: 1 }], TypeError, 'exportName must be a string, got 1'],
    [['file:///a.js', [], { graceMs: -1 }], RangeError, 'graceMs must be'],
    [['file:///a.js', [], { guardian: 1 as unknown as true }], TypeError, 'guardian must be true or false, got 1'],
  ])('refuses %j', async (args, type, message) => {
    const call = runBlocking(null, ...(args as [string]));
    await expect(call).rejects.toThrow(type);
    await expect(call).rejects.toThrow(message);
  });
});
