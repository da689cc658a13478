import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
  cancellableCall,
  cancellableStream,
  describeUsage,
  readStream,
  type CancellableStream,
} from '../../src/adapters/llm/index.ts';
import { classify } from '../../src/core/foundation/classify/classify.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { startModelServer, type ModelScript, type ModelServer } from '../../src/testing/model-server/index.ts';
import { bareStop, loadClients, type AnyReply, type Client } from './llm-clients.ts';
import { majors } from './majors.ts';
import { eventually } from '../support/eventually.ts';
import { limitMs } from '../support/limit.ts';
import { itBare } from '../support/bare.ts';

const words = Array.from({ length: 200 }, (_, index) => `word${String(index)}`).join(' ');
/** Generous on a machine that does other things; whatever waited for the answer would take four seconds. */
const SOON_MS = 500;

const clients = await Promise.all(
  majors.map(async (major) => ({ major: major.name, clients: await loadClients(major) })),
);
const table = clients.flatMap(({ major, clients: all }) => all.map((client) => ({ ...client, major })));

let server: ModelServer;

async function serve(script: ModelScript): Promise<void> {
  server = await startModelServer({ script });
}

afterEach(async () => {
  await server.close();
});

/** The error of a promise that must not be kept. */
async function failure(promise: PromiseLike<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`was not rejected, but resolved with ${String(value)}`);
}

/** Reads bare, as anybody would, and stops after some words. */
async function readBare(client: Client, controller: AbortController, until: string): Promise<AnyReply> {
  const fold = client.fold();
  for await (const event of await client.stream(server, bareStop(controller.signal))) {
    fold.add(event);
    if (fold.value.text === until) controller.abort();
  }
  return fold.value;
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _event of stream);
}

