import { Readable } from 'node:stream';

import { describe, expect, it } from 'vitest';

import { isBody } from '../../../../src/core/foundation/results/live-body.ts';

async function* words(): AsyncGenerator<string> {
  yield 'one';
}

const bodies: readonly [string, () => object][] = [
  ['a Response', () => new Response('text')],
  ['a ReadableStream', () => new ReadableStream()],
  ['an async generator', words],
  ['an async iterable', () => ({ [Symbol.asyncIterator]: words })],
  ['a Node stream', () => Readable.from(['one'])],
];

const notBodies: readonly [string, unknown][] = [
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

describe('isBody', () => {
  it.each(bodies)('%s is a body', (_, make) => {
    expect(isBody(make())).toBe(true);
  });
  it.each(notBodies)('%s is not a body', (_, value) => {
    expect(isBody(value)).toBe(false);
  });
});
