/** What every door must say, each fact played with one door. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { expect, onTestFinished } from 'vitest';
import { cancellableTransport } from '../../../../src/adapters/mcp/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Turn } from '../../../../src/index.ts';
import type { ModelServer } from '../../../../src/testing/model-server/index.ts';
import { frameworkStage } from '../../stage.ts';
import { callsOf } from '../frameworks/loop-stage.ts';
import { doorStage, type Door, type FactName } from './door.ts';

/** The beginnings of the words of the table, whoever stopped. */
const words = {
  stopped: 'This call was stopped part-way',
  unknown: 'This call did not end when it was told to stop',
  declined: 'The user declined this call, so it did not run',
  notStarted: 'This call was not started, so nothing happened',
};
/** What a person says of a stop, by the harness: nobody else's business. */
const said = 'not this one';
/** What frameworks make of a tool that failed. */
const blame = /fix your mistakes|error occurred while running the tool|MCP error|AbortError/i;

type Tool = (signal: AbortSignal | undefined) => Promise<string>;

/** Stops the one call of a loop, which goes on; gives its row and what the model was told. */
async function stopAlone({ harness }: Door, tool: Tool) {
  if (harness === undefined) throw new Error('no loop');
  const { start, server, lastRequest } = await doorStage(harness, [callsOf('pay'), 'All done.', 'too many']);
  const begun = deferred();
  const run = start('go', {
    pay: (signal) => {
      begun.resolve();
      return tool(signal);
    },
  });
  await begun.promise;
  run.cancelCall?.('pay');
  await run.done;
  expect([run.status?.(), server.requests.length]).toEqual(['completed', 2]);
  for (const { body } of server.requests) expect(JSON.stringify(body)).not.toContain(said);
  expect(lastRequest()).not.toMatch(blame);
  return { row: run.calls?.()[0]?.status, told: lastRequest() };
}

const untilAborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = (): void => {
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });

/** Errors of the wrong class, and what is none. */
const thrown: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => 0,
  () => '',
  () => Symbol('failure'),
  () => Object.freeze(new Error('failure')),
  () => new DOMException('failure', 'AbortError'),
  () => Object.create(null) as object,
  () => ({
    get message() {
      throw new Error('a trap');
    },
  }),
];

/** What stands for a turn. */
const forms: readonly ((turn: Turn) => Turn)[] = [
  (turn) => ({ ...turn }),
  (turn) => new Proxy(turn, {}),
  (turn) => Object.create(turn) as Turn,
];

/** Every way in which a message may come upon a loop. */
function waysOf(frameworks: Door['frameworks'] = []) {
  const deliveries = ['now', 'next-model-call'] as const;
  return frameworks.flatMap(({ run }) =>
    [false, true].flatMap((stream) => deliveries.map((delivery) => ({ run, stream, delivery }))),
  );
}

/** Which requests say this. */
const whoWasTold = ({ requests }: ModelServer, said: string): boolean[] =>
  requests.map(({ body }) => JSON.stringify(body).includes(said));

/** A client of a server that works until it is told, which writes down what it is told. */
async function mcpClient() {
  const server = new McpServer({ name: 'bank', version: '1.0.0' });
  const told: unknown[] = [];
  server.registerTool('pay', { description: 'pays' }, async ({ signal }) => await untilAborted(signal));
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const heard = far.onmessage;
  far.onmessage = (message, extra) => {
    if ('method' in message && message.method === 'notifications/cancelled') told.push(message.params?.['reason']);
    heard?.(message, extra);
  };
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(cancellableTransport(near));
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { client, told };
}

