import { Duplex, PassThrough, Readable, Writable, type ReadableOptions } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { describe, expect, it } from 'vitest';

import { guardTool } from '../../../src/guard/index.ts';
import { isIterated, isNodeStream, isWebStream } from '../../../src/guard/pieces/kinds.ts';
import { errorOf, stage, tick } from '../../core/interrupt/kit.ts';

/** What a tool returns, and the other side of it. */
interface Made {
  readonly given: AsyncIterable<unknown>;
  push(piece: unknown): void;
  end(): void;
  fail(error: Error): void;
  isClosed(): boolean;
  /** What makes it hear a stop, if that is not enough. */
  unwind?(): void;
}

const sides = { read: () => undefined, write: () => undefined };

function ofNode(Kind: typeof Readable | typeof Duplex, options: ReadableOptions): Made {
  let isClosed = false;
  const destroy: ReadableOptions['destroy'] = (error, done) => {
    isClosed = true;
    done(error);
  };
  const stream = new Kind({ objectMode: true, destroy, ...options });
  return {
    given: stream,
    push: (piece) => stream.push(piece),
    end: () => stream.push(null),
    fail: (error) => (options.autoDestroy === false ? stream.emit('error', error) : stream.destroy(error)),
    isClosed: () => isClosed,
  };
}

function ofWeb(type?: 'bytes'): Made {
  let controller!: ReadableStreamDefaultController<unknown>;
  let isClosed = false;
  const given = new ReadableStream({
    type,
    start: (own: typeof controller) => void (controller = own),
    cancel: () => void (isClosed = true),
  } as UnderlyingDefaultSource<unknown>);
  return {
    given,
    push: (piece) => {
      controller.enqueue(type === 'bytes' ? new TextEncoder().encode(piece as string) : piece);
    },
    end: () => {
      controller.close();
      (controller as { byobRequest?: ReadableStreamBYOBRequest | null }).byobRequest?.respond(0);
    },
    fail: (error) => {
      controller.error(error);
    },
    isClosed: () => isClosed,
  };
}

function ofGenerator(isInstance: boolean): Made {
  const source = ofNode(Readable, sides);
  const read = async function* (): AsyncGenerator {
    yield* source.given;
  };
  class Hits {
    [Symbol.asyncIterator] = read;
  }
  return {
    ...source,
    given: isInstance ? new Hits() : read(),
    unwind: () => {
      source.push('late');
    },
  };
}

const through = (): Made => {
  const source = ofNode(PassThrough, {});
  const given = source.given as PassThrough;
  return { ...source, push: (piece) => given.write(piece), end: () => given.end() };
};

type Seen = unknown[];
/** Reads everything, or the first piece; the result is what was seen, and how it ended. */
type Way = (stream: never, isFirst: boolean, seen: Seen) => Promise<unknown>;

const iteration: Way = async (stream: AsyncIterable<unknown>, isFirst, seen) => {
  for await (const piece of stream) if (seen.push(piece) === 1 && isFirst) break;
};
const data: Way = (stream: Readable, isFirst, seen) =>
  new Promise((resolve, reject) => {
    const see = (piece: unknown): void => {
      seen.push(piece);
      if (isFirst) resolve(stream.destroy());
    };
    stream.on('data', see).on('end', resolve).on('close', resolve).on('error', reject);
  });
const readable: Way = (stream: Readable, isFirst, seen) =>
  new Promise((resolve, reject) => {
    const see = (): void => {
      for (let piece: unknown; (piece = stream.read()) !== null;) seen.push(piece);
      if (isFirst && seen.length > 0) resolve(stream.destroy());
    };
    stream.on('readable', see).on('end', resolve).on('close', resolve).on('error', reject);
  });
const piped: Way = async (stream: Readable, isFirst, seen) => {
  const write = (piece: unknown, _encoding: unknown, done: () => void): void => void (seen.push(piece), done());
  if (isFirst) seen.push(...(await stream.take(1).toArray()));
  else await pipeline(stream, new Writable({ objectMode: true, write }));
};
const reader =
  (mode?: 'byob'): Way =>
  async (stream: ReadableStream<unknown>, isFirst, seen) => {
    // prettier-ignore
    const own = stream.getReader({ mode } as never) as unknown as { read(into: unknown): Promise<{ done: boolean; value: unknown }>; cancel(): Promise<void> }; // prettier-ignore
    const ask = () => own.read(mode && new Uint8Array(8));
    for (let each = await ask(); !each.done && seen.push(each.value) > 0; each = await ask()) if (isFirst) return own.cancel(); // prettier-ignore
  };
const pipedTo: Way = (stream: ReadableStream<unknown>, isFirst, seen) => {
  const all = stream.pipeTo(new WritableStream({ write: (piece) => { seen.push(piece); if (isFirst) throw new Error('enough'); } })); // prettier-ignore
  return isFirst ? errorOf(all) : all;
};
const response: Way = async (stream: ReadableStream<Uint8Array>, isFirst, seen) => {
  if (isFirst) await reader()(stream as never, isFirst, seen);
  else seen.push(await new Response(stream).text());
};

const ofNodeWays = { iteration, data, readable, pipeline: piped };
const ofWebWays = { iteration, 'a reader': reader(), pipeTo: pipedTo };

