/**
 * A stop after each piece of an answer: of every streaming API by its real SDK, of a plain download, and of every
 * framework's loop. Whatever had come is there, to the word; nothing is called complete, and nothing is left open.
 */
import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cancellableFetch } from '../../src/adapters/fetch/index.ts';
import { cancellableStream } from '../../src/adapters/llm/index.ts';
import { CancellationTokenSource, InterruptController } from '../../src/index.ts';
import { startModelServer, type ModelAnswer, type ModelServer } from '../../src/testing/model-server/index.ts';
import { loadClients, type Client } from './llm-clients.ts';
import { majors } from './majors.ts';
import { frameworks } from './support/frameworks/index.ts';
import { loops, wordsIn } from './support/matrix/cell.ts';
import { langchainWays } from './support/matrix/langchain-ways.ts';

const words = ['one', 'two', 'three', 'four'];
/** The last word is never sent: an answer cut after its last piece is whole. */
const text = [...words, 'five'].join(' ');
/** After 0 pieces, after 1, …, after all of them. */
const cuts = Array.from({ length: words.length + 1 }, (_, index) => index);
const said = (pieces: number): string => words.slice(0, pieces).join(' ');

async function serve(answer: ModelAnswer): Promise<ModelServer> {
  const server = await startModelServer({ script: [answer, 'too many'] });
  onTestFinished(() => server.close());
  return server;
}

/** Resolves when so many pieces have been sent, and had the time to arrive. */
async function sent(server: ModelServer, pieces: number): Promise<void> {
  await server.waitFor(({ requests }) => requests[0]?.status !== undefined && requests[0].deltasWritten === pieces);
  await new Promise((resolve) => setTimeout(resolve, 60));
  await loops();
}

const clients = (
  await Promise.all(
    majors.map(async (major) => (await loadClients(major)).map((client) => ({ ...client, major: major.name }))),
  )
).flat();

async function readAll(stream: AsyncIterable<unknown>): Promise<unknown> {
  try {
    for await (const _event of stream);
  } catch (error) {
    return error;
  }
  return 'ended as if it were complete';
}

describe.each(clients)('$major $name', (client) => {
  const open = (server: ModelServer, person: CancellationTokenSource) =>
    cancellableStream(person.signal, (stop) => client.stream(server, stop), { fold: client.fold });

  it('S15 cut after each piece that the provider sent, has exactly those words', async () => {
    await Promise.all(
      cuts.map(async (pieces) => {
        const server = await serve({ text, silentAfter: pieces });
        const person = new CancellationTokenSource();
        const stream = open(server, person);
        const reading = readAll(stream);
        await sent(server, pieces);
        person.cancel('user');
        expect(await reading).toBe(person.signal.reason);
        const { usage, isComplete, calls } = stream.partial;
        expect({ text: stream.partial.text, isComplete, calls }).toEqual({
          text: said(pieces),
          isComplete: false,
          calls: [],
        });
        expect(usage.isExact).toBe(false);
        expect(usage.outputTokens ?? 0).toBeLessThanOrEqual(Math.max(1, pieces));
        expect(await stream.closed).toEqual({ status: 'cancelled' });
        await server.waitFor(({ requests }) => requests[0]?.closedEarly);
        expect(server.requests).toHaveLength(1);
        expect(getEventListeners(person.signal, 'abort')).toEqual([]);
      }),
    );
  });

  it('S15 cut before the headers, says of its end what one cut after them says', async () => {
    const server = await serve({ text, delayMs: 60_000 });
    const person = new CancellationTokenSource();
    const stream = open(server, person);
    const reading = readAll(stream);
    await server.waitFor(({ requests }) => requests[0]);
    person.cancel('user');
    expect(await reading).toBe(person.signal.reason);
    expect(await stream.closed).toEqual({ status: 'cancelled' });
    expect(stream.partial.text).toBe('');
    await server.waitFor(({ requests }) => requests[0]?.closedEarly);
    expect(getEventListeners(person.signal, 'abort')).toEqual([]);
  });

  it('S15 cut after each event that was read, has exactly what those events said', async () => {
    const counted = await countEvents(client);
    await Promise.all(
      Array.from({ length: counted }, async (_, last) => {
        const server = await serve(half(client));
        const person = new CancellationTokenSource();
        const stream = open(server, person);
        const expected = client.fold();
        let read = 0;
        const error = await (async () => {
          try {
            for await (const event of stream) {
              expected.add(event);
              if (read++ === last) person.cancel('user');
            }
          } catch (thrown) {
            return thrown;
          }
          return 'ended as if it were complete';
        })();
        expect(error).toBe(person.signal.reason);
        expect(read).toBe(last + 1);
        expect({ ...stream.partial }).toEqual({ ...expected.value });
        expect(await stream.closed).toEqual({ status: 'cancelled' });
        await server.waitFor(({ requests }) => requests[0]?.closedEarly);
        expect(getEventListeners(person.signal, 'abort')).toEqual([]);
      }),
    );
  });
});

