/**
 * The MCP servers of an agent: the SDK sends them the reason of a stop, word by word, and makes a text of what a client throws when it gives up.
 *
 * @module
 */
import { isObject } from '../../core/inside.ts';
import { replaceMethods } from '../../guard/shapes.ts';
import { asUntoldRequest } from '../internal/untold-request.ts';

/** The same servers, whose calls are requests that say nothing of the reason, and of whose work nobody knows what became. */
export function mcpServersUnder(servers: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(servers) || servers.length === 0) return undefined;
  const call = asUntoldRequest(3, 'signal', ([name]) => String(name));
  return servers.map((server: unknown) =>
    isObject(server) ? (replaceMethods(server, { callTool: call, callToolResult: call }) ?? server) : server,
  );
}
