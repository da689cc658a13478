import { getEventListeners } from 'node:events';

import { describe, expect, it, vi } from 'vitest';

import { keepForBody } from '../../../../src/core/combinators/engine/body.ts';
import { isBody } from '../../../../src/core/foundation/results/live-body.ts';
import { Source } from '../../../../src/core/token/source.ts';
import { Token, childOf } from '../../../../src/core/token/token.ts';
import { CancellationTokenSource, runUntilCancelled, withCancellation } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { liveBodies, noBodies, words } from '../../../support/live-bodies.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The shape of the streams of the model SDKs: an async iterable with a controller of its own. */
function sdkStream(): AsyncIterable<string> & { readonly controller: AbortController } {
  return { controller: new AbortController(), [Symbol.asyncIterator]: () => words() };
}

const bodies = [...liveBodies, ['an SDK’s stream', sdkStream]] as const;

describe('keepForBody', () => {
  it('keepForBody says whether the token is still needed, and does not release it', () => {
    const source = new Source(childOf(new Source(new Token(undefined)).token));
    const release = vi.spyOn(source, 'release');
    expect(keepForBody(source, { text: 'hi' })).toBe(false);
    expect(keepForBody(source, new Response('text'))).toBe(true);
    expect(release).not.toHaveBeenCalled();
  });
});

describe('the child of a call whose result is a body', () => {
  it.each(bodies)(
    'the child of a call whose result is a body stays linked: a later stop reaches the signal (%s)',
    async (_, make) => {
      for (const wrap of [(value: object) => value, (value: object) => Promise.resolve(value)]) {
        const source = new CancellationTokenSource();
        let signal: AbortSignal | undefined;
        const value = await withCancellation(source.token, (context) => {
          signal = context.signal;
          return wrap(make());
        });
        expect(signal?.aborted).toBe(false);
        source.cancel('user');
        expect(signal?.aborted).toBe(true);
        expect(signal?.reason).toBe(source.signal.reason);
        if (value instanceof Response) await value.body?.cancel();
      }
    },
  );

  it.each(noBodies)(
    'the child of a call whose result is a body is released otherwise: a later stop does not (%s)',
    async (_, value) => {
      const source = new CancellationTokenSource();
      let signal: AbortSignal | undefined;
      await withCancellation(source.token, async (context) => {
        signal = context.signal;
        return value;
      });
      source.cancel('user');
      expect(signal?.aborted).toBe(false);
    },
  );

  it.each(['textStream', 'fullStream'])(
    'a later stop reaches a result that holds streams as members, which are not read for it (%s)',
    async (name) => {
      const source = new CancellationTokenSource();
      let signal: AbortSignal | undefined;
      let reads = 0;
      const result = Object.defineProperty({}, name, { get: () => (reads += 1) });
      expect(await withCancellation(source.token, (context) => ((signal = context.signal), result))).toBe(result);
      source.cancel('user');
      expect([signal?.aborted, reads, isBody(result)]).toEqual([true, 0, false]);
    },
  );

  it('a later stop reaches a body made under runUntilCancelled as well', async () => {
    const source = new CancellationTokenSource();
    let signal: AbortSignal | undefined;
    const outcome = await runUntilCancelled(source.token, (context) => ((signal = context.signal), sdkStream()));
    expect(outcome.status).toBe('completed');
    source.cancel('user');
    expect(signal?.aborted).toBe(true);
  });

  it('the child of a call whose result is a body costs the parent no listener where nobody took the signal', async () => {
    const { signal } = new AbortController();
    const stream = await withCancellation(signal, () => sdkStream());
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(stream).toBeDefined();
  });

  it('the child of a call whose result is a body stays in reach of what is above, also when the parent was released', async () => {
    const controller = new AbortController();
    const source = new CancellationTokenSource({ parent: controller.signal });
    let signal: AbortSignal | undefined;
    const stream = await withCancellation(source.token, (context) => ((signal = context.signal), sdkStream()));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    source.release();
    controller.abort();
    expect([signal?.aborted, source.isCancelled]).toEqual([true, false]);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(stream).toBeDefined();
  });

  it('the child of a call whose result is a body is released when the body is collected', async () => {
    const { signal } = new AbortController();
    const make = async (): Promise<void> => {
      for (let call = 0; call < 50; call += 1) {
        await withCancellation(signal, async (context) => {
          context.signal.addEventListener('abort', () => {});
          return sdkStream();
        });
      }
    };
    await make();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    const { gc } = globalThis as { gc?: () => void };
    for (let round = 0; round < 50 && getEventListeners(signal, 'abort').length > 0; round += 1) {
      gc?.();
      await turn();
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('the child of a call whose result is a body is released at once when the work failed', async () => {
    const { signal } = new AbortController();
    const failing = withCancellation(signal, async (context) => {
      context.signal.addEventListener('abort', () => {});
      throw Object.assign(new Error('bad gateway'), { body: new ReadableStream() });
    });
    await expect(failing).rejects.toThrow('bad gateway');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('a result that cannot be looked at is a result', async () => {
    const shy = {
      get body(): never {
        throw new Error('not yet');
      },
    };
    const answer = deferred<typeof shy>();
    const seen: unknown[] = [];
    void withCancellation(new CancellationTokenSource().token, () => answer.promise).then(
      (value) => seen.push(value),
      (error: unknown) => seen.push(error),
    );
    answer.resolve(shy);
    await turn();
    expect(seen).toHaveLength(1);
    expect(seen[0]).toBe(shy);
  });
});
