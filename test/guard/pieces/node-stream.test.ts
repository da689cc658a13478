import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { addAbortSignal, Duplex, PassThrough, Readable, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { createCancelledError, createReason } from '../../../src/core/inside.ts';
import { guardTool } from '../../../src/guard/index.ts';
import { errorOf, stage, tick } from '../../core/interrupt/kit.ts';

const node = (): Readable => Readable.from(['a', 'b']);
const through = (): PassThrough => new PassThrough({ objectMode: true });

async function all(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _piece of stream);
}

/** Whatever is read is kept from the collector. */
async function read<S extends object>(make: () => S, way: (stream: S) => unknown) {
  const { agent } = stage();
  const report = await agent.runTurn(async ({ signal }) => {
    const stream = guardTool((_options: object) => make())({ signal });
    await way(stream);
    return stream;
  });
  return { status: report.status, calls: report.calls.map(({ status }) => status) };
}

/** One that says something now and then, and never ends. */
const endless = (): Readable => {
  const stream = new Readable({ read: () => undefined });
  stream.push('a\n');
  return stream;
};

const kinds: Record<string, () => Readable> = {
  readable: endless,
  piped: () => endless().pipe(createGzip()),
  composed: () => endless().compose(new PassThrough()) as Duplex,
  'made by Duplex.from': () => Duplex.from(endless()),
  wrapped: () => new Readable().wrap(endless()),
};

/** What is a stream of its own, and fails with the first. */
const madeOf: Record<string, (stream: Readable) => Readable> = {
  map: (stream) => stream.map((piece: unknown) => piece),
  compose: (stream) => stream.compose(new PassThrough()) as Duplex,
  'Duplex.from': (stream) => Duplex.from(stream),
  wrap: (stream) => new Readable().wrap(stream),
};

/** What each does that hears of an end settles, and what it heard of it is there. */
const readers: Record<string, (stream: Readable, heard: unknown[]) => unknown> = {
  nobody: () => undefined,
  'a listener for data': (stream) => void stream.on('data', () => undefined),
  'a listener for errors': (stream, heard) => void stream.resume().on('error', (error) => heard.push(error)),
  pipe: (stream) => void stream.pipe(new PassThrough()).resume(),
  ...Object.fromEntries(
    Object.entries(madeOf).map(([name, make]) => [
      `a listener for errors of a stream made by ${name}`,
      (stream: Readable, heard: unknown[]) =>
        void make(stream)
          .on('error', (error) => heard.push(error))
          .resume(),
    ]),
  ),
  'a listener for lines': (stream) => void createInterface(stream).on('line', () => undefined),
  lines: (stream) => all(createInterface(stream)),
  iteration: all,
  finished: (stream) => finished(stream.resume()),
  once: (stream) => once(stream.resume(), 'end'),
  pipeline: (stream) => pipeline(stream, new PassThrough().resume()),
  'a stream of the web': (stream) => all(Readable.toWeb(stream)),
};

