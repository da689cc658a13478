/** Values that somebody is still going to read from, and values that look like some. */
import { Readable } from 'node:stream';

export async function* words(): AsyncGenerator<string> {
  yield 'one';
}

export const liveBodies: readonly (readonly [string, () => object])[] = [
  ['a Response', () => new Response('text')],
  ['a ReadableStream', () => new ReadableStream()],
  ['an async generator', words],
  ['an async iterable', () => ({ [Symbol.asyncIterator]: words })],
  ['a Node stream', () => Readable.from(['one'])],
];

export const noBodies: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 7],
  ['a string', 'text'],
  ['a plain object', { body: 'text' }],
  ['an array', [1]],
  ['a synchronous iterable', new Set([1])],
  ['a message with a body that is data', { role: 'user', body: { text: 'hi' } }],
  ['a Response without a body', new Response(null, { status: 204 })],
  ['a function', words],
];
