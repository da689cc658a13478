/**
 * An MCP server that takes a call and never answers, nor hears that nobody waits any more: as a server that hangs.
 *
 * @module
 */

/** What its one tool says of itself: a client may give the tool another name, and another tool may have that name. */
export const DEAF_TOOL = 'Waits for a server that does not answer.';

/** A file that is there once a server, by the path of its script, has got a call. */
export const calledNote = (script: string): string => `${script}.called`;

/** The server, as a script for Node: JSON-RPC by lines on its standard input and output. */
export const deafServerScript: string = `
const lines = require('node:readline').createInterface({ input: process.stdin });
const tool = { name: 'wait_for_ever', description: '${DEAF_TOOL}', inputSchema: { type: 'object', properties: {} } };
const results = {
  initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'deaf', version: '1.0.0' } }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool] }),
};
lines.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'tools/call') require('node:fs').writeFileSync(__filename + '.called', '');
  if (id === undefined || method === 'tools/call') return;
  const result = results[method]?.(params);
  const error = { code: -32601, message: 'no such method' };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }) + '\\n');
});
`;
