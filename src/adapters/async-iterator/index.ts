/**
 * The door `desist/async-iterator`: loops over anything that comes item by item, under a token.
 * Among the adapters because it reads what others produce.
 * Prior art: `abortable-iterator`, .NET's `WithCancellation(token)`.
 *
 * @module desist/async-iterator
 */
export { cancellableIterable } from './cancellable-iterable.ts';
export type { CancellableIterable, CancellableIterableOptions, IterableCut } from './cancellable-iterable.ts';
export type { EventIterableOptions } from './event-source.ts';
export type { IterableSource, ReadableStreamLike } from './sources.ts';
export { sharedStream } from './shared-stream.ts';
export type { SharedStream, SharedStreamOptions } from './shared-stream.ts';
export type { EmitterLike } from '../internal/stream/event-target.ts';
export type { SourceEnd } from '../internal/stream/source-end.ts';
