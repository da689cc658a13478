/**
 * A server of AG-UI that does what a test makes of each request, and counts what becomes of its connections. Prior art: the
 * protocol's own examples.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RunRequest {
  readonly threadId: string;
  readonly runId: string;
  readonly messages: readonly { readonly id: string; readonly role: string; readonly content?: unknown }[];
}

export interface AgUiConnection {
  readonly input: RunRequest;
  readonly response: ServerResponse;
  readonly send: (event: object) => void;
  /** Resolves when the client has closed it. */
  readonly closed: Promise<void>;
}

export async function startAgUiServer(answer: (connection: AgUiConnection) => unknown) {
  const inputs: RunRequest[] = [];
  let open = 0;
  let cut = 0;
  const server = createServer((request, response) => {
    let body = '';
    open += 1;
    const closed = new Promise<void>((resolve) => {
      response.on('close', () => {
        open -= 1;
        if (!response.writableFinished) cut += 1;
        resolve();
      });
    });
    request.on('data', (chunk: Buffer) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const input = JSON.parse(body) as RunRequest;
      inputs.push(input);
      const send = (event: object): void => {
        if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: ${JSON.stringify(event)}\n\n`);
      };
      void answer({ input, response, send, closed });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`,
    inputs,
    /** Connections that are open, and those that the client has cut. */
    counts: () => ({ open, cut }),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
