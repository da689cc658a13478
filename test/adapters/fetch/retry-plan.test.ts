import { afterEach, describe, expect, it, vi } from 'vitest';
import { cancellableFetch, type CancellableFetchInit } from '../../../src/adapters/fetch/cancellable-fetch.ts';
import { retryAfterMs, retryPlan } from '../../../src/adapters/fetch/retry-plan.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();
const url = 'http://localhost/';

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

type Answer = Response | Error;
const refusal = (status: number, headers: Record<string, string> = {}) => new Response('busy', { status, headers });
const ok = () => new Response('fine');

/** A server that gives these answers in order, each to one attempt. */
function setUp(...answers: Answer[]) {
  const person = new CancellationTokenSource({ clock });
  const server = vi.fn<typeof fetch>(() => {
    const answer = answers.shift() ?? ok();
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  });
  const call = (init: CancellableFetchInit = {}) =>
    cancellableFetch(url, { token: person.token, fetch: server, retry: { backoff: 100 }, ...init });
  return { person, server, call };
}

describe('another attempt', () => {
  it('is not made unless it is asked for', async () => {
    const { server, call } = setUp(refusal(503));
    expect((await call({ retry: undefined })).status).toBe(503);
    expect(server).toHaveBeenCalledTimes(1);
  });

  it('is made after the pause that the server asks for, and not before', async () => {
    const { server, call } = setUp(refusal(429, { 'retry-after': '2' }));
    const response = call();
    await clock.advance(1999);
    expect(server).toHaveBeenCalledTimes(1);
    await clock.advance(1);
    await expect((await response).text()).resolves.toBe('fine');
    expect(server).toHaveBeenCalledTimes(2);
  });

  it('is made after the network failed, up to the last, whose failure is thrown unchanged', async () => {
    const failures = [1, 2, 3].map((n) => new TypeError(`fetch failed ${n}`));
    const { server, call } = setUp(...failures);
    const outcome = expect(call()).rejects.toBe(failures[2]);
    await clock.advance(200);
    await outcome;
    expect(server).toHaveBeenCalledTimes(3);
  });

  it('drops the body of the one before, and hears when that fails', async () => {
    const cancel = vi.fn(() => Promise.reject(new Error('cannot close')));
    const { call } = setUp(new Response(new ReadableStream({ cancel }), { status: 500 }));
    const response = call();
    await clock.advance(100);
    expect((await response).ok).toBe(true);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('returns the last answer when none is left', async () => {
    const { server, call } = setUp(refusal(500), refusal(502));
    const response = call({ retry: 2 });
    await clock.advance(100);
    expect([(await response).status, server.mock.calls.length]).toEqual([502, 2]);
    await (await response).text();
  });

  it('has idleness of its own, and a pause is none', async () => {
    const { call } = setUp(refusal(503, { 'retry-after-ms': '500' }));
    const response = call({ idleMs: 50 });
    await clock.advance(500);
    await expect((await response).text()).resolves.toBe('fine');
  });

  it.each<[string, number, boolean]>([
    ['GET', 500, true],
    ['PUT', 502, true],
    ['POST', 429, true],
    ['POST', 503, true],
    ['POST', 500, false],
    ['GET', 404, false],
  ])('of %s after %i: %s', async (method, status, isMade) => {
    const { server, call } = setUp(refusal(status));
    const response = call({ method, ...(method === 'GET' ? {} : { body: 'x' }) });
    await clock.advance(100);
    expect(server).toHaveBeenCalledTimes(isMade ? 2 : 1);
    await (await response).text();
  });

  it('of a POST is not made when nobody knows whether it arrived', async () => {
    const { server, call } = setUp(new TypeError('fetch failed'));
    await expect(call({ method: 'POST' })).rejects.toThrow('fetch failed');
    expect(server).toHaveBeenCalledTimes(1);
  });

  it('is not made of a body that is used up', async () => {
    for (const body of [new ReadableStream(), (async function* () {})()]) {
      const { server, call } = setUp(refusal(503));
      await (await call({ method: 'PUT', body: body as never })).text();
      expect(server).toHaveBeenCalledTimes(1);
    }
    const { server } = setUp(refusal(503));
    const request = new Request(url, { method: 'PUT', body: 'x' });
    await (await cancellableFetch(request, { fetch: server, retry: 2 })).text();
    expect(server).toHaveBeenCalledTimes(1);
  });

  it('is what the caller says', async () => {
    const { server, call } = setUp(refusal(404), new TypeError('fetch failed'));
    const retryIf = vi.fn(({ response }: { response?: Response | undefined }) => response?.status === 404);
    const backoff = (attempt: number) => attempt * 10;
    const outcome = expect(call({ retry: { retryIf, backoff } })).rejects.toThrow('fetch failed');
    await clock.advance(10);
    await outcome;
    expect([server.mock.calls.length, retryIf.mock.calls.length]).toEqual([2, 2]);
  });
});

describe('a pause', () => {
  it('S09 of 60 s after Retry-After ends at once with a cancel, which is never retried', async () => {
    const { person, server, call } = setUp(refusal(503, { 'retry-after': '60' }));
    const response = call({ retry: 100 });
    await clock.advance(10);
    person.cancel('user');
    await expect(response).rejects.toBe(person.signal.reason); // no time has passed
    await clock.advance(120_000);
    expect(server).toHaveBeenCalledTimes(1);
  });

  it('S09 a cancel in the middle of an attempt is not retried either, nor is somebody else’s abort', async () => {
    const { person, call, server } = setUp();
    server.mockImplementation(() => new Promise(() => undefined));
    const response = call();
    person.cancel('user');
    await expect(response).rejects.toBe(person.signal.reason);
    const foreign = setUp(new DOMException('stop', 'AbortError'));
    await expect(foreign.call()).rejects.toMatchObject({ name: 'AbortError' });
    expect([server.mock.calls.length, foreign.server.mock.calls.length]).toEqual([1, 1]);
  });

  it('ends with the limit of the call', async () => {
    const { call } = setUp(refusal(503), refusal(503));
    const response = call({ timeoutMs: 150, retry: { backoff: 100 } });
    await clock.advance(100);
    expect((await response).status).toBe(503); // the next pause would end after the limit
    await (await response).text();
  });

  it('longer than the caller allows is not begun', async () => {
    const { server, call } = setUp(refusal(503, { 'retry-after': '61' }));
    const response = await call();
    expect([response.status, server.mock.calls.length]).toEqual([503, 1]);
    await response.text();
  });
});

it.each<[Record<string, string>, number | undefined]>([
  [{}, undefined],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:30 GMT' }, 20_000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:05 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-1' }, undefined],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9000],
])('reads %o as %s', (headers, ms) => {
  expect(retryAfterMs(new Headers(headers), 10_000)).toBe(ms);
});

