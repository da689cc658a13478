import type { IncomingMessage, ServerResponse } from 'node:http';
import { EventEmitter } from 'node:events';
import { expectTypeOf, it } from 'vitest';

import {
  fromEvent,
  fromRequest,
  fromWebSocket,
  statusHandler,
  stopHandler,
} from '../../src/adapters/http-request/index.ts';
import { createServer } from 'node:http';
import { SessionRegistry, type StopBus } from '../../src/sessions/index.ts';
import type { CancellationToken } from '../../src/core/token/cancellation-token.ts';
import type { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';

declare const request: IncomingMessage;
declare const response: ServerResponse;
declare const token: CancellationToken;

it('fromRequest takes the requests of every server, and makes a source', () => {
  expectTypeOf(fromRequest(request, { disconnect: 'cancel', response })).toEqualTypeOf<CancellationTokenSource>();
  expectTypeOf(fromRequest).toBeCallableWith(new Request('/'), { token, timeoutMs: undefined, name: 'run' });
  expectTypeOf(fromRequest).toBeCallableWith({ raw: request });
  expectTypeOf(fromRequest).toBeCallableWith({ raw: new Request('/') }, {});
  // @ts-expect-error no request
  fromRequest({ url: '/' });
  // @ts-expect-error one of the two
  fromRequest(request, { disconnect: 'stop' });
});

it('fromEvent and fromWebSocket take emitters and sockets', () => {
  expectTypeOf(fromEvent(new EventTarget(), 'click', { reason: 'user' })).toEqualTypeOf<CancellationTokenSource>();
  expectTypeOf(fromEvent).toBeCallableWith(new EventEmitter(), 'x', { reason: () => undefined });
  expectTypeOf(fromWebSocket({} as WebSocket, { readStop: () => true })).toEqualTypeOf<CancellationTokenSource>();
  // @ts-expect-error an event target is no socket
  fromWebSocket(new EventTarget());
});

it('stopHandler needs to know who may stop what, and fits both kinds of servers', () => {
  const stop = stopHandler(new SessionRegistry(), {
    authorize: (_request, runId: string) => runId === 'a' && { by: 'ada' },
  });
  createServer(stop.node);
  expectTypeOf(stop.fetch(new Request('/'))).toEqualTypeOf<Promise<Response>>();
  expectTypeOf(stopHandler).toBeCallableWith({} as StopBus, {
    authorize: () => Promise.resolve(true),
    perRun: undefined,
  });
  // @ts-expect-error anybody could stop anything
  stopHandler(new SessionRegistry(), {});
  // @ts-expect-error a number is no answer
  stopHandler(new SessionRegistry(), { authorize: () => 1 });
});

it('statusHandler takes a registry or a bus that can look, is used by either kind of server, and wants authorize', () => {
  const status = statusHandler(new SessionRegistry(), {
    authorize: () => true,
    describe: async ({ state }) => ({ state }),
  });
  createServer(status.node);
  expectTypeOf(status.fetch(new Request('/'))).resolves.toEqualTypeOf<Response>();
  // @ts-expect-error who decides?
  statusHandler(new SessionRegistry(), {});
  // @ts-expect-error a bus that cannot look
  statusHandler({} as StopBus, { authorize: () => true });
});

it('callerOf is given the request, and says who asks or nothing', () => {
  const sessions = new SessionRegistry();
  const authorize = (): boolean => true;
  stopHandler(sessions, { authorize, callerOf: ({ header }) => header('x-forwarded-for') });
  statusHandler(sessions, { authorize, callerOf: ({ address }) => address });
  stopHandler(sessions, { authorizeMs: 500, authorize: (_request, _runId, { signal }) => !signal.aborted });
  expectTypeOf(stopHandler).toBeCallableWith(sessions, { authorize, callerOf: undefined });
  // @ts-expect-error a number is nobody
  stopHandler(sessions, { authorize, callerOf: () => 7 });
  // @ts-expect-error it is refused before anything is waited for
  stopHandler(sessions, { authorize, callerOf: () => Promise.resolve('ada') });
  // @ts-expect-error a number is nobody
  statusHandler(sessions, { authorize, callerOf: () => 7 });
  // @ts-expect-error it is refused before anything is waited for
  statusHandler(sessions, { authorize, callerOf: () => Promise.resolve('ada') });
});
