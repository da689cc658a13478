/**
 * Stands between an executable of the Claude Agent SDK and the scripted model, which knows the program's tools by their own names: the
 * executable calls them after their server.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** @param prefix What the executable puts before each name. */
export async function startRenamingProxy(target: string, prefix: string) {
  const server = createServer((request, response) => {
    const stop = new AbortController();
    response.on('close', () => {
      stop.abort();
    });
    const forward = async (): Promise<void> => {
      const body = String(await buffer(request)).replaceAll(prefix, '');
      const headers = { 'content-type': 'application/json', 'x-api-key': 'none', 'anthropic-version': '2023-06-01' };
      const path = `${target}${request.url ?? ''}`;
      const given = await fetch(path, { method: 'POST', headers, body, signal: stop.signal });
      const type = given.headers.get('content-type') ?? '';
      const delay = given.headers.get('retry-after');
      response.writeHead(given.status, { 'content-type': type, ...(delay !== null && { 'retry-after': delay }) });
      if (given.body === null) response.end();
      else {
        const parts = given.body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>;
        await pipeline(parts, renamed(prefix), response);
      }
    };
    // A side that has left is all that can go wrong.
    forward().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** The scripted model writes each event at once. */
const renamed = (prefix: string) =>
  async function* (texts: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const text of texts) {
      yield text.replaceAll(/("type":"tool_use"[^}]*?"name":")/g, `$1${prefix}`);
    }
  };
