import { describe, expect, it } from 'vitest';

import { deafTool, deferred, fakeProcess } from '../../src/testing/fakes.ts';

describe('deferred', () => {
  it('deferred settles once, the way the test says', async () => {
    const good = deferred<number>();
    good.resolve(1);
    good.resolve(2);
    await expect(good.promise).resolves.toBe(1);

    const bad = deferred();
    bad.reject(new Error('no'));
    bad.resolve();
    await expect(bad.promise).rejects.toThrow('no');
  });
});

describe('deafTool', () => {
  it('deafTool does not end when its signal is aborted, only when the test ends it', async () => {
    const tool = deafTool<string, number>();
    const stop = new AbortController();
    const log: string[] = [];
    const running = tool.execute('in', { signal: stop.signal }).finally(() => log.push('ended'));
    stop.abort();
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual([]);
    tool.calls[0]!.finish(7);
    await expect(running).resolves.toBe(7);
  });

  it('deafTool records each call with its input and its signal, under either name', async () => {
    const tool = deafTool();
    const { signal } = new AbortController();
    const first = tool.execute('a', { abortSignal: signal });
    const second = tool.execute('b');
    tool.calls[1]!.fail(new Error('broke'));
    tool.calls[0]!.finish(undefined);
    await expect(second).rejects.toThrow('broke');
    await first;
    expect(tool.calls.map((call) => [call.input, call.signal === signal])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });
});

describe('fakeProcess', () => {
  it('fakeProcess delivers to every listener in order and says whether there was one', () => {
    const fake = fakeProcess();
    const log: unknown[] = [];
    const first = (signal: unknown): void => void log.push(['first', signal]);
    fake.on('SIGINT', first).on('SIGINT', () => void log.push('second'));
    expect(fake.raise('SIGINT', 'SIGINT')).toBe(true);
    fake.removeListener('SIGINT', first).removeListener('SIGTERM', first);
    fake.raise('SIGINT');
    expect(log).toEqual([['first', 'SIGINT'], 'second', 'second']);
    expect(fake.listenerCount('SIGINT')).toBe(1);
    expect(fake.listenerCount('SIGTERM')).toBe(0);
    expect(fake.raise('SIGTERM')).toBe(false);
  });

  it('fakeProcess removes one registration at a time, also while it delivers', () => {
    const fake = fakeProcess();
    let count = 0;
    const once = (): void => {
      count += 1;
      fake.removeListener('SIGINT', once);
    };
    fake.on('SIGINT', once).on('SIGINT', once);
    fake.raise('SIGINT');
    expect(count).toBe(2);
    expect(fake.listenerCount('SIGINT')).toBe(0);
  });

  it('fakeProcess records what it does instead of doing it', () => {
    const fake = fakeProcess({ pid: 7, platform: 'win32' });
    expect([fake.pid, fake.platform]).toEqual([7, 'win32']);
    expect(fake.kill(7)).toBe(true);
    fake.kill(-7, 'SIGKILL');
    fake.exit();
    fake.exit(130);
    expect(fake.acts).toEqual([
      { act: 'kill', pid: 7, signal: 'SIGTERM' },
      { act: 'kill', pid: -7, signal: 'SIGKILL' },
      { act: 'exit', code: 0 },
      { act: 'exit', code: 130 },
    ]);
  });
});