describe('a stream of Node that a tool returns', () => {
  it.each<[string, (stream: Readable) => unknown]>([
    ['pipe', (stream) => all(stream.pipe(through()))],
    ['toArray', (stream) => stream.toArray()],
    ['destroy', (stream) => stream.destroy()],
    ['take', (stream) => stream.take(1).toArray()],
    ['find', (stream) => stream.find((piece) => piece === 'a')],
    ['disposal', async (stream) => { await using _own = stream; }], // prettier-ignore
  ])('a stream of Node is one call that ends with it, read by %s', async (_name, way) => {
    expect(await read(node, way)).toEqual({ status: 'completed', calls: ['completed'] });
  });

  it.each<[string, (stream: Readable) => Promise<unknown>]>([
    ['destroy with an error', (stream) => finished(stream.destroy(new Error('enough')))],
    [
      'destroy with the stop of another',
      (stream) => finished(stream.destroy(createCancelledError(createReason({ kind: 'user' })))),
    ],
    ['a signal of the reader', (stream) => finished(addAbortSignal(AbortSignal.abort(), stream))],
    ['a pipeline that its reader stops', (stream) => pipeline(stream, through(), { signal: AbortSignal.abort() })],
  ])('a stream of Node that its reader ends with an error is a call that failed with it, by %s', async (_name, way) => {
    const { agent } = stage();
    const report = await agent.runTurn(({ signal }) =>
      errorOf(way(guardTool((_options: object) => node())({ signal }))),
    );
    expect(report.calls).toMatchObject([{ status: 'failed', error: report.unwrap() }]);
  });

  it('a stream of Node stays what the tool returned, and to guard it starts no flow and hears no error', async () => {
    const { agent } = stage();
    const stream = new Readable({ read: () => undefined, autoDestroy: false });
    const broken = new Error('broken');
    const report = await agent.runTurn(({ signal }) => {
      expect(guardTool((_options: object) => stream)({ signal })).toBe(stream);
      expect([stream.readableFlowing, stream.listenerCount('error')]).toEqual([null, 0]);
      expect(() => stream.emit('error', broken)).toThrow(broken);
    });
    expect(report.calls).toMatchObject([{ status: 'failed', error: broken }]);
  });

  it.each(Object.entries(readers))(
    'a stream of Node that is stopped tells its reader so, and throws nothing: %s',
    async (_reader, use) => {
      for (const [kind, make] of Object.entries(kinds)) {
        const thrown: unknown[] = [];
        const hear = (error: unknown): void => void thrown.push(error);
        process.on('uncaughtException', hear);
        const heard: unknown[] = [];
        const { agent } = stage();
        const report = await agent.runTurn(async ({ signal }) => {
          const stream = guardTool((_options: object) => make())({ signal, toolCallId: 'a' });
          const used = Promise.resolve(use(stream, heard)).catch((error: unknown) => void heard.push(error));
          await new Promise((flowing) => setImmediate(flowing));
          agent.cancelCall('a', 'user');
          await Promise.all([used, new Promise((closed) => stream.on('close', closed))]);
          await new Promise((late) => setImmediate(late));
          expect(Object.hasOwn(stream, 'emit'), kind).toBe(false);
          // Who comes later hears of it as well.
          heard.push(await errorOf(finished(stream)));
        });
        process.off('uncaughtException', hear);
        expect([kind, report.calls[0]?.status, thrown]).toEqual([kind, 'stopped', []]);
        expect(new Set(heard).size, kind).toBe(1);
        expect(heard[0], kind).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
      }
    },
  );

  const passing = (stream: Readable) => {
    const emit = stream.emit.bind(stream);
    stream.emit = (name: string | symbol, ...args: unknown[]) => emit(name, ...args);
    return stream.emit;
  };
  const nothing = (): void => undefined;

  it.each<[string, () => Readable, (stream: Readable) => unknown, (stream: Readable) => unknown]>([
    ['tells of no close', () => new Readable({ read: nothing, emitClose: false }), nothing, nothing],
    ['its reader has destroyed', endless, (stream) => void stream.destroy(), nothing],
    [
      'says more while it ends',
      () =>
        new Readable({
          read: nothing,
          destroy(error, done) {
            this.emit('aborted');
            done(error);
          },
        }),
      nothing,
      nothing,
    ],
    ['somebody else hears all of before', endless, passing, nothing],
    ['somebody else hears all of since the stop', endless, nothing, passing],
  ])(
    'a stop leaves on a stream of Node what others have put there, and nothing more, if %s',
    async (_what, make, before, after) => {
      const { agent } = stage();
      const stream = make();
      const report = await agent.runTurn(async ({ signal }) => {
        guardTool((_options: object) => stream)({ signal, toolCallId: 'a' });
        const own = [before(stream)];
        agent.cancelCall('a', 'user');
        own.push(after(stream));
        await new Promise((over) => setImmediate(over));
        expect(Object.getOwnPropertyDescriptor(stream, 'emit')?.value).toBe(own.find((each) => each !== undefined));
      });
      expect(report.calls).toMatchObject([{ status: 'stopped' }]);
    },
  );

  it('a stream of Node that was stopped throws what is no stop', async () => {
    const { agent } = stage();
    const stream = endless();
    await agent.runTurn(async ({ signal }) => {
      guardTool((_options: object) => stream)({ signal, toolCallId: 'a' });
      agent.cancelCall('a', 'user');
      await new Promise((closed) => stream.on('close', closed));
    });
    const broken = new Error('broken');
    expect(() => stream.emit('error', broken)).toThrow(broken);
  });

  it('a stream of Node that hears the stop by its own signal was stopped', async () => {
    const { agent } = stage();
    const make = ({ signal }: { readonly signal: AbortSignal }) => addAbortSignal(signal, new Readable({ read: () => undefined })); // prettier-ignore
    const running = agent.runTurn(({ signal }) => errorOf(all(guardTool(make)({ signal }))));
    await tick();
    agent.cancel('user');
    expect((await running).calls).toMatchObject([{ status: 'stopped' }]);
  });

  it('a stream of Node that is made for writing alone lasts until all is written', async () => {
    const { agent, events } = stage();
    const write = (_piece: unknown, _encoding: unknown, done: () => void): void => { done(); }; // prettier-ignore
    for (const stream of [new Writable({ write }), new Duplex(Object.assign({ write }, { readable: false }))]) {
      const running = agent.runTurn(
        ({ signal }) => void guardTool((_options: object) => stream)({ signal }).write('a'),
      );
      await tick();
      expect(events.at(-1)?.type).toBe('body-ended');
      stream.end();
      expect((await running).calls).toMatchObject([{ status: 'completed' }]);
    }
  });

  it('a stream of Node that nothing can stop is left as it is', () => {
    const stream = new Readable({ read: () => undefined });
    expect(guardTool(() => stream)()).toBe(stream);
    expect(stream.eventNames()).toEqual(new Readable().eventNames());
  });

  it.each<[string, string, (lines: IncomingMessage) => Promise<unknown>]>([
    [
      'by its reader, who leaves it',
      'completed',
      async (lines) => {
        for await (const _line of lines) break;
      },
    ],
    ['by its reader, who takes some', 'completed', (lines) => lines.take(1).toArray()],
    ['by its server', 'failed', (lines) => all(lines)],
  ])('a response that is ended %s is %s', async (_by, status, way) => {
    const { agent } = stage();
    const server = createServer((_request, response) => {
      response.write('half');
      if (status === 'failed') setImmediate(() => response.destroy());
    }).listen(0);
    await once(server, 'listening');
    const request = get({ port: (server.address() as AddressInfo).port, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const report = await agent.runTurn(({ signal }) =>
      way(guardTool((_options: object) => response)({ signal })).catch(() => undefined),
    );
    expect(report.calls).toMatchObject([{ status }]);
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  it('a response that is stopped has no error for a request whose errors nobody hears', async () => {
    const { agent } = stage();
    const server = createServer((_request, response) => response.write('half')).listen(0);
    await once(server, 'listening');
    const request = get({ port: (server.address() as AddressInfo).port, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const report = await agent.runTurn(async ({ signal }) => {
      const stream = guardTool((_options: object) => response)({ signal, toolCallId: 'a' });
      stream.on('error', () => undefined).resume();
      agent.cancelCall('a', 'user');
      await new Promise((closed) => request.on('close', closed));
    });
    expect(report.calls).toMatchObject([{ status: 'stopped' }]);
    expect([response, request].filter((each) => Object.hasOwn(each, 'emit'))).toEqual([]);
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  it('a stream of Node that has ended already is no open call', async () => {
    const ended = node().resume();
    await new Promise((end) => ended.on('close', end));
    expect(await read(() => ended, () => undefined)).toEqual({ status: 'completed', calls: ['completed'] }); // prettier-ignore
  });

  it.each([true, false])(
    'a stream of Node has nothing on it that it had not, once its call is over; tells of its close: %o',
    async (emitClose) => {
      const socket = new Duplex({ read() { this.push(null); }, write: () => undefined, autoDestroy: false, emitClose }); // prettier-ignore
      const before = [socket.eventNames(), Object.hasOwn(socket, '_destroy')];
      expect((await read(() => socket, (stream) => once(stream.resume(), 'end'))).status).toBe('completed'); // prettier-ignore
      expect([socket.eventNames(), Object.hasOwn(socket, '_destroy')]).toEqual(before);
      socket.destroy();
    },
  );
});
