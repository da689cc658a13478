import { Readable } from 'node:stream';

import { expectTypeOf, it } from 'vitest';

import { cancellableFetch, type CancellableFetchInit } from '../../src/adapters/fetch/index.ts';
import type { CancellationToken } from '../../src/core/token/cancellation-token.ts';

it('cancellableFetch is a drop-in for fetch', () => {
  expectTypeOf(cancellableFetch).toExtend<typeof fetch>();
  expectTypeOf<RequestInit>().toExtend<CancellableFetchInit>();
  expectTypeOf(cancellableFetch).returns.toEqualTypeOf<Promise<Response>>();
});

it('a token is whatever people have', () => {
  const token = {} as CancellationToken;
  const nothing = undefined as null | undefined;
  expectTypeOf(cancellableFetch).toBeCallableWith('/', { token, timeoutMs: undefined, idleMs: 5 });
  expectTypeOf(cancellableFetch).toBeCallableWith(new URL('http://x'), { token: {} as AbortSignal });
  expectTypeOf(cancellableFetch).toBeCallableWith(new Request('/'), { token: nothing });
  // @ts-expect-error no source: whoever reads must not be able to cancel
  void cancellableFetch('/', { token: { cancel: () => true } });
});

it('a body is also what can only be iterated: a generator of text or bytes, a stream of Node', () => {
  const text = {} as AsyncGenerator<string, void, unknown>;
  const bytes = {} as AsyncGenerator<Uint8Array, void, unknown>;
  expectTypeOf(cancellableFetch).toBeCallableWith('/', { method: 'POST', body: text });
  expectTypeOf(cancellableFetch).toBeCallableWith('/', { method: 'POST', body: bytes });
  expectTypeOf(cancellableFetch).toBeCallableWith('/', { method: 'POST', body: Readable.from(['a']) });
  expectTypeOf(cancellableFetch).toBeCallableWith('/', { method: 'POST', body: null });
  // @ts-expect-error numbers cannot be sent
  void cancellableFetch('/', { body: {} as AsyncGenerator<number> });
});
