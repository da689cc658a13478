/**
 * Tools whose call is a request to a server: the client gives a stopped one up, and whether the work goes on nobody knows.
 *
 * Prior art: the `metadata` that `@ai-sdk/mcp` and `@langchain/mcp-adapters` put on each tool of their MCP clients.
 *
 * @module
 */
import { isObject } from '../core/foundation/check.ts';
import { fieldsOf } from '../core/interrupt/calls/call-identity.ts';
import { givenUp } from '../core/token/bridge/given-up.ts';
import { wireSignal } from '../core/token/bridge/wire-signal.ts';
import type { CancellationToken } from '../core/token/cancellation-token.ts';
import type { GuardedCall } from './guarded-call.ts';
import { isPlain } from './shapes.ts';

type Args = GuardedCall['args'];

/** What runs a call of such a tool, which says of a stopped one that nobody knows what became of it; any other tool's is the same. */
export function asRequest(tool: object, name: string, run: GuardedCall['run']): GuardedCall['run'] {
  const { metadata, lc_namespace: namespace } = fieldsOf(tool);
  const isOfLangChain = Array.isArray(namespace) && isObject(metadata) && 'annotations' in metadata;
  if (!isOfLangChain && typeof fieldsOf(metadata)['clientName'] !== 'string') return run;
  return async (args, keep, token) => {
    if (token === undefined) return run(args, keep);
    try {
      return await run(isOfLangChain ? withWire(args, token) : args, keep, token);
    } catch (error) {
      throw givenUp(token, name, error);
    }
  };
}

/** The signal in the config, which may hold none: this client sends on what a signal says. */
function withWire([input, config = {}, ...rest]: Args, token: CancellationToken): Args {
  const own = isObject(config) && isPlain(config) ? { ...config, signal: wireSignal(token) } : config;
  return [input, own, ...rest];
}
