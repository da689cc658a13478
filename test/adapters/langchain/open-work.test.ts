import { RunnableBranch, RunnableLambda, RunnableMap, RunnableSequence } from '@langchain/core/runnables';
import { expect, it, vi } from 'vitest';
import { OpenWork } from '../../../src/adapters/langchain/open-work.ts';
import { withWays } from '../../../src/adapters/langchain/runnable.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { errorOf, hasSettled, tick } from '../../core/interrupt/kit.ts';
import { eventually } from '../../support/eventually.ts';

function started() {
  const stop = new CancellationTokenSource();
  return { stop, work: new OpenWork(stop.token) };
}

it('what LangChain leaves with the stop is waited for', async () => {
  const { stop, work } = started();
  const page = deferred<string>();
  const heard = work.heard(RunnableLambda.from(() => page.promise));
  const running = errorOf(heard.invoke('x', { signal: stop.signal }));
  await tick();
  stop.cancel('user');
  expect(await running).toBe(stop.signal.reason);
  const ended = work.ended();
  expect(await hasSettled(ended)).toBe(false);
  page.resolve('late');
  await ended;
});

it('without a stop nothing is waited for', async () => {
  const { work } = started();
  const heard = work.heard(RunnableLambda.from(() => new Promise<string>(() => undefined)));
  void heard.invoke('x');
  await tick();
  await work.ended();
});

it.each([
  ['a step', (page: () => Promise<string>) => RunnableSequence.from([(url: string) => url, page, (x: string) => x])],
  ['one of a map', (page: () => Promise<string>) => RunnableMap.from({ page, url: (url: string) => url })],
  ['a branch', (page: () => Promise<string>) => RunnableBranch.from([[() => true, page], () => 'else'])],
  [
    'what is assigned',
    (page: () => Promise<string>) => RunnableLambda.from((url: string) => ({ url })).assign({ page }),
  ],
  [
    'a fallback',
    (page: () => Promise<string>) =>
      RunnableLambda.from((): Promise<string> => Promise.reject(new Error('down'))).withFallbacks([
        RunnableLambda.from(page),
      ]),
  ],
  ['an attempt', (page: () => Promise<string>) => RunnableLambda.from(page).withRetry()],
  [
    'each of a list',
    (page: () => Promise<string>) =>
      RunnableLambda.from((url: string) => [url]).pipe(RunnableLambda.from(page).withConfig({ tags: ['x'] })),
  ],
  [
    'a runnable that a function returns',
    (page: () => Promise<string>) => RunnableLambda.from(() => RunnableLambda.from(page)),
  ],
])('%s is heard, and the runnable itself is not changed', async (_what, make) => {
  const { stop, work } = started();
  const page = deferred<string>();
  const run = vi.fn(() => page.promise);
  const runnable = make(run);
  const before = JSON.stringify(runnable);
  const heard = work.heard(runnable);
  expect(heard).toBeInstanceOf(runnable.constructor);
  const running = errorOf(heard.invoke('x', { signal: stop.signal }));
  await eventually(() => {
    expect(run).toHaveBeenCalled();
  });
  stop.cancel('user');
  await running;
  const ended = work.ended();
  expect(await hasSettled(ended)).toBe(false);
  page.resolve('late');
  await ended;
  expect(JSON.stringify(runnable)).toBe(before);
});

it('no function begins after the stop', async () => {
  const { stop, work } = started();
  const run = vi.fn();
  const heard = work.heard(RunnableLambda.from(run)) as unknown as { func(input: string): unknown };
  stop.cancel('user');
  expect(() => heard.func('x')).toThrow(stop.signal.reason as Error);
  expect(run).not.toHaveBeenCalled();
});

it('an iterator that LangChain leaves is closed, once what it was asked for is there', async () => {
  const { stop, work } = started();
  const page = deferred<string>();
  const closed = vi.fn();
  const heard = work.heard(
    RunnableLambda.from(async function* () {
      try {
        yield 'one';
        yield await page.promise;
      } finally {
        closed();
      }
    }),
  );
  const running = errorOf(heard.invoke('x', { signal: stop.signal }));
  await tick();
  stop.cancel('user');
  await running;
  const ended = work.ended();
  expect(await hasSettled(ended)).toBe(false);
  expect(closed).not.toHaveBeenCalled();
  page.resolve('late');
  await ended;
  expect(closed).toHaveBeenCalledOnce();
});

it('gives what the runnable gives: values, chunks and errors', async () => {
  const { work } = started();
  expect(await work.heard(RunnableLambda.from((n: number) => n + 1)).invoke(1)).toBe(2);
  const words = work.heard(
    RunnableLambda.from(async function* (text: string) {
      for (const word of text.split(' ')) yield await Promise.resolve(word);
    }),
  );
  const seen: unknown[] = [];
  for await (const word of await words.stream('a b')) seen.push(word);
  expect(seen).toEqual(['a', 'b']);
  const broken = work.heard(RunnableLambda.from(() => Promise.reject(new Error('broke'))));
  await expect(broken.invoke('x')).rejects.toThrow('broke');
});

it('leaves alone what is guarded, what is a class of somebody’s own, and what is no runnable', () => {
  const { work } = started();
  class Own extends RunnableLambda<string, string> {
    readonly #secret = 'x';
    secret(): string {
      return this.#secret;
    }
  }
  const own = new Own({ func: (text: string) => text });
  const guarded = withWays(
    RunnableLambda.from((text: string) => text),
    () => ({
      invoke: () => Promise.resolve('guarded'),
      _streamIterator: () => {
        throw new Error('not read');
      },
    }),
  );
  for (const value of [own, guarded, { invoke: 1 }, null, 'x', undefined]) expect(work.heard(value)).toBe(value);
  expect(work.heard(own).secret()).toBe('x');
});
