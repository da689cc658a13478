import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { cancellableCall, cancellableStream } from '../../src/adapters/llm/index.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { startModelServer, type ModelServer } from '../../src/testing/model-server/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { bareStop, loadClients, type Client } from './llm-clients.ts';
import { majors } from './majors.ts';
import { itBare } from '../support/bare.ts';

const words = Array.from({ length: 200 }, (_, index) => `word${String(index)}`).join(' ');
/** So many at a time: enough to hit connecting, waiting and streaming, and few enough for the loopback. */
const WIDTH = 50;
const inRounds = (times: number): number => Math.ceil(times / WIDTH) * WIDTH;
const ABORTS = inRounds(propertyRuns(1000));
/** Of every client. */
const CANCELS = inRounds(propertyRuns(200));

const clients = await Promise.all(
  majors.map(async (major) => ({ major: major.name, clients: await loadClients(major) })),
);
const table = clients.flatMap(({ major, clients: all }) => all.map((client) => ({ ...client, major })));

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer({ script: () => ({ text: words, chunkMs: 5 }) });
});

afterEach(async () => {
  await server.close();
});

const events = ['unhandledRejection', 'uncaughtException'] as const;

/** Runs something while nobody else hears what goes wrong, and returns what did. */
async function unheardDuring(work: () => Promise<void>): Promise<unknown[]> {
  const heard: unknown[] = [];
  const hear = (error: unknown): void => {
    heard.push(error);
  };
  const others = events.map((event) => [event, process.listeners(event as 'unhandledRejection')] as const);
  for (const event of events) process.removeAllListeners(event).on(event, hear);
  try {
    await work();
    // Node decides what is unhandled after the microtasks, so one turn later; late losers get some more.
    await new Promise((resolve) => setTimeout(resolve, 50));
  } finally {
    for (const [event, listeners] of others) {
      process.removeAllListeners(event);
      for (const listener of listeners) process.on(event, listener);
    }
  }
  return heard;
}

/** Aborts the SDK's helper itself, where it has the method. */
function abortHelper(stream: object): void {
  (stream as { abort?: () => void }).abort?.();
}

/** Does it many times, in rounds, with the place of each in its round. */
async function rounds(times: number, work: (place: number) => Promise<unknown>): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  for (let done = 0; done < times; done += WIDTH) {
    const settled = await Promise.allSettled(Array.from({ length: WIDTH }, (_, place) => work(place)));
    for (const outcome of settled) outcomes.push(outcome.status === 'rejected' ? outcome.reason : 'not cut');
  }
  return outcomes;
}

function kindsOf(outcomes: readonly unknown[]): Record<string, number> {
  const count: Record<string, number> = {};
  for (const outcome of outcomes) {
    const { name = String(outcome), reason } = outcome as { name?: string; reason?: { kind?: string } };
    const key = `${name} ${reason?.kind ?? ''}`.trim();
    count[key] = (count[key] ?? 0) + 1;
  }
  return count;
}

function cancelAfter(person: CancellationTokenSource, ms: number): void {
  if (ms === 0) queueMicrotask(() => person.cancel('user'));
  else setTimeout(() => person.cancel('user'), ms);
}

describe.each(table.filter(({ isHelper }) => isHelper))('S35 $major $name', (client: Client & { major: string }) => {
  itBare('bare, a helper that is aborted before anybody reads it rejects to nobody', async () => {
    const unheard = await unheardDuring(async () => {
      const stream = client.stream(server, bareStop(new AbortController().signal));
      abortHelper(stream);
      await Promise.resolve(stream);
    });
    expect(unheard).toHaveLength(1);
    expect(unheard[0]).toMatchObject({ message: 'Request was aborted.' });
  });

  it(`.abort() of the helper, ${String(ABORTS)} times: rejects to the reader and to nobody else`, async () => {
    const outcomes: unknown[] = [];
    const unheard = await unheardDuring(async () => {
      outcomes.push(
        ...(await rounds(ABORTS, async (place) => {
          const stream = cancellableStream(undefined, (stop) => {
            const helper = client.stream(server, stop);
            // At once, in its first microtask, or some way into the stream; by a promise or not.
            if (place % 10 === 0) abortHelper(helper);
            else if (place % 10 === 1)
              queueMicrotask(() => {
                abortHelper(helper);
              });
            else
              setTimeout(() => {
                abortHelper(helper);
              }, place);
            return place % 2 === 0 ? helper : Promise.resolve(helper);
          });
          for await (const _event of stream);
        })),
      );
    });
    expect(unheard).toEqual([]);
    expect(outcomes).toHaveLength(ABORTS);
    expect(outcomes.filter((error) => !(error instanceof Error && /aborted/i.test(error.message)))).toEqual([]);
  });
});

describe.each(table)('S35 $major $name', (client: Client & { major: string }) => {
  it(`${String(CANCELS)} cancels, with callbacks that throw and late losers, crash nothing and lose nothing`, async () => {
    const reported: unknown[] = [];
    const cuts: string[] = [];
    const outcomes: unknown[] = [];
    const unheard = await unheardDuring(async () => {
      outcomes.push(
        ...(await rounds(CANCELS, async (place) => {
          const person = new CancellationTokenSource({ onCallbackError: (error) => reported.push(error) });
          const before = person.token.onCancelled(() => {
            throw new Error('a callback that throws');
          });
          cancelAfter(person, place);
          try {
            if (place % 5 === 4) await cancellableCall(person.token, (stop) => client.call(server, stop));
            else {
              const stream = cancellableStream(person.token, (stop) => client.stream(server, stop), {
                fold: client.fold,
                onCut: (partial, reason) => {
                  cuts.push(reason.kind);
                  throw new Error(`an onCut that throws: ${partial.text}`);
                },
              });
              for await (const _event of stream);
            }
          } finally {
            before.unregister();
          }
        })),
      );
    });
    expect(unheard).toEqual([]);
    expect(kindsOf(outcomes)).toEqual({ 'AbortError user': CANCELS });
    // Every other callback ran, and what they threw was told.
    const streams = CANCELS * (4 / 5);
    expect(cuts).toEqual(Array.from({ length: streams }, () => 'user'));
    expect(reported).toHaveLength(CANCELS + streams);
    await server.waitFor(({ requests }) => requests.every(({ closedAt }) => closedAt !== undefined));
  });
});
