import { getEventListeners, setMaxListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { cancellableCall, cancellableStream } from '../../src/adapters/llm/index.ts';
import type { TokenLike } from '../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { bareStop, loadClients } from './llm-clients.ts';
import { majors } from './majors.ts';
import { itBare } from '../support/bare.ts';

const SEQUENTIAL = 10_000;
const PARALLEL = 200;
const MAX_GROWTH_BYTES = 5 * 1024 * 1024;

const clients = await Promise.all(
  majors.map(async (major) => ({ major: major.name, clients: await loadClients(major) })),
);
const table = clients.flatMap(({ major, clients: all }) => all.map((client) => ({ ...client, major })));

const warnings: Error[] = [];
const warn = (warning: Error): void => {
  warnings.push(warning);
};

beforeEach(() => {
  warnings.length = 0;
  process.on('warning', warn);
});

afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', warn);
  expect(warnings).toEqual([]);
});

/** With all SDKs on the heap, to collect takes long. What a finalizer lets go of goes with the second. */
async function heapUsed(): Promise<number> {
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

/** A client at its worst: it leaves a listener on every signal, and never takes it away. */
const careless = {
  async *stream(signal: AbortSignal): AsyncGenerator<string> {
    signal.addEventListener('abort', () => undefined);
    await Promise.resolve();
    yield 'word';
  },
  call(signal: AbortSignal): Promise<string> {
    signal.addEventListener('abort', () => undefined);
    return Promise.resolve('words');
  },
};

async function readOne(session: TokenLike): Promise<void> {
  for await (const _word of cancellableStream(session, ({ signal }) => careless.stream(signal)));
}

async function callOne(session: TokenLike): Promise<void> {
  await cancellableCall(session, ({ signal }) => careless.call(signal));
}

describe.each([
  ['cancellableStream', readOne],
  ['cancellableCall', callOne],
])('S34 %s', (name, once) => {
  it(`${String(SEQUENTIAL)} calls in a row and ${String(PARALLEL)} at once leave nothing on the session`, async () => {
    const session = new AbortController();
    const token = new CancellationTokenSource();
    const most: number[] = [];
    const listeners = (): number => getEventListeners(session.signal, 'abort').length;
    const run = async (sequential: number): Promise<void> => {
      for (let call = 0; call < sequential; call += 2) {
        await once(session.signal);
        await once(token.token);
      }
      const calls = Promise.all(Array.from({ length: PARALLEL }, () => once(session.signal)));
      most.push(listeners());
      await calls;
      most.push(listeners());
    };
    await run(200); // what is made once is made now
    const before = await heapUsed();
    await run(SEQUENTIAL);
    const grown = (await heapUsed()) - before;
    console.log(`S34 ${name}: heap ${(grown / 1024).toFixed(0)} kB after ${String(SEQUENTIAL + PARALLEL)} calls`);
    expect(grown).toBeLessThan(MAX_GROWTH_BYTES);
    // At most one while they run, none afterwards.
    expect(most).toEqual([1, 0, 1, 0]);
    expect(getEventListeners(token.signal, 'abort')).toHaveLength(0);
    session.abort();
    token.cancel('user');
  });
});

describe.each(table)('S34 $major $name', (client) => {
  const CALLS = 60;

  itBare(`bare, ${String(CALLS)} calls leave listeners behind: ${client.defects.leaks}`, async () => {
    await using server = await startModelServer({ script: () => 'short answer' });
    const session = new AbortController();
    // Node 20 warns about the eleventh listener.
    setMaxListeners(0, session.signal);
    for (let call = 0; call < CALLS; call += 1) await client.call(server, bareStop(session.signal));
    const left = getEventListeners(session.signal, 'abort').length;
    if (client.defects.leaks === 'until collected') expect(left).toBeGreaterThan(0);
    else expect(left).toBe(client.defects.leaks === 'for ever' ? CALLS : 0);
  });

  it('many calls, in a row and at once, leave none, and hear no later stop', async () => {
    await using server = await startModelServer({ script: () => 'short answer' });
    const session = new AbortController();
    const once = async (call: number): Promise<void> => {
      if (call % 2 === 0) await cancellableCall(session.signal, (stop) => client.call(server, stop));
      else for await (const _event of cancellableStream(session.signal, (stop) => client.stream(server, stop)));
    };
    for (let call = 0; call < propertyRuns(100); call += 1) await once(call);
    for (let round = 0; round < propertyRuns(4); round += 1) {
      const calls = Promise.all(Array.from({ length: 50 }, (_, call) => once(call)));
      expect(getEventListeners(session.signal, 'abort').length).toBeLessThanOrEqual(1);
      await calls;
    }
    expect(getEventListeners(session.signal, 'abort')).toHaveLength(0);
    session.abort();
    expect(server.requests.filter(({ closedEarly }) => closedEarly)).toEqual([]);
  });
});
