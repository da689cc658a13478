import type { IncomingMessage, ServerResponse } from 'node:http';
import { EventEmitter } from 'node:events';
import { expectTypeOf, it } from 'vitest';

import { fromEvent, fromRequest, fromWebSocket } from '../../src/adapters/http-request/index.ts';
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
