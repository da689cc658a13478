/**
 * The recording server, made with either version of the SDK.
 *
 * @module
 */
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CreateMessageResultSchema, ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { load } from '../newest/load.ts';
import { elicitationParams, registerTools, samplingParams, type Journal } from './mcp-tools.ts';

export const serverSdk = (await load('@modelcontextprotocol/server')) as typeof import('@modelcontextprotocol/server');

/** What the tests ask of the client through a handler of version 1. */
interface Extra1 {
  sendRequest(request: object, schema: object, options: object): Promise<unknown>;
}

interface Context2 {
  readonly mcpReq: {
    requestSampling(params: object, options: object): Promise<unknown>;
    elicitInput(params: object, options: object): Promise<unknown>;
  };
}

export function serverOfVersion1(journal: Journal): McpServer1 {
  const server = new McpServer1({ name: 'recording', version: '1.0.0' });
  registerTools(
    (name, inputSchema, handler) => {
      server.registerTool(name, { inputSchema }, (args, extra) => handler(args, extra));
    },
    journal,
    {
      sample: (extra, options) =>
        (extra as Extra1).sendRequest(
          { method: 'sampling/createMessage', params: samplingParams },
          CreateMessageResultSchema,
          options,
        ),
      elicit: (extra, options) =>
        (extra as Extra1).sendRequest(
          { method: 'elicitation/create', params: elicitationParams },
          ElicitResultSchema,
          options,
        ),
    },
  );
  return server;
}

export function serverOfVersion2(journal: Journal): InstanceType<typeof serverSdk.McpServer> {
  const server = new serverSdk.McpServer({ name: 'recording', version: '1.0.0' });
  registerTools(
    (name, inputSchema, handler) => {
      server.registerTool(name, { inputSchema }, (args, context) => handler(args, context));
    },
    journal,
    {
      sample: (extra, options) => (extra as Context2).mcpReq.requestSampling(samplingParams, options),
      elicit: (extra, options) => (extra as Context2).mcpReq.elicitInput(elicitationParams, options),
    },
  );
  return server;
}
