/**
 * The recording server as a process of its own, over stdio: `node mcp-stdio-server.ts 1` or `2`.
 *
 * @module
 */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { load } from '../newest/load.ts';
import { serverOfVersion1, serverOfVersion2 } from './mcp-servers.ts';
import { journal, record } from './mcp-tools.ts';

const log = journal();
if (process.argv[2] === '1') {
  const transport = new StdioServerTransport();
  await serverOfVersion1(log).connect(transport);
  record(transport, log);
} else {
  const stdio = (await load(
    '@modelcontextprotocol/server/stdio',
  )) as typeof import('@modelcontextprotocol/server/stdio');
  const transport = new stdio.StdioServerTransport();
  await serverOfVersion2(log).connect(transport);
  record(transport, log);
}
