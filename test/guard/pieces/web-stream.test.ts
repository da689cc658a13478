import { describe, expect, it } from 'vitest';

import { webStreamOf } from '../../../src/guard/pieces/web-stream.ts';
import { guardTool } from '../../../src/guard/index.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { errorOf, stage, tick } from '../../core/interrupt/kit.ts';

async function* none(): AsyncGenerator<never> {}

describe('a stream in the place of another', () => {
  it('a stream in the place of one of bytes is read into the memory of its reader, and the call keeps the last piece', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ signal }) => {
      const reader = guardTool((_options: object) => new Blob(['hey']).stream())({ signal }).getReader({
        mode: 'byob',
      });
      const first = await reader.read(new Uint8Array(8));
      const last = await reader.read(new Uint8Array(8));
      return [new TextDecoder().decode(first.value), last.done];
    });
    expect(report.unwrap()).toEqual(['hey', true]);
    expect(report.calls).toMatchObject([{ status: 'completed', value: new TextEncoder().encode('hey') }]);
  });

  it('a stream in the place of an instance is one, with what was added to it', () => {
    class Lines extends ReadableStream<string> {
      get isLines(): boolean {
        return this.locked || true;
      }
    }
    const given = Object.assign(new Lines(), { url: 'x:', [Symbol.asyncIterator]: none });
    const stream = webStreamOf(given, none());
    expect(stream).toBeInstanceOf(Lines);
    expect(stream).toMatchObject({ url: 'x:', isLines: true });
    expect(stream[Symbol.asyncIterator]).not.toBe(none);
  });

  it('a stream in the place of another asks for no piece before its reader does', async () => {
    const asked: string[] = [];
    const pieces = async function* (): AsyncGenerator<string> {
      asked.push('a');
      yield await Promise.resolve('a');
    };
    const stream = webStreamOf(new ReadableStream(), pieces());
    await tick();
    expect(asked).toEqual([]);
    expect(await stream.getReader().read()).toEqual({ done: false, value: 'a' });
  });

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

  it.each([
    ['text', () => new ReadableStream()],
    ['bytes', () => new ReadableStream({ type: 'bytes' })],
  ])('a stream of %s in the place of another ends with the words of the dialect', async (kind, make) => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ signal }) => {
      const stream = guardTool((_options: object) => make(), { dialect: openaiChat })({ signal, toolCallId: 'a' });
      return await new Response(kind === 'text' ? stream.pipeThrough(new TextEncoderStream()) : stream).text();
    });
    await tick();
    agent.cancelCall('a', 'user');
    const report = await turn;
    expect(report.unwrap()).toMatch(/^This call was stopped part-way/);
    expect(report.calls).toMatchObject([{ status: 'stopped' }]);
  });
});
