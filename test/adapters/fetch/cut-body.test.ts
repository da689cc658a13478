import { expect, it } from 'vitest';
import {
  cutBody,
  dropBody,
  isBody,
  mayHaveBody,
  nobodysError,
  withBody,
} from '../../../src/adapters/fetch/cut-body.ts';
import { CallScope } from '../../../src/adapters/internal/call-scope.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';

it('S35 a body whose cancel fails hurts nobody, whoever cancels it', async () => {
  for (const byReader of [true, false]) {
    const stop = new CancellationTokenSource();
    const source = new ReadableStream<Uint8Array>({ cancel: () => Promise.reject(new Error('cannot close')) });
    const body = cutBody(source, new CallScope([stop.token], {}), { cut: { error: undefined } });
    if (byReader) await body.cancel();
    else stop.cancel('user');
    await new Promise((resolve) => setImmediate(resolve));
    if (!byReader) await expect(body.getReader().read()).rejects.toBe(stop.signal.reason);
  }
  expect(nobodysError()).toBeUndefined();
});

it('the copy has the status and the headers of the original', () => {
  const original = new Response('x', { status: 404, headers: { 'x-a': '1' } });
  const copy = withBody(original, new ReadableStream(), { error: undefined });
  expect([copy.status, copy.headers.get('x-a'), copy.url]).toEqual([404, '1', '']);
});

it.each([101, 103, 204, 205, 304])('a response with status %d has no body to cut', (status) => {
  expect([mayHaveBody({ status }), mayHaveBody({ status: 200 })]).toEqual([false, true]);
});

it('a body that must be complete is refused if it ends early', async () => {
  const bytes = (...chunks: string[]) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        controller.close();
      },
    });
  const read = (body: ReadableStream<Uint8Array>) => new Response(body).text();
  const options = { cut: { error: undefined }, expected: 5 };
  await expect(read(cutBody(bytes('abc'), new CallScope([], {}), options))).rejects.toThrow();
  expect(await read(cutBody(bytes('abc', 'de'), new CallScope([], {}), options))).toBe('abcde');
});

it('the readers of a response reject with what cut it, whatever its host makes of it, and a second reading with its own', async () => {
  const cut = { error: new Error('stopped') };
  const broken = () => {
    const body = new ReadableStream<Uint8Array>({
      pull() {
        throw new TypeError('Failed to fetch');
      },
    });
    return withBody(new Response('x'), body, cut);
  };
  for (const read of ['text', 'json', 'arrayBuffer', 'blob', 'formData'] as const) {
    await expect(broken()[read](), read).rejects.toBe(cut.error);
  }
  await expect(broken().clone().text()).rejects.toBe(cut.error);
  const used = broken();
  await used.text().catch(() => undefined);
  await expect(used.text()).rejects.not.toBe(cut.error);
});

it('a body of Node, as another library gives one, is read and ended', async () => {
  const log: string[] = [];
  const stop = new CancellationTokenSource();
  const body = {
    destroy: () => log.push('destroyed'),
    async *[Symbol.asyncIterator]() {
      yield 'text';
      yield new Uint8Array([33]);
      await new Promise(() => undefined);
    },
  };
  const reader = cutBody(body, new CallScope([stop.token], {}), { cut: { error: undefined } }).getReader();
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  expect([await read(), await read()]).toEqual(['text', '!']);
  const pending = reader.read();
  stop.cancel('user');
  await expect(pending).rejects.toBe(stop.signal.reason);
  expect(log).toEqual(['destroyed']);
  expect([isBody(body), isBody(new ReadableStream()), isBody(null), isBody('x')]).toEqual([true, true, false, false]);
  dropBody(body);
  dropBody(null);
  expect(log).toHaveLength(2);
});