describe.each(table)('$major $name', (client) => {
  describe('S15 cut is not completion', () => {
    beforeEach(() => serve([{ text: words, chunkMs: 20 }]));

    itBare(
      `bare, the loop ${client.defects.endsNormally ? 'ends as if it were one' : 'ends with an error of its own'}`,
      async () => {
        const reading = readBare(client, new AbortController(), 'word0 word1');
        if (client.defects.endsNormally) await expect(reading).resolves.toMatchObject({ isComplete: false });
        else expect(classify(await failure(reading)).status).toBe('foreign-abort');
      },
    );

    it('ends as cancelled, with the partial text, and the socket closed', async () => {
      const person = new CancellationTokenSource();
      let cancelledAt = 0;
      let saidByThen = '';
      let last: AnyReply | undefined;
      const reading = readStream(person.token, (stop) => client.stream(server, stop), {
        fold: client.fold,
        onProgress: (reply) => {
          last = reply;
          if (reply.text !== 'word0 word1' || cancelledAt !== 0) return;
          // From outside, while the read waits: as a key press comes.
          cancelledAt = Infinity;
          setTimeout(() => {
            saidByThen = last?.text ?? '';
            cancelledAt = performance.now();
            person.cancel('user');
          }, 10);
        },
      });
      expect(await failure(reading)).toBe(person.signal.reason);
      expect(performance.now() - cancelledAt).toBeLessThan(SOON_MS);
      expect(last?.text).toBe(saidByThen);
      expect(saidByThen).toMatch(/^word0 word1/);
      expect(last?.isComplete).toBe(false);

      const request = await server.waitFor(({ requests }) => requests.find(({ closedEarly }) => closedEarly));
      expect(performance.now() - cancelledAt).toBeLessThan(2 * SOON_MS);
      expect(request.deltasWritten).toBeLessThan(50);
    });

    it('while connecting, before a byte has come', async () => {
      await server.close();
      await serve([{ silent: true }]);
      const person = new CancellationTokenSource();
      const reading = failure(drain(cancellableStream(person.token, (stop) => client.stream(server, stop))));
      await server.waitFor(({ requests }) => requests[0]);
      person.cancel('user');
      expect(await reading).toBe(person.signal.reason);
      await server.waitFor(({ requests }) => requests[0]?.closedEarly);
    });
  });

  describe('leaving the loop', () => {
    beforeEach(() => serve([{ text: words, chunkMs: 20 }]));

    itBare(`bare, ${client.defects.breakLeavesOpen ? 'leaves the model talking' : 'closes the socket'}`, async () => {
      const controller = new AbortController();
      for await (const _event of await client.stream(server, bareStop(controller.signal))) break;
      await sleep(200);
      expect(server.requests[0]?.closedEarly).toBe(!client.defects.breakLeavesOpen);
      controller.abort();
    });

    it('closes the socket', async () => {
      let stream: CancellableStream<unknown> | undefined;
      for await (const _event of (stream = cancellableStream(undefined, (stop) => client.stream(server, stop)))) break;
      await expect(stream.closed).resolves.toMatchObject({ status: 'cancelled' });
      await server.waitFor(({ requests }) => requests[0]?.closedEarly);
    });
  });

  it('S16 a cut stream’s usage is unknown, at least what came, never 0', async () => {
    await serve([{ text: words, silentAfter: 5 }]);
    const person = new CancellationTokenSource();
    const stream = cancellableStream(person.token, (stop) => client.stream(server, stop), { fold: client.fold });
    const reading = failure(drain(stream));
    await server.waitFor(({ requests }) => requests[0]?.deltasWritten === 5);
    await eventually(() => {
      expect(stream.partial.text).toMatch(/word4$/);
    });
    person.cancel('user');
    await reading;
    const { usage } = stream.partial;
    expect(usage.isExact).toBe(false);
    expect(usage.outputTokens).toBeGreaterThan(0);
    expect(usage.outputTokens).toBeLessThanOrEqual(5);
    expect(describeUsage(usage)).toMatch(/^unknown, at least (10 input and )?\d output tokens$/);
  });

  it('reads a whole reply, streamed and not', async () => {
    await serve([{ text: 'All of it.' }, { text: 'All of it.' }]);
    const reply = await readStream(undefined, (stop) => client.stream(server, stop), { fold: client.fold });
    expect(reply).toMatchObject({ text: 'All of it.', isComplete: true });
    const whole = await cancellableCall(undefined, (stop) => client.call(server, stop));
    expect(JSON.stringify(whole)).toContain('All of it.');
    await server.waitFor(({ requests }) => requests.every(({ finishedAt }) => finishedAt !== undefined));
    expect(server.requests.map(({ closedEarly }) => closedEarly)).toEqual([false, false]);
  });

  it('S10 reports silence as its own idle limit, retryable, with the partial text', async () => {
    await serve([{ text: words, silentAfter: 2 }]);
    const stream = cancellableStream(undefined, (stop) => client.stream(server, stop), {
      fold: client.fold,
      idleMs: limitMs(250),
    });
    const error = await failure(drain(stream));
    expect(error).toMatchObject({ name: 'TimeoutError', limitMs: limitMs(250), reason: { kind: 'idle' } });
    expect(classify(error)).toMatchObject({ status: 'deadline', retryable: true });
    expect(stream.partial.text).toBe('word0 word1');
    await server.waitFor(({ requests }) => requests[0]?.closedEarly);
  });

  it('leaves a failure a failure', async () => {
    await serve(() => ({ status: 503, message: 'Overloaded' }));
    const person = new CancellationTokenSource();
    const open = (): Promise<unknown> => drain(cancellableStream(person.token, (stop) => client.stream(server, stop)));
    for (const call of [open, () => cancellableCall(person.token, (stop) => client.call(server, stop))]) {
      const error = await failure(call());
      expect(classify(error, person.token)).toEqual({ status: 'failure', retryable: undefined });
    }
  });

  it('S15 a whole answer ends as cancelled, by the token or by a limit, and the socket closes', async () => {
    await serve(() => ({ text: words, chunkMs: 20 }));
    const person = new CancellationTokenSource();
    const asking = failure(cancellableCall(person.token, (stop) => client.call(server, stop)));
    await server.waitFor(({ requests }) => requests[0]);
    const cancelledAt = performance.now();
    person.cancel('user');
    expect(await asking).toBe(person.signal.reason);
    expect(performance.now() - cancelledAt).toBeLessThan(SOON_MS);
    await server.waitFor(({ requests }) => requests[0]?.closedEarly);

    const limited = cancellableCall(undefined, (stop) => client.call(server, stop), { timeoutMs: 100 });
    expect(await failure(limited)).toMatchObject({
      name: 'TimeoutError',
      limitMs: 100,
      reason: { kind: 'deadline' },
    });
    await server.waitFor(({ requests }) => requests.every(({ closedEarly }) => closedEarly));
  });
});

/** Only these cut their calls into deltas. */
const fragmented = table.filter(({ name }) => /anthropic|openai/.test(name));

it.each(fragmented)('$major $name keeps a cut tool call as a fragment, and never as a call', async (client) => {
  await serve([
    { text: 'Looking.', toolCalls: [{ name: 'read', input: { path: 'a.txt' } }], chunks: 4, silentAfter: 7 },
  ]);
  const person = new CancellationTokenSource();
  const stream = cancellableStream(person.token, (stop) => client.stream(server, stop), { fold: client.fold });
  const reading = failure(drain(stream));
  await eventually(() => {
    expect(stream.partial.fragments[0]?.json).toBe('{"path":"a.t');
  });
  person.cancel('user');
  expect(await reading).toBe(person.signal.reason);
  const { text, calls, fragments, message } = stream.partial;
  expect({ text, calls, fragments }).toEqual({
    text: 'Looking.',
    calls: [],
    fragments: [{ id: expect.any(String) as string, name: 'read', json: '{"path":"a.t' }],
  });
  expect(JSON.stringify(message)).not.toContain('read');
});
