import { describe, expect, it } from 'vitest';

import { runSubprocessTool, type SubprocessTool } from '../../../src/adapters/child-process/subprocess-tool.ts';
import { CancellationToken } from '../../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import type { CancellationTokenSourceOptions } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** A tool that runs for as long as the test says, and notes what was asked of it. */
class FakeTool implements SubprocessTool<string> {
  readonly name: string = 'compiler';
  readonly calls: string[] = [];
  isAlive = true;
  diesWhenKilled = true;

  start(): unknown {
    this.calls.push('start');
    return undefined;
  }

  isRunning(): boolean | PromiseLike<boolean> {
    this.calls.push('look');
    return this.isAlive;
  }

  kill(): unknown {
    this.calls.push('kill');
    if (this.diesWhenKilled) this.isAlive = false;
    return undefined;
  }

  result(): string | PromiseLike<string> {
    this.calls.push('result');
    return 'built';
  }

  count(call: string): number {
    return this.calls.filter((one) => one === call).length;
  }
}

function setUp(options: CancellationTokenSourceOptions = {}) {
  const clock = new VirtualClock();
  return { clock, source: new CancellationTokenSource({ clock, ...options }), tool: new FakeTool() };
}

/** Starts it and keeps what becomes of it. */
function run(tool: FakeTool, source: CancellationTokenSource, options = {}) {
  const state: { value?: string; error?: unknown } = {};
  runSubprocessTool(source.token, tool, options).then(
    (value) => (state.value = value),
    (error: unknown) => (state.error = error),
  );
  return state;
}

describe('a tool that ends by itself', () => {
  it('is asked every 100 ms and gives its result', async () => {
    const { clock, source, tool } = setUp();
    const state = run(tool, source);
    await clock.advance(0);
    expect(tool.calls).toEqual(['start', 'look']);
    await clock.advance(99);
    expect(tool.count('look')).toBe(1);
    await clock.advance(1);
    expect(tool.count('look')).toBe(2);
    tool.isAlive = false;
    await clock.advance(100);
    expect(state).toEqual({ value: 'built' });
    expect(tool.calls).toEqual(['start', 'look', 'look', 'look', 'result']);
    expect(clock.pending).toBe(0);
  });

  it('may answer later, each time', async () => {
    const { clock, source, tool } = setUp();
    tool.isRunning = () => Promise.resolve(tool.isAlive);
    tool.result = () => Promise.resolve('built later');
    const state = run(tool, source, { intervalMs: 10 });
    await clock.advance(10);
    tool.isAlive = false;
    await clock.advance(10);
    expect(state).toEqual({ value: 'built later' });
  });

  it('has completed if it ended in the tick of the cancel', async () => {
    const { clock, source, tool } = setUp();
    const state = run(tool, source);
    await clock.advance(50);
    tool.isAlive = false;
    source.cancel('user');
    await clock.advance(0);
    expect(state).toEqual({ value: 'built' });
    expect(tool.count('kill')).toBe(0);
  });
});

