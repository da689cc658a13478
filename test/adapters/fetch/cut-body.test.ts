import { expect, it } from 'vitest';
import { cutBody, nobodysError, withBody } from '../../../src/adapters/fetch/cut-body.ts';
import { CallScope } from '../../../src/adapters/internal/call-scope.ts';
import { CancellationTokenSource } from '../../../src/core/token/token.ts';

it('S35 a body whose cancel fails hurts nobody, whoever cancels it', async () => {
  for (const byReader of [true, false]) {
    const stop = new CancellationTokenSource();
    const source = new ReadableStream<Uint8Array>({ cancel: () => Promise.reject(new Error('cannot close')) });
    const body = cutBody(source, new CallScope([stop.token], {}));
    if (byReader) await body.cancel();
    else stop.cancel('user');
    await new Promise((resolve) => setImmediate(resolve));
    if (!byReader) await expect(body.getReader().read()).rejects.toBe(stop.signal.reason);
  }
  expect(nobodysError()).toBeUndefined();
});

it('the copy has the status and the headers of the original', () => {
  const original = new Response('x', { status: 404, headers: { 'x-a': '1' } });
  const copy = withBody(original, new ReadableStream());
  expect([copy.status, copy.headers.get('x-a'), copy.url]).toEqual([404, '1', '']);
});