/** Words in four pieces, and a call: cut in two where a call comes in pieces, and before it where it comes whole. */
function half({ name }: Client) {
  const toolCalls = [{ name: 'read', input: { path: 'a.txt' } }];
  return { text, toolCalls, chunks: 4, silentAfter: /anthropic|openai/.test(name) ? 6 : 4 };
}

/** How many events come before the provider falls silent. */
async function countEvents(client: Client): Promise<number> {
  const server = await serve(half(client));
  const person = new CancellationTokenSource();
  let events = 0;
  const reading = readAll(
    (async function* () {
      for await (const event of cancellableStream(person.token, (stop) => client.stream(server, stop))) {
        events++;
        yield event;
      }
    })(),
  );
  await sent(server, half(client).silentAfter);
  person.cancel('user');
  await reading;
  expect(events).toBeGreaterThanOrEqual(half(client).silentAfter);
  return events;
}

it('S15 a download cut after each piece has every byte that was sent', async () => {
  await Promise.all(
    cuts.map(async (pieces) => {
      const server = await serve({ text, silentAfter: pieces });
      const person = new CancellationTokenSource();
      const response = cancellableFetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'go' }] }),
        headers: { 'content-type': 'application/json' },
        token: person.signal,
      });
      let bytes = 0;
      const reading = readAll(
        (async function* () {
          const { body } = await response;
          for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
            bytes += chunk.length;
            yield chunk;
          }
        })(),
      );
      await sent(server, pieces);
      person.cancel('user');
      expect(await reading).toBe(person.signal.reason);
      expect(bytes).toBe(server.requests[0]?.bytesWritten);
      await server.waitFor(({ requests }) => requests[0]?.closedEarly);
      expect(getEventListeners(person.signal, 'abort')).toEqual([]);
    }),
  );
});

describe.each(frameworks)('$name', (framework) => {
  it('S15 a loop cut after each piece has exactly those words in its report', async () => {
    await Promise.all(
      cuts.map(async (pieces) => {
        const server = await serve({ text, silentAfter: pieces });
        const outside = new AbortController();
        const agent = new InterruptController({ name: 'main', graceMs: 200, token: outside.signal });
        const running = agent.runTurn((turn) =>
          framework.run(turn, { baseURL: `${server.url}/v1`, stream: true, tools: { idle: () => 'ok' } }),
        );
        await sent(server, pieces);
        const { settled } = agent.cancel('user');
        const report = await running;
        expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
        const partials = report.partials.map(({ value }) => (value as { text: string }).text);
        expect(partials.join('')).toBe(said(pieces));
        const { operations } = await settled;
        const outcome = framework.isDeafInSilence === true ? 'abandoned' : 'cancelled';
        expect(operations.filter(({ kind }) => kind === 'model')).toMatchObject([{ outcome }]);
        if (framework.isDeafInSilence !== true) await server.waitFor(({ requests }) => requests[0]?.closedEarly);
        expect(server.requests).toHaveLength(1);
        await agent.close();
        expect(getEventListeners(outside.signal, 'abort')).toEqual([]);
      }),
    );
  });
});

const [newest] = majors as readonly [(typeof majors)[number]];
const wrapped = (await langchainWays(newest)).filter(({ hasWords }) => hasWords);

describe.each(wrapped)('$name', (way) => {
  it('S15 a model in this shape cut after each piece has exactly those words in its report', async () => {
    await Promise.all(
      cuts.map(async (pieces) => {
        const server = await serve(way.says(text, { silentAfter: pieces }));
        const outside = new AbortController();
        const agent = new InterruptController({ name: 'main', graceMs: 1000, token: outside.signal });
        const baseURL = `${server.url}/v1`;
        const running = agent.runTurn((turn) => way.run(turn, { baseURL, stream: way.stream, graceMs: 1000 }));
        await sent(server, pieces);
        const { settled } = agent.cancel('user');
        const report = await running;
        expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
        expect(wordsIn(report)).toBe(way.kept(said(pieces)));
        const { operations } = await settled;
        expect(operations).toMatchObject([{ kind: 'model', outcome: 'cancelled' }]);
        await server.waitFor(({ requests }) => requests[0]?.closedEarly);
        expect(server.requests).toHaveLength(1);
        await agent.close();
        expect(getEventListeners(outside.signal, 'abort')).toEqual([]);
      }),
    );
  });
});