describe('a cancel', () => {
  it('that came before: nothing is started', async () => {
    const tool = new FakeTool();
    const token = CancellationToken.alreadyCancelled('user');
    await expect(runSubprocessTool(token, tool)).rejects.toMatchObject({ reason: { kind: 'user' } });
    expect(tool.calls).toEqual([]);
  });

  it('kills at once, not at the next look, and looks on until the tool has gone', async () => {
    const { clock, source, tool } = setUp();
    tool.diesWhenKilled = false;
    const state = run(tool, source);
    await clock.advance(30);
    source.cancel('user');
    await clock.advance(0);
    expect(tool.calls).toEqual(['start', 'look', 'look', 'kill', 'look']);
    await clock.advance(200);
    expect(state).toEqual({});
    tool.isAlive = false;
    await clock.advance(100);
    expect(state.error).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    expect(state.error).toHaveProperty('abandoned', undefined);
    expect(tool.count('kill')).toBe(1);
    expect(tool.count('result')).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('names the survivor when the grace is over', async () => {
    const { clock, source, tool } = setUp();
    tool.diesWhenKilled = false;
    const state = run(tool, source, { graceMs: 250 });
    await clock.advance(30);
    source.cancel('user');
    await clock.advance(249);
    expect(state).toEqual({});
    await clock.advance(1);
    expect(state.error).toMatchObject({ reason: { kind: 'user' }, abandoned: { name: 'compiler' } });
    expect(tool.calls.slice(3)).toEqual(['kill', 'look', 'look', 'look', 'look']);
    expect(clock.pending).toBe(0);
  });

  it('a kill of the token ends the grace', async () => {
    const { clock, source, tool } = setUp();
    tool.diesWhenKilled = false;
    const state = run(tool, source, { graceMs: 60_000 });
    await clock.advance(0);
    source.kill('shutdown');
    await clock.advance(0);
    expect(state.error).toMatchObject({ abandoned: { name: 'compiler' } });
    expect(tool.count('kill')).toBe(1);
  });

  it('reports a kill that throws, now or later, and goes on looking', async () => {
    for (const kill of [
      () => {
        throw new Error('no permission');
      },
      () => Promise.reject(new Error('no permission')),
    ]) {
      const reported: unknown[] = [];
      const { clock, source, tool } = setUp({ onCallbackError: (error) => reported.push(error) });
      tool.kill = kill;
      const state = run(tool, source, { graceMs: 250 });
      await clock.advance(0);
      source.cancel('user');
      await clock.advance(100);
      expect(reported).toEqual([new Error('no permission')]);
      expect(state).toEqual({});
      await clock.advance(150);
      expect(state.error).toMatchObject({ abandoned: { name: 'compiler' } });
    }
  });

  it('is not held up by a look that hangs', async () => {
    const { clock, source, tool } = setUp();
    tool.isRunning = () => new Promise(() => undefined);
    const state = run(tool, source);
    await clock.advance(0);
    source.cancel('user');
    await clock.advance(0);
    expect(tool.count('kill')).toBe(1);
    await clock.advance(1000);
    expect(state.error).toMatchObject({ abandoned: { name: 'compiler' } });
  });

  it.each(['now', 'later'])(
    'a look in its tick that throws, %s, says nothing: it is killed, watched, named',
    async (when) => {
      const reported: unknown[] = [];
      const failure = new Error('connection closed by the cancel');
      const { clock, source, tool } = setUp({ onCallbackError: (error) => reported.push(error) });
      const state = run(tool, source, { graceMs: 250 });
      await clock.advance(30);
      tool.diesWhenKilled = false;
      tool.isRunning = () => {
        if (when === 'later') return Promise.reject(failure);
        throw failure;
      };
      source.cancel('user');
      await clock.advance(0);
      expect(tool.calls).toEqual(['start', 'look', 'kill']);
      await clock.advance(249);
      expect(state).toEqual({});
      await clock.advance(1);
      expect(state.error).toMatchObject({
        name: 'AbortError',
        reason: { kind: 'user' },
        abandoned: { name: 'compiler' },
      });
      expect(tool.count('kill')).toBe(1);
      expect([...new Set(reported)]).toEqual([failure]);
      expect(clock.pending).toBe(0);
    },
  );

  it('a look that throws after it says nothing: it is reported and asked again', async () => {
    const reported: unknown[] = [];
    const { clock, source, tool } = setUp({ onCallbackError: (error) => reported.push(error) });
    const state = run(tool, source);
    await clock.advance(0);
    let looks = 0;
    tool.isRunning = () => {
      looks += 1;
      if (looks === 2) throw new Error('cannot look');
      return looks < 3;
    };
    source.cancel('user');
    await clock.advance(100);
    expect(reported).toEqual([new Error('cannot look')]);
    expect(state.error).toMatchObject({ name: 'AbortError' });
    expect(state.error).toHaveProperty('abandoned', undefined);
  });
});

describe('a cancel while it starts', () => {
  function starting() {
    const all = setUp();
    let started: () => void = () => undefined;
    all.tool.start = () => new Promise<void>((resolve) => (started = resolve));
    return { ...all, started: () => started() };
  }

  it('kills it once it has started', async () => {
    const { clock, source, tool, started } = starting();
    const state = run(tool, source);
    await clock.advance(10);
    source.cancel('user');
    await clock.advance(200);
    expect(tool.calls).toEqual([]);
    expect(state).toEqual({});
    started();
    await clock.advance(0);
    expect(tool.count('kill')).toBe(1);
    expect(state.error).toMatchObject({ reason: { kind: 'user' } });
    expect(state.error).toHaveProperty('abandoned', undefined);
  });

  it('does not wait for it longer than the grace, and kills it all the same', async () => {
    const { clock, source, tool, started } = starting();
    const late: unknown[] = [];
    const state = run(tool, source, { onLateSettle: (outcome: unknown) => late.push(outcome) });
    await clock.advance(10);
    source.cancel('user');
    await clock.advance(1000);
    expect(state.error).toMatchObject({ abandoned: { name: 'compiler' } });
    started();
    await clock.advance(0);
    expect(tool.count('kill')).toBe(1);
    expect(late).toMatchObject([{ status: 'cancelled', reason: { kind: 'user' } }]);
    expect(clock.pending).toBe(0);
  });
});

describe('failures of the tool', () => {
  it('to start: nothing to kill', async () => {
    const { source, tool } = setUp();
    tool.start = () => Promise.reject(new Error('ENOENT'));
    await expect(runSubprocessTool(source.token, tool)).rejects.toThrow('ENOENT');
    expect(tool.calls).toEqual([]);
  });

  it('to say whether it runs: it is told to end', async () => {
    const { source, tool } = setUp();
    tool.isRunning = () => {
      throw new Error('cannot look');
    };
    await expect(runSubprocessTool(source.token, tool)).rejects.toThrow('cannot look');
    expect(tool.calls).toEqual(['start', 'kill']);
  });

  it('to give its result', async () => {
    const { source, tool } = setUp();
    tool.isAlive = false;
    tool.result = () => Promise.reject(new Error('exit 1'));
    await expect(runSubprocessTool(source.token, tool)).rejects.toThrow('exit 1');
  });
});

describe('mistakes of the caller', () => {
  it.each([
    [undefined, 'tool must be an object, got undefined'],
    [{ start: () => 1 }, 'tool.isRunning must be a function, got undefined'],
  ])('%j', async (tool, message) => {
    await expect(runSubprocessTool(null, tool as never)).rejects.toEqual(new TypeError(message));
  });

  it.each([{ intervalMs: -1 }, { intervalMs: Infinity }, { graceMs: NaN }])('%j', async (options) => {
    await expect(runSubprocessTool(null, new FakeTool(), options)).rejects.toThrow(RangeError);
  });
});