const kinds: Readonly<Record<string, readonly [() => Made, Readonly<Record<string, Way>>]>> = {
  'a stream of Node': [() => ofNode(Readable, sides), ofNodeWays],
  'a stream of Node that says nothing of its close': [
    () => ofNode(Readable, { ...sides, emitClose: false }),
    ofNodeWays,
  ],
  'a stream of Node that outlives its errors': [() => ofNode(Readable, { ...sides, autoDestroy: false }), ofNodeWays],
  'a stream of Node that does both': [
    () => ofNode(Readable, { ...sides, autoDestroy: false, emitClose: false }),
    ofNodeWays,
  ],
  'a duplex stream of Node': [() => ofNode(Duplex, sides), ofNodeWays],
  'a transform of Node': [through, ofNodeWays],
  'a stream of the web': [() => ofWeb(), ofWebWays],
  'a stream of bytes': [() => ofWeb('bytes'), { ...ofWebWays, 'memory of its reader': reader('byob'), response }],
  'a generator': [() => ofGenerator(false), { iteration }],
  'an object that is iterated': [() => ofGenerator(true), { iteration }],
};
const isStream = (kind: string): boolean => kind.includes('stream') || kind.includes('transform');

const broken = new Error('broken');
type End = (made: Made, stop: () => void) => void;
const ends: Readonly<Record<string, readonly [End, row: object]>> = {
  'read wholly': [(made) => { made.push('b'); made.end(); }, { status: 'completed' }], // prettier-ignore
  left: [() => undefined, { status: 'completed' }],
  errored: [(made) => { made.fail(broken); }, { status: 'failed', error: broken }], // prettier-ignore
  stopped: [(made, stop) => { stop(); made.unwind?.(); }, { status: 'stopped', reason: { kind: 'user' } }], // prettier-ignore
};

async function read(kind: string, way: string, end: string, isGuarded: boolean) {
  const { agent } = stage();
  const [make, ways] = kinds[kind]!;
  const made = make();
  const tool = (_options: object) => made.given;
  const seen: unknown[] = [];
  const report = await agent.runTurn(async ({ signal }) => {
    const given = (isGuarded ? guardTool(tool) : tool)({ signal, toolCallId: 'a' });
    const reading = ways[way]!(given as never, end === 'left', seen).then(() => 'end', (error: unknown) => error); // prettier-ignore
    await tick();
    made.push('a');
    await tick();
    ends[end]![0](made, () => agent.cancelCall('a', 'user'));
    return [seen, await reading];
  });
  return { report, made, told: report.unwrap() };
}

const rows = Object.entries(kinds).flatMap(([kind, [, ways]]) =>
  Object.keys(ways).flatMap((way) => Object.keys(ends).map((end) => [kind, way, end] as const)),
);

describe('what a guarded tool returns at once', () => {
  it.each(rows)('%s, read by %s and %s, is one call of that end', async (kind, way, end) => {
    const { report, made, told } = await read(kind, way, end, true);
    expect(report.calls).toMatchObject([{ id: 'a', ...ends[end]![1] }]);
    if (end !== 'stopped') expect(told).toEqual((await read(kind, way, end, false)).told);
    else expect(told).toMatchObject([{}, { name: 'AbortError', reason: { kind: 'user' } }]);
    if (end === 'stopped' || end === 'left') expect(made.isClosed()).toBe(true);
    // A chunk is no result.
    if (isStream(kind)) expect([report.calls[0]].map((row) => [Reflect.get(row!, 'value'), Reflect.get(row!, 'partial')])).toEqual([[undefined, undefined]]); // prettier-ignore
  });

  it.each(Object.keys(kinds))('%s that is forgotten half-read keeps its turn until it is stopped', async (kind) => {
    const { agent, events } = stage();
    const made = kinds[kind]![0]();
    made.push('a');
    const turn = agent.runTurn(({ signal }) => {
      guardTool(function tail(_options: object) {
        return made.given;
      })({ signal });
    });
    await tick();
    (globalThis as unknown as { gc: () => void }).gc();
    await tick();
    expect(events.find(({ type }) => type === 'body-ended')).toMatchObject({ running: ['tail'] });
    agent.cancel('user');
    const report = await turn;
    expect([report.status, report.calls.map(({ status }) => status)]).toEqual(['cancelled', ['stopped']]);
    expect(made.isClosed()).toBe(isStream(kind));
  });

  it.each(Object.keys(kinds))('%s that a refused call does not return is read with the refusal', async (kind) => {
    const { agent, clock } = stage();
    const made: Made[] = [];
    const running = agent.runTurn(async ({ signal }) => {
      const tool = guardTool((_options: object) => {
        const each = kinds[kind]![0]();
        made.push(each);
        return each.given;
      });
      agent.cancel('user');
      // Nobody waits for this one.
      tool({ signal });
      await iteration(tool({ signal }) as never, false, []);
    });
    await tick();
    await clock.advance(1_000);
    const report = await running;
    expect([report.status, ...report.calls.map(({ status }) => status)]).toEqual(['cancelled', 'not-started', 'not-started']); // prettier-ignore
    expect(made).toEqual([]);
  });

  it('what a guarded tool throws at once in the place of a stream is heard by who reads it', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ signal }) => {
      const tool = guardTool((_options: object): Readable => {
        throw broken;
      });
      return await errorOf(iteration(tool({ signal }) as never, false, []));
    });
    expect(report.unwrap()).toBe(broken);
    expect(report.calls).toMatchObject([{ status: 'failed', error: broken }]);
  });
});

describe('what a tool returns', () => {
  it('what a tool returns is told from what is waited for', () => {
    const thenable = Object.assign(Readable.from([]), { then: () => undefined });
    const given = [
      new PassThrough(),
      new Writable(),
      new Blob([]).stream(),
      ofGenerator(true).given,
      thenable,
      {},
      null,
    ];
    expect(given.map(isNodeStream)).toEqual([true, true, false, false, false, false, false]);
    expect(given.map(isWebStream)).toEqual([false, false, true, false, false, false, false]);
    expect(given.map(isIterated)).toEqual([true, false, true, true, false, false, false]);
  });
});
