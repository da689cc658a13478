import { expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import { TraceBook } from '../../src/inspect/trace-book.ts';
import type { TraceSink } from '../../src/inspect/index.ts';
import { row } from './kit.ts';

const user = createReason({ kind: 'user', at: 1 });

function bookOf({ maxOperations = 10, sinks = [] as TraceSink[], errors = [] as unknown[] } = {}): TraceBook {
  return new TraceBook(0, { maxOperations, sinks, onError: (error) => errors.push(error) });
}

it('the book forgets what has ended before what runs, and counts it', () => {
  const book = bookOf({ maxOperations: 2 });
  book.start(row({ id: 'runs' }));
  book.start(row({ id: 'ends' }));
  book.end('ends', 'completed', 5);
  book.start(row({ id: 'new' }));
  const { operations, dropped } = book.toTrace(9);
  expect(operations.map(({ id }) => id)).toEqual(['runs', 'new']);
  expect(dropped).toBe(1);
});

it('the book is bounded also when everything runs, and tells sinks what it forgot', () => {
  const ended: string[] = [];
  const book = bookOf({ maxOperations: 2, sinks: [{ ended: ({ id, outcome }) => ended.push(`${id} ${outcome}`) }] });
  for (const id of ['a', 'b', 'c', 'd']) book.start(row({ id }));
  expect(book.toTrace(9).operations.map(({ id }) => id)).toEqual(['c', 'd']);
  expect(ended).toEqual(['a running', 'b running']);
});

it('the book keeps a hundred stops', () => {
  const book = bookOf();
  for (let at = 0; at < 130; at += 1) book.request('cancel', 'main', user, at);
  const { stops, dropped } = book.toTrace(200);
  expect([stops.length, stops[0]?.requestedAt, dropped]).toEqual([100, 30, 30]);
});

it('a stop has settled when the last one it asked has ended, and was noticed by the first', () => {
  const book = bookOf();
  for (const id of ['a', 'b']) book.start(row({ id }));
  book.request('cancel', 'main', user, 10);
  for (const id of ['a', 'b']) book.ask(id, user, 10);
  book.observe('b', 12);
  book.end('a', 'cancelled', 15);
  expect(book.toTrace(20).stops[0]).toMatchObject({ asked: ['a', 'b'], observedAt: 12 });
  expect(book.toTrace(20).stops[0]?.settledAt).toBeUndefined();
  book.end('b', 'abandoned', 30);
  expect(book.toTrace(40).stops[0]).toMatchObject({ settledAt: 30, survivors: ['b'] });
  book.end('b', 'completed', 90);
  expect(book.toTrace(99).stops[0]).toMatchObject({ settledAt: 30, survivors: [] });
  expect(book.get('b')?.late).toEqual({ at: 90, outcome: 'completed' });
});

it('a limit that nobody announced is a stop of its own', () => {
  const book = bookOf();
  book.start(row({ id: 'a' }));
  book.ask('a', createReason({ kind: 'deadline', at: 1 }), 7);
  expect(book.toTrace(9).stops).toMatchObject([{ reason: { kind: 'deadline' }, requestedAt: 7, asked: ['a'] }]);
});

it('a sink that throws stops nobody', () => {
  const errors: unknown[] = [];
  const boom = new Error('boom');
  const book = bookOf({
    errors,
    sinks: [
      {
        started() {
          throw boom;
        },
      },
    ],
  });
  book.start(row({ id: 'a' }));
  expect([book.get('a')?.outcome, errors]).toEqual(['running', [boom]]);
});

it('a trace is JSON', () => {
  const book = bookOf();
  book.start(row({ id: 'a' }));
  book.request('cancel', 'main', createReason({ kind: 'user', cause: { cyclic: book }, at: 1 }), 10);
  const trace = book.toTrace(20);
  expect(JSON.parse(JSON.stringify(trace))).toEqual(trace);
});

it('a sink whose promise rejects stops nobody and is heard, also by a listener that throws', async () => {
  const errors: unknown[] = [];
  const sinks: TraceSink[] = [
    {
      started: (): unknown => Promise.reject(new Error('the collector is down')),
    },
  ];
  const book = bookOf({ sinks, errors });
  book.start({ id: 'a', parentId: 'main', kind: 'tool', name: 'a', agent: 'main', startedAt: 0 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(errors).toEqual([new Error('the collector is down')]);
  const onError = (): never => {
    throw new Error('and so is the log');
  };
  new TraceBook(0, { maxOperations: 1, sinks, onError }).start({ id: 'a', parentId: 'main', kind: 'tool', name: 'a', agent: 'main', startedAt: 0 }); // prettier-ignore
  await new Promise((resolve) => setImmediate(resolve));
});
