/**
 * The door `desist/async-iterator`: loops over anything that comes item by item, under a token.
 * Among the adapters because it reads what others produce.
 * Prior art: `abortable-iterator`, .NET's `WithCancellation(token)`.
 *
 * @module desist/async-iterator
 */
export { cancellableIterable } from './cancellable-iterable.ts';
export type { CancellableIterable, CancellableIterableOptions } from './cancellable-iterable.ts';
export type { EventIterableOptions } from './event-source.ts';
export { sharedStream } from './shared-stream.ts';
export type { SharedStream, SharedStreamOptions } from './shared-stream.ts';