export const facts: Readonly<Record<FactName, (door: Door) => Promise<void>>> = {
  async 'a call that is stopped alone is told as stopped part-way'(door) {
    const { row, told } = await stopAlone(door, untilAborted);
    expect(row).toBe('stopped');
    expect(told).toContain(words.stopped);
  },

  async 'a call that is left behind alone is told as one that may still complete'(door) {
    // What is left behind is held as still running until it ends, and with it all that its framework hung on the turn.
    const end = deferred();
    onTestFinished(() => {
      end.resolve();
    });
    const { row, told } = await stopAlone(door, () => end.promise.then(() => 'late'));
    expect(row).toBe('unknown');
    expect(told).toContain(words.unknown);
  },

  async 'a call that the person declines is told as declined'({ harness }) {
    if (harness === undefined) throw new Error('no loop');
    const { start, server, lastRequest } = await doorStage(harness, [callsOf('pay'), 'As you like.', 'too many']);
    const ran: string[] = [];
    const tools = { pay: () => Promise.resolve(String(ran.push('pay'))) };
    const ask = (_tool: string, respond: (isAllowed: boolean) => unknown): unknown => respond(false);
    const run = start('go', tools, { asks: ['pay'], ask });
    await run.done;
    expect([run.status?.(), server.requests.length, ran]).toEqual(['completed', 2, []]);
    expect(run.calls?.()).toMatchObject([{ status: 'declined' }]);
    expect(lastRequest()).toContain(words.declined);
    expect(lastRequest()).not.toMatch(blame);
  },

  async 'a call that a stop kept from its answer is told as not started'({ harness }) {
    if (harness === undefined) throw new Error('no loop');
    const { start, lastRequest } = await doorStage(harness, [callsOf('pay'), 'As you like.', 'too many']);
    const asked = deferred();
    const ran: string[] = [];
    const tools = { pay: () => Promise.resolve(String(ran.push('pay'))) };
    const run = start('go', tools, { asks: ['pay'], ask: () => asked.resolve() });
    await asked.promise;
    void run.cancel?.();
    await run.done;
    expect(run.calls?.()).toMatchObject([{ status: 'not-started' }]);
    await start('again', tools, { history: run.history?.() }).done;
    expect(lastRequest()).toContain(words.notStarted);
    expect([ran, run.status?.()]).toEqual([[], 'cancelled']);
  },

  async 'a stop of a request to a server of MCP is a stop, and tells that server nothing of the person'(door) {
    const { client, told } = await mcpClient();
    const { row, told: read } = await stopAlone(door, async (signal) =>
      JSON.stringify(await client.callTool({ name: 'pay' }, undefined, { signal: signal ?? null } as never)),
    );
    expect(row).toBe('stopped');
    expect(read).toContain(words.stopped);
    await eventually(() => {
      expect(told).toEqual(['Request cancelled']);
    });
  },

  async 'what each reply has cost counts for the budget'({ spend }) {
    const none = await spend?.({ outputTokens: 1_000_000 });
    expect(none?.report.status).toBe('completed');
    const { report, asked } = (await spend?.({ outputTokens: 1 })) ?? {};
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'budget' } });
    expect(asked).toBe(1);
  },

  async 'a tool that leaves its loop for a person is neither completed nor told'({ leave }) {
    const { rows, requests } = (await leave?.()) ?? {};
    expect(rows?.filter((row) => !row.endsWith(': stopped'))).toEqual([]);
    expect(requests).toHaveLength(1);
  },

  async 'a message is for the loop of the turn, and for none that is aside'({ frameworks }) {
    for (const { run, stream, delivery } of waysOf(frameworks)) {
      const { agent, server, baseURL } = await frameworkStage([
        { text: 'one two three four', toolCalls: [{ name: 'look', input: {} }], [stream ? 'chunkMs' : 'delayMs']: 50 },
        'A title.',
        'Done.',
        'too many',
      ]);
      const told = server
        .waitFor(({ requests: [first] }) => (stream ? first?.deltasWritten : first))
        .then(() => {
          agent.interject('use pnpm', { delivery });
        });
      const report = await agent.runTurn(async (turn) => {
        await run(turn, { baseURL, stream, aside: true, tools: { look: () => 'seen' } });
        await told;
        return run(turn, { baseURL, stream });
      });
      expect(report.unwrap()).toBe('Done.');
      expect(whoWasTold(server, 'use pnpm')).toEqual([false, false, true]);
      expect([report.partials, report.undelivered]).toEqual([[], []]);
    }
  },

  async 'a message is for the loop of the turn, and for none that a tool runs'({ frameworks }) {
    for (const { run, stream, delivery } of waysOf(frameworks)) {
      const { agent, server, baseURL } = await frameworkStage([
        callsOf('research'),
        callsOf('look'),
        'Found.',
        'Done.',
        'too many',
      ]);
      const look = (): string => {
        agent.interject('use pnpm', { delivery });
        return 'seen';
      };
      const report = await agent.runTurn((turn) => {
        const research = (): Promise<string> => run(turn, { baseURL, stream, tools: { look } });
        return run(turn, { baseURL, stream, tools: { research } });
      });
      expect(report.unwrap()).toBe('Done.');
      expect(whoWasTold(server, 'use pnpm')).toEqual([false, false, false, true]);
      expect([report.partials, report.undelivered]).toEqual([[], []]);
    }
  },

  async 'whatever a tool throws is a failure of its call'({ harness }) {
    if (harness === undefined) throw new Error('no loop');
    for (const make of thrown) {
      const { start } = await doorStage(harness, [callsOf('pay'), 'All done.', 'too many']);
      const run = start('go', { pay: () => Promise.reject(make()) });
      await run.done;
      expect(run.calls?.().map(({ status }) => status)).toEqual(['failed']);
      // A framework may fail itself where it reads the words of that.
      expect(run.status?.()).toMatch(/^(?:completed|failed)$/);
    }
  },

  async 'two hundred calls of one reply are stopped at once, each with a row'({ harness, mostAtOnce = 200 }) {
    if (harness === undefined) throw new Error('no loop');
    const many = Array.from({ length: 200 }, () => 'pay');
    const { start, server } = await doorStage(harness, [callsOf(...many), 'too many']);
    const all = deferred();
    let begun = 0;
    const pay: Tool = (signal) => {
      begun += 1;
      if (begun === mostAtOnce) all.resolve();
      return untilAborted(signal);
    };
    const run = start('go', { pay });
    await all.promise;
    void run.cancel?.();
    await run.done;
    expect([run.status?.(), server.requests.length]).toEqual(['cancelled', 1]);
    const rows = run.calls?.().map(({ status }) => status) ?? [];
    expect(rows.slice(0, begun)).toEqual(many.slice(0, begun).map(() => 'stopped'));
    expect(rows.slice(begun).filter((status) => status !== 'not-started')).toEqual([]);
  },

  async 'a copy of a turn, a proxy and an object made of it are that turn'({ frameworks = [] }) {
    for (const { run } of frameworks) {
      for (const made of forms) {
        const { agent, server, baseURL } = await frameworkStage([callsOf('pay'), 'too many']);
        const pay = ({ signal }: { readonly signal: AbortSignal | undefined }): Promise<never> => {
          const ended = untilAborted(signal);
          agent.cancel('user');
          return ended;
        };
        const report = await agent.runTurn((turn) => run(made(turn), { baseURL, tools: { pay } }));
        expect([report.status, server.requests.length]).toEqual(['cancelled', 1]);
        expect(report.calls.map(({ status }) => status)).toEqual(['stopped']);
      }
    }
  },
};
