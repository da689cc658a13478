/**
 * Tools whose call is a request to a server that hears of no stop: the client gives the call up, and the work goes on.
 *
 * Prior art: the `metadata` that `@ai-sdk/mcp` puts on each tool of its MCP client.
 *
 * @module
 */
import { isObject } from '../core/foundation/check.ts';
import { givenUp } from '../core/token/bridge/given-up.ts';
import type { GuardedCall } from './guarded-call.ts';

/** What runs a call of such a tool, which says of a stopped one that nobody knows what became of it; any other tool's is the same. */
export function asRequest(tool: object, name: string, run: GuardedCall['run']): GuardedCall['run'] {
  const { metadata } = tool as { readonly metadata?: { readonly clientName?: unknown } };
  if (!isObject(metadata) || typeof metadata.clientName !== 'string') return run;
  return async (args, keep, token) => {
    try {
      return await run(args, keep, token);
    } catch (error) {
      throw token === undefined ? error : givenUp(token, name, error);
    }
  };
}
