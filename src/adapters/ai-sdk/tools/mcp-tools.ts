/**
 * The tools of the AI SDK's own MCP client: it gives a call up without a word to the server, so nobody knows what became of the work.
 *
 * Prior art: the `metadata` that `@ai-sdk/mcp` puts on each of its tools.
 *
 * @module
 */
import { isObject } from '../../../core/inside.ts';
import { replaceMethods } from '../../../guard/shapes.ts';
import { asUntoldRequest } from '../../internal/untold-request.ts';

/** The tools of a call, with those of an MCP client as what they are: requests to a server. */
export function withMcpTools(tools: Readonly<Record<string, object>>): Readonly<Record<string, object>> {
  const asRequest = (name: string, tool: object): object => {
    const { metadata } = tool as { readonly metadata?: { readonly clientName?: unknown } };
    if (!isObject(metadata) || typeof metadata.clientName !== 'string') return tool;
    return replaceMethods(tool, { execute: asUntoldRequest(1, 'abortSignal', () => name) }) ?? tool;
  };
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, isObject(tool) ? asRequest(name, tool) : tool]),
  );
}
