/** One instance of the server: it hosts the runs that it starts, and its Stop route reaches the runs of all. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { statusHandler, stopHandler } from 'desist/http-request';
import { openStopBus, type StopBackend } from 'desist/remote';
import { SessionRegistry } from 'desist/sessions';
import { work } from './agent.ts';
import type { Board } from './board.ts';
import { page } from './page.ts';

export interface InstanceOptions {
  readonly name: string;
  readonly backend: StopBackend;
  readonly board: Board;
  /** Milliseconds of one step of an agent. */
  readonly stepMs: number;
}

export interface Instance {
  readonly port: number;
  readonly sessions: SessionRegistry;
  close(): Promise<void>;
}

/** Who asks: in earnest a session that was signed. */
const userOf = (cookie: string | undefined): string | undefined => /(?:^|; )user=([\w-]{1,64})/.exec(cookie ?? '')?.[1];

export async function openInstance({ name, backend, board, stepMs }: InstanceOptions): Promise<Instance> {
  const bus = await openStopBus(backend);
  const sessions = new SessionRegistry({ bus });

  const isTheirs = async ({ header }: { header: (name: string) => string | undefined }, runId: string) => {
    const by = userOf(header('cookie'));
    return by !== undefined && (await board.get(runId))?.owner === by && { by };
  };
  const stop = stopHandler(sessions, { authorize: isTheirs });
  const status = statusHandler(sessions, {
    authorize: isTheirs,
    everyMs: 200,
    describe: async ({ sessionId }) => {
      const { doing, instance } = (await board.get(sessionId)) ?? {};
      return { doing, instance };
    },
  });

  async function start(owner: string): Promise<string> {
    const id = randomUUID().slice(0, 8);
    const tell = (doing: string) => board.put({ id, owner, instance: name, doing });
    await tell('starting');
    const ended = work(sessions.open(id), stepMs, tell).catch((error: unknown) => `failed: ${String(error)}`);
    const told = ended.then(tell);
    const close = () => sessions.close(id);
    void told.then(close, close);
    return id;
  }

  const json = (response: ServerResponse, code: number, body: unknown): void => {
    response.writeHead(code, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(body));
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const user = userOf(request.headers.cookie);
    if (request.url === '/' && request.method === 'GET') {
      const cookie = user === undefined ? { 'set-cookie': `user=${randomUUID()}; HttpOnly; SameSite=Strict` } : {};
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...cookie });
      response.end(page);
    } else if (request.url !== '/runs') json(response, 404, {});
    else if (user === undefined) json(response, 401, {});
    else if (request.method === 'POST') json(response, 201, { id: await start(user), instance: name });
    else
      json(
        response,
        200,
        (await board.list()).filter(({ owner }) => owner === user),
      );
  }

  const server = createServer((request, response) => {
    stop.node(request, response, () =>
      status.node(request, response, () => {
        answer(request, response).catch(() => json(response, 500, {}));
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    sessions,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await sessions.drain({ timeoutMs: 0 });
      await bus.close();
    },
  };
}
