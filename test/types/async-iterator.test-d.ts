import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { expectTypeOf, it } from 'vitest';

import {
  cancellableIterable,
  sharedStream,
  type CancellableIterable,
  type SharedStream,
} from '../../src/adapters/async-iterator/index.ts';
import type { CancellationToken } from '../../src/core/token/cancellation-token.ts';

declare const token: CancellationToken;
declare function numbers(): AsyncGenerator<number, undefined>;

it('the type of the items comes from the source', () => {
  expectTypeOf(cancellableIterable(token, numbers())).toEqualTypeOf<CancellableIterable<number>>();
  expectTypeOf(cancellableIterable(token, [Promise.resolve('a')])).toEqualTypeOf<CancellableIterable<string>>();
  expectTypeOf(cancellableIterable(token, new ReadableStream<Uint8Array>())).toEqualTypeOf<
    CancellableIterable<Uint8Array>
  >();
  expectTypeOf(cancellableIterable(token, Readable.from([]))).toExtend<AsyncIterable<unknown>>();
  expectTypeOf(sharedStream(token, numbers())).toEqualTypeOf<SharedStream<number>>();
  expectTypeOf(sharedStream(token, numbers()).reader()).toEqualTypeOf<CancellableIterable<number>>();
});

it('an emitter needs the name of an event, and the caller knows what it emits', () => {
  expectTypeOf(cancellableIterable(token, new EventEmitter(), { event: 'x' })).toEqualTypeOf<
    CancellableIterable<unknown>
  >();
  expectTypeOf(cancellableIterable<string>(token, new EventTarget(), { event: 'x', graceMs: undefined })).toEqualTypeOf<
    CancellableIterable<string>
  >();
  // @ts-expect-error -- an emitter needs the name of an event
  cancellableIterable(token, new EventEmitter());
});

it('a token is whatever people have', () => {
  expectTypeOf(cancellableIterable<number>).toBeCallableWith(null, numbers());
  expectTypeOf(cancellableIterable<number>).toBeCallableWith(undefined, numbers(), { idleMs: 5, onCut: undefined });
  expectTypeOf(cancellableIterable<number>).toBeCallableWith({} as AbortSignal, numbers(), { mode: 'check' });
  // @ts-expect-error no source: whoever reads must not be able to cancel
  cancellableIterable({ cancel: () => true }, numbers());
  // @ts-expect-error one of the two modes
  cancellableIterable(token, numbers(), { mode: 'fast' });
});
