import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addAbortSignal, Duplex, PassThrough, Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';

import { describe, expect, it } from 'vitest';

import { guardTool } from '../../../src/guard/index.ts';
import { givenOf, isNodeStream, isRead, isWebStream } from '../../../src/guard/pieces/given.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { errorOf, stage, tick } from '../../core/interrupt/kit.ts';

const node = (): Readable => Readable.from(['a', 'b']);
const web = (): ReadableStream<Uint8Array> => new Blob(['ab']).stream();
const through = (): PassThrough => new PassThrough({ objectMode: true });

async function all(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _piece of stream);
}

/** A stream that gives one piece, and then nothing until it is closed. */
function quiet(kind: 'node' | 'web', closed: unknown[]): Readable | ReadableStream {
  if (kind === 'web') {
    return new ReadableStream({
      start: (controller) => {
        controller.enqueue(new Uint8Array([1]));
      },
      cancel: (reason) => void closed.push(reason),
    });
  }
  return new Readable({
    objectMode: true,
    read() {
      if (this.readableDidRead) return;
      this.push('half');
    },
    destroy: (error, done) => {
      closed.push(error);
      done(error);
    },
  });
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

describe('a stream that a tool returns at once', () => {
  it.each<[string, (stream: Readable) => unknown]>([
    ['iteration', all],
    ['events', (stream) => new Promise((end) => stream.on('data', () => undefined).on('end', end))],
    ['pipe', (stream) => all(stream.pipe(through()))],
    ['pipeline', (stream) => pipeline(stream, through().resume())],
    ['toArray', (stream) => stream.toArray()],
    ['destroy', (stream) => stream.destroy()],
    ['destroy with an error', (stream) => errorOf(finished(stream.destroy(new Error('enough'))))],
    ['take', (stream) => stream.take(1).toArray()],
    ['find', (stream) => stream.find((piece) => piece === 'a')],
    ['a signal of the reader', (stream) => errorOf(finished(addAbortSignal(AbortSignal.abort(), stream)))],
    [
      'a pipeline that its reader stops',
      (stream) => errorOf(pipeline(stream, through(), { signal: AbortSignal.abort() })),
    ],
    ['disposal', async (stream) => { await using _own = stream; }], // prettier-ignore
    ['iteration, left half-way', async (stream) => { for await (const _ of stream) break; }], // prettier-ignore
  ])('a stream of Node is one call that ends with it, read by %s', async (_name, way) => {
    expect(await read(node, way)).toEqual({ status: 'completed', calls: ['completed'] });
  });

  it.each<[string, (stream: ReadableStream<Uint8Array>) => unknown]>([
    ['iteration', all],
    ['a Response', (stream) => new Response(stream).text()],
    ['a reader', async (stream) => { const reader = stream.getReader(); while (!(await reader.read()).done); }], // prettier-ignore
    ['pipeThrough', (stream) => all(stream.pipeThrough(new TransformStream()))],
    ['tee', (stream) => Promise.all(stream.tee().map((each) => new Response(each).text()))],
    ['a clone', (stream) => new Response(structuredClone(stream, { transfer: [stream] })).text()],
    ['cancel', (stream) => stream.cancel()],
  ])('a stream of the web is one call that ends with it, read by %s', async (_name, way) => {
    expect(await read(web, way)).toEqual({ status: 'completed', calls: ['completed'] });
  });

  it.each<['node' | 'web', string, (stream: never) => unknown]>([
    ['node', 'events', (stream: Readable) => void stream.on('data', () => undefined)],
    ['node', 'iteration', all],
    ['node', 'toArray', (stream: Readable) => stream.toArray()],
    ['node', 'nothing', () => undefined],
    ['web', 'iteration', all],
    ['web', 'a Response', (stream: ReadableStream) => new Response(stream).text()],
    ['web', 'nothing', () => undefined],
  ])('a quiet stream of %s read by %s is closed by a stop at once', async (kind, _name, way) => {
    const { agent } = stage();
    const closed: unknown[] = [];
    const never = deferred();
    const turn = agent.runTurn(async ({ signal, token }) => {
      const stream = guardTool((_options: object) => quiet(kind, closed), { graceMs: Infinity })({ signal });
      const reading = Promise.resolve(way(stream as never)).then(() => never.promise);
      await Promise.race([reading, new Promise((_resolve, reject) => token.onCancelled(reject))]);
    });
    await tick();
    agent.cancel('user');
    const report = await turn;
    expect([report.status, report.calls.map(({ status }) => status)]).toEqual(['cancelled', ['stopped']]);
    expect(report.stop?.abandoned).toEqual([]);
    expect(closed).toHaveLength(1);
  });

  it.each<[string, (stream: Readable) => Promise<unknown>]>([
    [
      'events',
      (stream) =>
        new Promise((end, fail) =>
          stream
            .on('data', () => undefined)
            .on('end', end)
            .on('error', fail),
        ),
    ],
    ['toArray', (stream) => stream.toArray()],
    ['pipeline', (stream) => pipeline(stream, through().resume())],
    ['iteration', all],
  ])('a stream of Node that is stopped ends with the stop for its reader by %s', async (_name, way) => {
    const { agent } = stage();
    const running = agent.runTurn(({ signal }) => {
      const stream = guardTool((_options: object) => quiet('node', []) as Readable)({ signal, toolCallId: 'a' });
      return errorOf(way(stream));
    });
    await tick();
    agent.cancelCall('a', 'user');
    const report = await running;
    expect(report.unwrap()).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    expect(report.calls).toMatchObject([{ status: 'stopped' }]);
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
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  it.each<[string, (stream: Readable) => Promise<unknown>]>([
    ['iteration', all],
    ['toArray', (stream) => stream.toArray()],
  ])('a stream of Node that breaks fails its call, read by %s', async (_name, way) => {
    const { agent } = stage();
    const broken = new Error('broken');
    const breaking = (): Readable => new Readable({ read() { this.destroy(broken); } }); // prettier-ignore
    const report = await agent.runTurn(({ signal }) => {
      return errorOf(way(guardTool((_options: object) => breaking())({ signal })));
    });
    expect(report.unwrap()).toBe(broken);
    expect(report.calls).toMatchObject([{ status: 'failed', error: broken }]);
  });

  it('a stream of Node that is read by events goes on when only those hold it', async () => {
    const { agent } = stage();
    const source = through();
    const got: unknown[] = [];
    const report = await agent.runTurn(async ({ signal }) => {
      guardTool((_options: object) => source)({ signal }).on('data', (piece) => got.push(piece));
      for (let rounds = 0; rounds < 5; rounds += 1) {
        await new Promise(setImmediate);
        (globalThis as unknown as { gc: () => void }).gc();
      }
      expect(source.destroyed).toBe(false);
      source.end('late');
    });
    expect([report.status, got]).toEqual(['completed', ['late']]);
    expect(report.calls).toMatchObject([{ status: 'completed' }]);
  });

  it('a stream of Node that has ended already is no open call', async () => {
    const ended = node().resume();
    await new Promise((end) => ended.on('close', end));
    expect(await read(() => ended, () => undefined)).toEqual({ status: 'completed', calls: ['completed'] }); // prettier-ignore
  });

  it('a stream of Node leaves no listener on itself when its call is over', async () => {
    const socket = new Duplex({ read() { this.push(null); }, write: () => undefined, autoDestroy: false }); // prettier-ignore
    const before = ['end', 'close'].map((name) => socket.listenerCount(name));
    expect((await read(() => socket, (stream) => stream.resume())).status).toBe('completed'); // prettier-ignore
    expect(['end', 'close'].map((name) => socket.listenerCount(name))).toEqual(before);
    socket.destroy();
  });
});

describe('what a tool returns', () => {
  it('what a tool returns is told from what is waited for', () => {
    expect([node(), web(), all([] as never), {}, null].map(isRead)).toEqual([true, true, false, false, false]);
    expect([node(), web(), {}].map(isNodeStream)).toEqual([true, false, false]);
    expect([node(), web(), {}].map(isWebStream)).toEqual([false, true, false]);
  });

  it('what a tool returns has an end of its own if it is a stream', () => {
    const own = async function* (): AsyncGenerator<never> {};
    expect([node(), web(), own()].map((each) => givenOf(each).cut !== undefined)).toEqual([true, true, false]);
  });
});
