import { expect, it } from 'vitest';

import { fetchFrontEnd } from '../../../../src/adapters/http-request/stop-route/fetch-front-end.ts';
import { systemClock } from '../../../../src/core/foundation/clock.ts';
import { CancellationToken } from '../../../../src/index.ts';

it('a request is seen by its path, its headers and its body, and the answer is a Response', async () => {
  const limits = { mostBytes: 100, timeoutMs: 1_000, clock: systemClock, token: CancellationToken.none };
  const handle = fetchFrontEnd(async (request) => {
    const { header, method, path, address } = request;
    const seen = [method, path, header('X-User'), header('x-none'), address, await request.readBody(limits)];
    return { status: 202, headers: { 'x-seen': 'yes' }, body: JSON.stringify(seen) };
  });
  const request = new Request('http://local/a%20b?q=1', { method: 'POST', headers: { 'x-user': 'ada' }, body: 'é' });
  const response = await handle(request);
  expect([response.status, response.headers.get('x-seen')]).toEqual([202, 'yes']);
  expect(await response.json()).toEqual(['POST', '/a%20b', 'ada', null, null, 'é']);
  const empty = await handle(new Request('http://local/', { method: 'POST' }));
  expect(await empty.json()).toEqual(['POST', '/', null, null, null, '']);
});
