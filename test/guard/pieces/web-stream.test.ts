import { describe, expect, it } from 'vitest';

import { guardTool } from '../../../src/guard/index.ts';
import { frontOf } from '../../../src/guard/pieces/web-stream.ts';
import { CancellationToken } from '../../../src/index.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { errorOf, stage, tick } from '../../core/interrupt/kit.ts';

async function* none(): AsyncGenerator<never> {}

async function all(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _piece of stream);
}

const never = CancellationToken.none;

describe('a stream in the place of another', () => {
  it.each<[string, (stream: ReadableStream<Uint8Array>) => unknown]>([
    ['a Response', (stream) => new Response(stream).text()],
    ['pipeThrough', (stream) => all(stream.pipeThrough(new TransformStream()))],
    ['tee', (stream) => Promise.all(stream.tee().map((each) => new Response(each).text()))],
    ['a clone', (stream) => new Response(structuredClone(stream, { transfer: [stream] })).text()],
    ['cancel', (stream) => stream.cancel()],
  ])('a stream in the place of another is one call that ends with it, read by %s', async (_name, way) => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ signal }) => {
      await way(guardTool((_options: object) => new Blob(['ab']).stream())({ signal }));
    });
    expect([report.status, report.calls.map(({ status }) => status)]).toEqual(['completed', ['completed']]);
  });

  it('a stream in the place of one of bytes is read into the memory of its reader', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ signal }) => {
      const stream = guardTool((_options: object) => new Blob(['hey']).stream())({ signal });
      const reader = stream.getReader({ mode: 'byob' });
      const [first, last] = [await reader.read(new Uint8Array(8)), await reader.read(new Uint8Array(8))];
      return [new TextDecoder().decode(first.value), last.done];
    });
    expect(report.unwrap()).toEqual(['hey', true]);
    expect(report.calls).toMatchObject([{ status: 'completed', value: undefined }]);
  });

  it('a stream in the place of an instance is one, with what was added to it', () => {
    class Lines extends ReadableStream<string> {
      get isLines(): boolean {
        return this.locked || true;
      }
    }
    const given = Object.assign(new Lines(), { url: 'x:', [Symbol.asyncIterator]: none });
    const { stream } = frontOf(given, never);
    expect(stream).toBeInstanceOf(Lines);
    expect(stream).toMatchObject({ url: 'x:', isLines: true });
    expect(stream[Symbol.asyncIterator]).not.toBe(none);
  });

  it('a stream in the place of another asks for no piece before its reader does', async () => {
    const asked: string[] = [];
    const pull = (controller: ReadableStreamDefaultController<string>): void => {
      asked.push('a');
      controller.enqueue('a');
    };
    const { stream } = frontOf(new ReadableStream({ pull }, { highWaterMark: 0 }), never);
    await tick();
    expect(asked).toEqual([]);
    expect(await stream.getReader().read()).toEqual({ done: false, value: 'a' });
  });

  it.each(['close', 'error'] as const)(
    'a stream in the place of another hears of its %s while nobody reads',
    async (how) => {
      // prettier-ignore
      let own!: ReadableStreamDefaultController<unknown>;
      const { stream, life } = frontOf(new ReadableStream({ start: (each) => void (own = each) }), never);
      const broken = new Error('broken');
      own[how](broken);
      const ends = await Promise.allSettled([stream.getReader().closed, life]);
      expect(ends.map((end) => (end.status === 'rejected' ? (end.reason as unknown) : end.status))).toEqual(
        how === 'close' ? ['fulfilled', 'fulfilled'] : [broken, broken],
      );
    },
  );

  it('a stream in the place of another is cancelled with the reason of its reader, and tells of what that led to', async () => {
    const { agent } = stage();
    const broken = new Error('could not close');
    const heard: unknown[] = [];
    const cancel = (reason: unknown): never => {
      heard.push(reason);
      throw broken;
    };
    const report = await agent.runTurn(({ signal }) =>
      errorOf(guardTool((_options: object) => new ReadableStream({ cancel }))({ signal }).cancel('enough')),
    );
    expect([report.unwrap(), heard]).toEqual([broken, ['enough']]);
    expect(report.calls).toMatchObject([{ status: 'failed', error: broken }]);
  });

  it('a stream in the place of another ends with its stop, whatever words there are for that', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ signal }) => {
      const make = (_options: object): ReadableStream => new ReadableStream({ type: 'bytes' });
      return errorOf(new Response(guardTool(make, { dialect: openaiChat })({ signal, toolCallId: 'a' })).text());
    });
    await tick();
    agent.cancelCall('a', 'user');
    const report = await turn;
    expect(report.unwrap()).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    expect(report.calls).toMatchObject([{ status: 'stopped' }]);
  });
});
