import { describe, expect, it } from 'vitest';

import { cancellableCall, cancellableStream } from '../../src/adapters/llm/index.ts';
import { classify } from '../../src/core/foundation/classify/classify.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { bareStop, loadClients, type Stop } from './llm-clients.ts';
import { majors } from './majors.ts';
import { itBare } from '../support/bare.ts';

/** Longer than a pause that nobody waits for may take, also on a machine that does other things. */
const SOON_MS = 500;
/** What the server asks for; the Google client makes 1 to 2 s of its own out of it. */
const PAUSE_S = 2;

const clients = await Promise.all(
  majors.map(async (major) => ({ major: major.name, clients: await loadClients(major) })),
);
const table = clients.flatMap(({ major, clients: all }) =>
  all
    // The one client that never calls again by itself.
    .filter(({ name }) => name !== 'ollama')
    .map((client) => ({ ...client, major })),
);

interface Paused {
  /** Milliseconds from the cancel to the answer. */
  readonly ms: number;
  readonly error: unknown;
  readonly requests: number;
}

/** Calls until the server has refused once, cancels in the client's pause, and waits until that must be over. */
async function cancelInPause(call: (url: string) => { cancel(): void; ended: PromiseLike<unknown> }): Promise<Paused> {
  const headers = { 'retry-after': String(PAUSE_S) };
  await using server = await startModelServer({ script: () => ({ status: 503, message: 'Overloaded', headers }) });
  const { cancel, ended } = call(server.url);
  const caught = Promise.resolve(ended).then(
    () => undefined,
    (error: unknown) => error,
  );
  await server.waitFor(({ requests }) => requests[0]?.finishedAt);
  // The client has to read the refusal before it pauses, beside all the other clients of this file.
  await new Promise((resolve) => setTimeout(resolve, 400));
  const cancelledAt = performance.now();
  cancel();
  const error = await caught;
  const ms = performance.now() - cancelledAt;
  await new Promise((resolve) => setTimeout(resolve, PAUSE_S * 1000 + 100 - ms));
  return { ms, error, requests: server.requests.length };
}

function under(call: (token: CancellationTokenSource, url: string) => PromiseLike<unknown>): Promise<Paused> {
  return cancelInPause((url) => {
    const person = new CancellationTokenSource();
    return { ended: call(person, url), cancel: () => person.cancel('user') };
  });
}

/** Cancelled, at once, and nothing was sent afterwards. */
function expectAbandoned({ ms, error, requests }: Paused): void {
  expect(ms).toBeLessThan(SOON_MS);
  expect(error).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
  // An abort is never worth another attempt.
  expect(classify(error).retryable).toBe(false);
  expect(requests).toBe(1);
}

describe.concurrent.each(table)('S09 $major $name: a cancel in the client’s own pause', (client) => {
  const target = (url: string): { url: string; retries: number } => ({ url, retries: 2 });

  itBare(`bare, ${client.defects.finishesPause ? 'is heard when the pause is over' : 'is heard at once'}`, async () => {
    const { ms, requests } = await cancelInPause((url) => {
      const controller = new AbortController();
      const ended = client.call(target(url), bareStop(controller.signal));
      return {
        ended,
        cancel: () => {
          controller.abort();
        },
      };
    });
    if (client.defects.finishesPause) expect(ms).toBeGreaterThan(SOON_MS);
    else expect(ms).toBeLessThan(SOON_MS);
    expect(requests).toBe(1);
  });

  it('ends a call at once', async () => {
    expectAbandoned(
      await under((person, url) => cancellableCall(person.token, (stop) => client.call(target(url), stop))),
    );
  });

  it('ends a stream at once', async () => {
    expectAbandoned(
      await under(async (person, url) => {
        const open = (stop: Stop): ReturnType<typeof client.stream> => client.stream(target(url), stop);
        for await (const _event of cancellableStream(person.token, open));
      }),
    );
  });
});
