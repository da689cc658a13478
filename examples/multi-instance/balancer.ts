/** A round-robin in front of the instances: each request goes to the next one, so none lands where its run is but by chance. */
import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  readonly url: string;
  close(): void;
}

export async function openBalancer(ports: readonly number[], port = 0): Promise<Balancer> {
  let turn = 0;
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const target = ports[turn++ % ports.length];
    const forwarded = ask({ host: '127.0.0.1', port: target, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, 'x-instance': String(target) });
      answer.pipe(response);
    });
    forwarded.on('error', () => {
      if (!response.headersSent) response.writeHead(502);
      response.end();
    });
    // A page that leaves takes its stream with it.
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
