import type { Client as Client2, RequestOptions as RequestOptions2 } from '@modelcontextprotocol/client';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestHandlerExtra, RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { ServerContext } from '@modelcontextprotocol/server';
import { expectTypeOf, it } from 'vitest';

import {
  cancellableRequest,
  cancellableTask,
  restartableClient,
  type FromExtraOptions,
} from '../../src/adapters/mcp/index.ts';
import type { McpClientLike } from '../../src/adapters/mcp/server-probe.ts';
import type { McpHandlerExtra } from '../../src/adapters/mcp/from-extra.ts';
import type { McpRequestContext } from '../../src/adapters/mcp/cancellable-request.ts';

declare const client: Client;
declare const client2: Client2;

it('the context is the SDK’s request options, and more', () => {
  expectTypeOf<McpRequestContext>().toExtend<RequestOptions>();
  expectTypeOf<McpRequestContext>().toExtend<RequestOptions2>();
});

it('the result is the SDK’s', () => {
  const result = cancellableRequest(undefined, (context) => client.callTool({ name: 'x' }, undefined, context));
  expectTypeOf(result).toEqualTypeOf<ReturnType<Client['callTool']>>();
  const result2 = cancellableRequest(undefined, (context) => client2.listTools({}, context));
  expectTypeOf(result2).toEqualTypeOf<ReturnType<Client2['listTools']>>();
});

it('what came late is typed as the result', () => {
  void cancellableRequest(null, () => Promise.resolve(5), {
    onLateSettle: (outcome) => {
      if (outcome.status === 'completed') expectTypeOf(outcome.value).toEqualTypeOf<number>();
    },
  });
});

it('a task’s result is the stream’s', () => {
  const { tasks } = client.experimental;
  const result = cancellableTask(null, (context) => tasks.callToolStream({ name: 'x' }, undefined, context), {
    cancelTask: (taskId) => tasks.cancelTask(taskId),
  });
  expectTypeOf(result).resolves.toHaveProperty('_meta');
  // @ts-expect-error -- a task that cannot be cancelled is no task of ours
  void cancellableTask(null, (context) => tasks.callToolStream({ name: 'x' }, undefined, context), {});
});

it('the SDKs’ handler contexts and servers are ours', () => {
  expectTypeOf<RequestHandlerExtra<ServerRequest, ServerNotification>>().toExtend<McpHandlerExtra>();
  expectTypeOf<ServerContext>().toExtend<McpHandlerExtra>();
  expectTypeOf<Client>().toExtend<NonNullable<FromExtraOptions['server']>>();
});

it('the SDKs’ clients are ours, and keep their type', () => {
  expectTypeOf<Client>().toExtend<McpClientLike>();
  expectTypeOf<Client2>().toExtend<McpClientLike>();
  const server = restartableClient(() => client2);
  expectTypeOf(server.client).toEqualTypeOf<Client2 | undefined>();
  const tools = server.request(null, (connected, context) => connected.listTools({}, context));
  expectTypeOf(tools).toEqualTypeOf<ReturnType<Client2['listTools']>>();
});
