import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on the loopback that can be killed in the middle. */
export interface HttpMachine {
  readonly url: string;
  /** Connections that are open now. */
  connections(): Promise<number>;
  kill(): Promise<void>;
}

export async function httpMachine(
  handle: (request: IncomingMessage, reply: ServerResponse, body: string) => unknown,
): Promise<HttpMachine> {
  const answer = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    let body = '';
    for await (const part of request) body += String(part);
    await handle(request, reply, body);
  };
  const server = createServer((request, reply) => {
    answer(request, reply).catch(() => reply.destroy());
  });
  return await listen(server);
}

export async function listen(server: Server): Promise<HttpMachine> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => {
          if (error === null) resolve(count);
          else reject(error);
        });
      }),
    kill: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

export function json(reply: ServerResponse, status: number, value: unknown): void {
  reply.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  reply.end(JSON.stringify(value));
}

export function sse(
  reply: ServerResponse,
  headers: Record<string, string> = {},
): (event: string, data: unknown) => void {
  reply.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close', ...headers });
  return (event, data) => {
    reply.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
}
