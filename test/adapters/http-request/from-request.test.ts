import { EventEmitter, getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { disconnected, fromRequest } from '../../../src/adapters/http-request/from-request.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';

const cancel = { disconnect: 'cancel' } as const;

/** A Node request with its response, as far as a disconnect goes. */
function exchange() {
  const connection: { destroyed: boolean; _httpMessage?: unknown } = { destroyed: false };
  const socket = Object.assign(new EventEmitter(), connection);
  const known: { res?: unknown } = {};
  const request = Object.assign(new EventEmitter(), known, { socket });
  const response = Object.assign(new EventEmitter(), { writableFinished: false, destroyed: false, req: request });
  const finish = () => {
    response.writableFinished = response.destroyed = true;
    response.emit('close');
  };
  const leave = () => {
    response.destroyed = socket.destroyed = true;
    response.emit('close');
    socket.emit('close');
  };
  const left = () => [...socket.eventNames(), ...request.eventNames(), ...response.eventNames()];
  return { socket, request, response, finish, leave, left };
}

describe('a Fetch request', () => {
  it('with an option that there is not is refused', () => {
    expect(() => fromRequest(new Request('http://localhost/'), { disconect: 'cancel' } as object)).toThrow(
      'options.disconect is no option',
    );
  });

  it('S32 whose client leaves stops nothing, unless it is configured to', () => {
    const tab = new AbortController();
    const request = new Request('http://localhost/', { signal: tab.signal });
    const [stays, goes] = [fromRequest(request), fromRequest(request, cancel)];
    tab.abort('gone');
    expect(stays.isCancelled).toBe(false);
    expect(goes.reason).toMatchObject({ kind: 'disconnect', message: 'The client disconnected', cause: 'gone' });
    expect(fromRequest(request, cancel).reason?.kind).toBe('disconnect');
  });

  it('leaves no listener after a release', () => {
    const request = new Request('http://localhost/');
    const sources = [1, 2, 3].map(() => fromRequest(request, cancel));
    expect(getEventListeners(request.signal, 'abort')).toHaveLength(1);
    for (const source of sources) source.release();
    expect(getEventListeners(request.signal, 'abort')).toHaveLength(0);
  });

  it('is found inside a framework’s own', () => {
    const tab = new AbortController();
    const hono = { raw: new Request('http://localhost/', { signal: tab.signal }) };
    const source = fromRequest(hono, cancel);
    tab.abort();
    expect(source.reason?.kind).toBe('disconnect');
  });
});

describe.each(['res', 'response', '_httpMessage', 'none'] as const)('a Node request, told by %s', (how) => {
  function setUp() {
    const one = exchange();
    if (how === 'res') one.request.res = one.response;
    if (how === '_httpMessage') one.socket._httpMessage = one.response;
    const options = how === 'response' ? { ...cancel, response: one.response } : cancel;
    return { ...one, open: () => fromRequest(one.request, options) };
  }

  it('whose client leaves cancels, where it is configured to', () => {
    const { open, leave, left } = setUp();
    const source = open();
    leave();
    expect(source.reason).toMatchObject({ kind: 'disconnect' });
    expect(left()).toEqual([]);
    expect(open().reason?.kind).toBe('disconnect');
  });

  it('that is cut while it is sent cancels', () => {
    const { open, request } = setUp();
    const source = open();
    request.emit('aborted');
    expect(source.reason?.kind).toBe('disconnect');
  });

  it('that was answered does not, and is listened to no longer', () => {
    const { open, finish, leave, left } = setUp();
    const source = open();
    if (how === 'none') source.release(); // without its response, only its owner knows when it has ended
    else finish();
    expect(left()).toEqual([]);
    leave();
    expect(source.isCancelled).toBe(false);
  });

  it('S32 is not listened to at all by default', () => {
    const { request, response, leave, left } = setUp();
    const source = fromRequest(request, { response });
    expect(left()).toEqual([]);
    leave();
    expect(source.isCancelled).toBe(false);
  });
});

it('takes another response for none of its own', () => {
  const [mine, other] = [exchange(), exchange()];
  mine.socket._httpMessage = other.response;
  const source = fromRequest(mine.request, cancel);
  other.leave();
  expect(source.isCancelled).toBe(false);
  mine.leave();
  expect(source.isCancelled).toBe(true);
});

it('is stopped by the server, a limit, or whoever holds it', () => {
  const server = new CancellationTokenSource();
  const request = new Request('http://localhost/');
  const source = fromRequest(request, { token: server.token, timeoutMs: 60_000, name: 'run' });
  expect([source.token.name, source.token.deadlineAt < Infinity]).toEqual(['run', true]);
  server.cancel('shutdown');
  expect(source.reason).toBe(server.reason);
  const other = fromRequest(request);
  expect([other.cancel('user'), other.reason?.kind]).toEqual([true, 'user']);
});

it.each([null, 5, {}, { signal: {} }, { raw: {} }])('refuses %o', (request) => {
  expect(() => fromRequest(request as never)).toThrow('request must be a Request or a Node request, got');
  expect(() => fromRequest(new Request('http://localhost/'), { disconnect: 'x' as never })).toThrow(
    'disconnect must be',
  );
});

it('says why in neutral words', () => {
  expect(disconnected()).toEqual({ kind: 'disconnect', message: 'The client disconnected' });
});
