import { describe, expect, it } from 'vitest';
import { readResult } from '../../../src/adapters/ai-sdk/index.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';

interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

function resultOf(...parts: Part[]) {
  return {
    fullStream: (async function* () {
      yield* parts;
    })(),
    text: Promise.resolve('Hello'),
  };
}

it('reads every part, and returns the text', async () => {
  const seen: string[] = [];
  const text = await readResult(undefined, resultOf({ type: 'text-delta' }, { type: 'finish' }), ({ type }) => {
    seen.push(type);
  });
  expect([text, seen]).toEqual(['Hello', ['text-delta', 'finish']]);
});

it('takes the stream of an object once, and returns the object', async () => {
  let looks = 0;
  const result = {
    get fullStream() {
      if (++looks > 1) throw new Error('locked');
      return resultOf({ type: 'object' }, { type: 'finish' }).fullStream;
    },
    object: Promise.resolve({ city: 'Paris' }),
  };
  const { city } = await readResult(undefined, result);
  expect([city, looks]).toEqual(['Paris', 1]);
});

describe('a stream that ends because it was stopped', () => {
  it('rejects with the token’s error, and its other parts are not given out', async () => {
    const stop = new CancellationTokenSource();
    const seen: string[] = [];
    const read = readResult(stop.token, resultOf({ type: 'a' }, { type: 'b' }, { type: 'abort' }), ({ type }) => {
      seen.push(type);
      stop.cancel('user');
    });
    expect(await read.catch((error: unknown) => error)).toBe(stop.signal.reason);
    expect(seen).toEqual(['a']);
  });

  it('also with its last part', async () => {
    const stop = new CancellationTokenSource();
    const read = readResult(stop.token, resultOf({ type: 'finish' }), () => {
      stop.cancel('user');
    });
    expect(await read.catch((error: unknown) => error)).toBe(stop.signal.reason);
  });

  it('rejects with the token’s error, also if the stream fails with another', async () => {
    const stop = new CancellationTokenSource();
    const failing = {
      fullStream: (async function* () {
        yield { type: 'object' };
        stop.cancel('user');
        await Promise.reject(new TypeError('terminated'));
      })(),
      object: new Promise<never>(() => undefined),
    };
    expect(await readResult(stop.token, failing).catch((error: unknown) => error)).toBe(stop.signal.reason);
  });

  it('by somebody else is an abort all the same', async () => {
    await expect(readResult(undefined, resultOf({ type: 'abort', reason: 'chunk timeout' }))).rejects.toMatchObject({
      name: 'AbortError',
      message: 'chunk timeout',
    });
    await expect(readResult(undefined, resultOf({ type: 'abort' }))).rejects.toThrow('The stream was aborted');
  });
});

it('rejects with what the model failed with', async () => {
  const error = new Error('overloaded');
  await expect(readResult(undefined, resultOf({ type: 'error', error }))).rejects.toBe(error);
});

it('waits for its reader, whose failure ends it', async () => {
  const failure = new Error('screen is gone');
  const seen: string[] = [];
  const read = readResult(undefined, resultOf({ type: 'a' }, { type: 'b' }), async ({ type }) => {
    await Promise.resolve();
    seen.push(type);
    throw failure;
  });
  await expect(read).rejects.toBe(failure);
  expect(seen).toEqual(['a']);
});

it('refuses what streamText does not return', async () => {
  await expect(readResult(undefined, {} as never)).rejects.toThrow(
    'result must be what streamText or streamObject returns',
  );
  await expect(readResult(undefined, resultOf(), 'x' as never)).rejects.toThrow('onPart must be a function');
  await expect(readResult('x' as never, resultOf())).rejects.toThrow('a token must be');
});
