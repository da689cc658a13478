import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  CancellationToken,
  CancellationTokenSource,
  classify,
  isCancellation,
  type CancelKind,
} from '../../src/index.ts';
import { loadCells, type Cell, type Places } from './classify-cells.ts';
import { majors } from './majors.ts';

const kinds: readonly CancelKind[] = [
  'user',
  'interjection',
  'superseded',
  'deadline',
  'idle',
  'budget',
  'sibling',
  'disconnect',
  'shutdown',
  'lease-lost',
  'unknown',
];

const cells = await Promise.all(majors.map(async (major) => ({ major: major.name, ...(await loadCells(major)) })));
const rows = (pick: 'stops' | 'limits' | 'failures'): (Cell & { major: string })[] =>
  cells.flatMap(({ major, [pick]: list }) => list.map((cell) => ({ ...cell, major })));

const servers: Server[] = [];
let places: Places;

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

beforeAll(async () => {
  const closed = await listen(() => undefined);
  places = {
    silent: await listen(() => undefined),
    stalled: await listen((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
    }),
    broken: await listen((_request, response) => {
      // A pause that is over soon enough for the clients which finish theirs.
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after-ms': '400' });
      response.end('{"error":{"message":"Overloaded","type":"overloaded_error"}}');
    }),
    closed,
  };
  // A port that was free a moment ago: nobody listens there.
  const [first] = servers.splice(0, 1);
  if (first !== undefined) await stop(first);
});

afterAll(async () => {
  await Promise.all(cells.map(({ close }) => close()));
  await Promise.all(servers.map(stop));
});

/** What a cell rejects with; nothing if it does not. */
async function errorOf(cell: Cell, signal: AbortSignal): Promise<{ readonly error: unknown }> {
  try {
    await cell.run(places, signal);
  } catch (error) {
    return { error };
  }
  throw new Error(`${cell.name} was not rejected`);
}

/** Cuts a cell once it is under way, and returns its error. */
async function cutWith(cell: Cell, kind: CancelKind): Promise<{ error: unknown; source: CancellationTokenSource }> {
  const source = new CancellationTokenSource();
  const running = errorOf(cell, source.signal);
  setTimeout(() => source.cancel({ kind, by: 'ada' }), 150);
  return { ...(await running), source };
}

const live = new CancellationTokenSource().token;

describe.concurrent.each(rows('stops'))('S14 $major $name', (cell) => {
  it('says whose stop it was, of every kind', async () => {
    const cuts = await Promise.all(kinds.map(async (kind) => ({ kind, ...(await cutWith(cell, kind)) })));
    for (const { kind, error, source } of cuts) {
      const isLimit = kind === 'deadline' || kind === 'idle';
      const verdict = classify(error, source.token);
      expect({ kind, verdict }).toEqual({
        kind,
        // Nothing is worth trying again under a token that is cancelled itself.
        verdict: { status: isLimit ? 'deadline' : 'cancelled', reason: source.reason, retryable: false },
      });
      expect(verdict.reason).toBe(source.reason);
      expect(isCancellation(error, source.token)).toBe(true);
      // The same of its signal, for people who hold no token.
      expect(classify(error, source.signal).reason).toBe(source.reason);
      // Under a token that nobody cancelled, it is nobody's we know.
      expect(classify(error, live).status).not.toBe('cancelled');
    }
  });
});

describe.concurrent.each(rows('limits'))('S14 $major $name: a limit of its own', (cell) => {
  it('is a limit, also in a run that a person stopped', async () => {
    const { error } = await errorOf(cell, new AbortController().signal);
    for (const token of [undefined, live, CancellationToken.alreadyCancelled('user')]) {
      const retryable = token?.isCancelled !== true;
      expect(classify(error, token)).toMatchObject({ status: 'deadline', retryable });
    }
  });
});

describe.concurrent.each(rows('failures'))('S14 $major $name: a genuine failure', (cell) => {
  it('that merely raced the cancel is still a failure', async () => {
    const { error } = await errorOf(cell, new AbortController().signal);
    for (const kind of kinds) {
      const token = CancellationToken.alreadyCancelled(kind);
      expect({ kind, ...classify(error, token) }).toEqual({ kind, status: 'failure', retryable: false });
      expect(isCancellation(error, token)).toBe(false);
    }
  });
});

it('S14 has all of its columns', () => {
  const names = rows('stops').map(({ major, name }) => `${major} ${name}`);
  for (const column of [
    'global fetch',
    'openai',
    'anthropic',
    'mcp',
    'ai',
    'p-retry',
    'execa',
    'axios',
    'grpc',
    'google',
    'abort(null)',
    'TypeError: terminated',
  ]) {
    expect(
      names.some((name) => name.startsWith(`newest ${column}`)),
      column,
    ).toBe(true);
  }
});
