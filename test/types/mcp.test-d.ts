import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { expectTypeOf, it } from 'vitest';

import { cancellableRequest, type McpRequestContext } from '../../src/adapters/mcp/index.ts';

declare const client: Client;

it('the context is the SDK’s request options, and more', () => {
  expectTypeOf<McpRequestContext>().toExtend<RequestOptions>();
});

it('the result is the SDK’s', () => {
  const result = cancellableRequest(undefined, (context) => client.callTool({ name: 'x' }, undefined, context));
  expectTypeOf(result).toEqualTypeOf<ReturnType<Client['callTool']>>();
});

it('what came late is typed as the result', () => {
  void cancellableRequest(null, () => Promise.resolve(5), {
    onLateSettle: (outcome) => {
      if (outcome.status === 'completed') expectTypeOf(outcome.value).toEqualTypeOf<number>();
    },
  });
});
