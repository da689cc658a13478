/**
 * Stands between the demo and the world: everything that does not stay on the loopback comes here, and no further.
 *
 * @module
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface Outside {
  /** API keys that no provider knows, and the way out through this place. */
  readonly env: Readonly<Record<string, string>>;
  /** First lines of the requests that wanted to leave. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

const refusal = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

export async function openOutside(): Promise<Outside> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      requests.push(data.toString('latin1').split('\r\n', 1)[0] ?? '');
      socket.end(refusal);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    requests,
    env: {
      ANTHROPIC_API_KEY: 'sk-nobody-knows',
      OPENAI_API_KEY: 'sk-nobody-knows',
      ANTHROPIC_BASE_URL: 'http://anthropic.invalid',
      OPENAI_BASE_URL: 'http://openai.invalid/v1',
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      NO_PROXY: '127.0.0.1,localhost',
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
