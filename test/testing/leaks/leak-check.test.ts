import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { leakCheck } from '../../../src/testing/leaks/leak-check.ts';

const soon = { settleMs: 0 };
const kit = new URL('../../../src/testing/leaks/leak-check.ts', import.meta.url).href;
const run = promisify(execFile);

describe('leakCheck', () => {
  it('leakCheck finds nothing where everything was given back', async () => {
    const check = leakCheck();
    const controller = new AbortController();
    const listener = (): void => undefined;
    controller.signal.addEventListener('abort', listener);
    controller.signal.removeEventListener('abort', listener);
    const timer = setTimeout(listener, 60_000);
    clearTimeout(timer);
    expect(await check.finish(soon)).toEqual([]);
  });

  it('leakCheck counts listeners left on signals that are alive', async () => {
    const check = leakCheck();
    const session = new AbortController();
    const other = new AbortController();
    for (const signal of [session.signal, session.signal, other.signal]) {
      signal.addEventListener('abort', () => undefined);
    }
    expect(await check.finish(soon)).toEqual([{ name: 'abort listener', count: 3 }]);
    session.abort();
    other.abort();
  });

  it('leakCheck counts a handler, and not one that was taken off', async () => {
    const check = leakCheck();
    const [kept, off] = [new AbortController(), new AbortController()];
    for (const { signal } of [kept, off]) signal.onabort = () => undefined;
    off.signal.onabort = null;
    expect(await check.finish(soon)).toEqual([{ name: 'abort listener', count: 1 }]);
    kept.signal.onabort = null;
  });

  it.each([
    [() => leakCheck(null as never), TypeError, 'options must be an object, got null'],
    [() => leakCheck({ tokens: 5 as never }), TypeError, 'options.tokens must be a list, got number'],
    [() => leakCheck().finish({ settleMs: -1 }), RangeError, 'options.settleMs must be a time in ms, got -1'],
    [() => leakCheck().finish(null as never), TypeError, 'options must be an object, got null'],
  ])('leakCheck refuses %s', (act, kind, words) => {
    expect(act).toThrow(new kind(words));
  });

  it('leakCheck sees signals that came from AbortSignal.any and AbortSignal.timeout', async () => {
    const check = leakCheck();
    const held = [AbortSignal.any([new AbortController().signal]), AbortSignal.timeout(60_000)];
    const listener = (): void => undefined;
    for (const signal of held) signal.addEventListener('abort', listener);
    expect(await check.finish(soon)).toEqual([{ name: 'abort listener', count: 2 }]);
    for (const signal of held) signal.removeEventListener('abort', listener);
  });

  it('leakCheck ignores signals that nobody can reach any more', async () => {
    expect(globalThis.gc).toBeTypeOf('function');
    const check = leakCheck();
    (() => {
      new AbortController().signal.addEventListener('abort', () => undefined);
    })();
    expect(await check.finish()).toEqual([]);
  });

  it('leakCheck collects a small part of the time that it waits, however large the heap is', async () => {
    const { gc } = globalThis;
    let collections = 0;
    globalThis.gc = (() => {
      collections += 1;
      for (const end = performance.now() + 10; performance.now() < end;);
    }) as typeof gc;
    try {
      const check = leakCheck();
      const session = new AbortController();
      session.signal.addEventListener('abort', () => undefined);
      expect(await check.finish({ settleMs: 300 })).toHaveLength(1);
      session.abort();
    } finally {
      globalThis.gc = gc;
    }
    // Twice each: as soon as what closes has had its time, once again, and at the end.
    expect(collections).toBeLessThanOrEqual(6);
  });

  it('leakCheck puts nothing into words of a signal that has been given back', async () => {
    const { prepareStackTrace } = Error;
    let worded = 0;
    Error.prepareStackTrace = () => {
      worded += 1;
      return '';
    };
    try {
      const check = leakCheck();
      const listener = (): void => undefined;
      const { signal } = new AbortController();
      signal.addEventListener('abort', listener);
      signal.removeEventListener('abort', listener);
      await check.finish(soon);
    } finally {
      Error.prepareStackTrace = prepareStackTrace;
    }
    expect(worded).toBe(0);
  });

  it('leakCheck counts timers and handles that keep the process alive, and only those', async () => {
    // In a process of its own: the test runner's timers come and go in this one.
    const script = `
      const { leakCheck } = await import(${JSON.stringify(kit)})
      const { createServer } = await import('node:net')
      const check = leakCheck()
      setTimeout(() => {}, 60_000)
      setTimeout(() => {}, 60_000).unref()
      const server = createServer().listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      console.log(JSON.stringify(await check.finish({ settleMs: 0 })))
      process.exit()`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
    expect(JSON.parse(stdout)).toEqual([
      { name: 'TCPServerWrap', count: 1 },
      { name: 'Timeout', count: 1 },
    ]);
  });

  it('leakCheck waits for what is already closing', async () => {
    const check = leakCheck();
    setTimeout(() => undefined, 20);
    expect(await check.finish({ settleMs: 2_000 })).toEqual([]);
  });

  it('leakCheck watches nothing before it starts and nothing after it finished', async () => {
    const old = new AbortController();
    old.signal.addEventListener('abort', () => undefined);
    const check = leakCheck();
    const finished = check.finish(soon);
    const late = new AbortController();
    late.signal.addEventListener('abort', () => undefined);
    expect(await finished).toEqual([]);
    expect(await check.finish(soon)).toEqual([]);
    expect(getEventListeners(late.signal, 'abort')).toHaveLength(1);
    expect(getEventListeners(old.signal, 'abort')).toHaveLength(1);
  });

  it('leakCheck lets checks overlap', async () => {
    const outer = leakCheck();
    const inner = leakCheck();
    const controller = new AbortController();
    controller.signal.addEventListener('abort', () => undefined);
    expect(await inner.finish(soon)).toHaveLength(1);
    expect(await outer.finish(soon)).toHaveLength(1);
    controller.abort();
  });
});