it.each([
  ['3', 'retry must be a number or an object, got "3"'],
  [0, 'retry must be a whole number, 1 or more, got 0'],
  [{ attempts: 1.5 }, 'retry must be a whole number, 1 or more, got 1.5'],
  [{ backoff: -1 }, 'backoff must be a finite number of milliseconds, 0 or more, got -1'],
  [{ maxPauseMs: Number.NaN }, 'maxPauseMs must be 0 or more milliseconds, got NaN'],
  [{ retryIf: 1 }, 'retryIf must be a function, got 1'],
])('refuses %o', (retry, message) => {
  expect(() => retryPlan(retry as never, 'GET', true)).toThrow(message);
});

it('tries three times by default, once where nothing can be sent again', () => {
  expect([retryPlan({}, 'GET', true).attempts, retryPlan(5, 'GET', false).attempts]).toEqual([3, 1]);
  expect(retryPlan({}, 'GET', true).backoff(1, { error: 0 })).toBeLessThanOrEqual(100);
});

it('names what is no plan, null included', () => {
  expect(() => retryPlan(null, 'GET', true)).toThrow('retry must be a number or an object, got null');
});

it('an option of a retry that there is not is refused, with the names that there are', () => {
  expect(() => retryPlan({ attempt: 2 } as object, 'GET', true)).toThrow(
    'retry.attempt is no option: there are attempts, timeoutMs, backoff, maxPauseMs, retryIf',
  );
});
