/** One instance: a page that leaves stops nothing, and Stop reaches the answer wherever it is being given. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';

import {
  JsonToSseTransformStream,
  UI_MESSAGE_STREAM_HEADERS,
  convertToModelMessages,
  streamText,
  toUIMessageStream,
  type LanguageModel,
  type UIMessage,
} from 'ai';
import { underTurn } from 'desist/ai-sdk';
import { stopHandler } from 'desist/http-request';
import { openStopBus, type StopBackend } from 'desist/remote';
import { SessionRegistry } from 'desist/sessions';
import { repair } from 'desist/transcript';
import { aiSDKUI } from 'desist/transcript/ai-sdk';
import type { Instance } from '../multi-instance/instance.ts';
import { page } from './page.ts';
import type { Store } from './store.ts';

export interface ServerOptions {
  readonly name: string;
  readonly backend: StopBackend;
  readonly store: Store;
  readonly model: LanguageModel;
  /** The page's program. */
  readonly script: string;
}

/** Who asks: in earnest a session that was signed. */
const userOf = (cookie: string | undefined): string | undefined => /(?:^|; )user=([\w-]{1,64})/.exec(cookie ?? '')?.[1];

async function bodyOf(request: IncomingMessage): Promise<{ message: UIMessage }> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as { message: UIMessage };
}

export async function openServer({ name, backend, store, model, script }: ServerOptions): Promise<Instance> {
  const bus = await openStopBus(backend);
  const sessions = new SessionRegistry({ bus });
  const stop = stopHandler(sessions, {
    route: '/api/chat/:id/stop',
    authorize: async ({ header }, id) => {
      const by = userOf(header('cookie'));
      return by !== undefined && (await store.read(id))?.owner === by && { by };
    },
  });

  /** Answers in a turn of its own, whoever listens: the stream is kept for a page that comes back. */
  async function answer(id: string, owner: string, messages: UIMessage[]): Promise<ReadableStream<string> | null> {
    const stream = randomUUID();
    await store.write(id, { owner, messages, stream });
    const { controller } = sessions.open(id);
    const input = await convertToModelMessages(repair(messages, { dialect: aiSDKUI }).messages);
    return new Promise((resolve, reject) => {
      let said = messages;
      const turn = controller.runTurn(async (current) => {
        const result = streamText(underTurn(current, { model, messages: input }));
        const ui = toUIMessageStream({
          stream: result.stream,
          originalMessages: messages,
          generateMessageId: randomUUID,
          onEnd: (end) => {
            said = end.messages;
          },
        });
        const [kept, watched] = ui.tee();
        const sse = kept.pipeThrough(new JsonToSseTransformStream());
        store.streams.createNewResumableStream(stream, () => sse).then(resolve, reject);
        for await (const _ of watched);
      });
      void turn.then(async (report) => {
        if (report.status === 'failed') reject(report.error);
        // A stop that came first: there is nothing to stream.
        resolve(null);
        await store.write(id, { owner, messages: repair(said, { dialect: aiSDKUI }).messages });
        await sessions.close(id);
      });
    });
  }

  function send(response: ServerResponse, stream: ReadableStream<string> | null | undefined): void {
    if (stream === null || stream === undefined) {
      response.writeHead(204).end();
      return;
    }
    response.writeHead(200, { ...UI_MESSAGE_STREAM_HEADERS, 'x-answered-by': name });
    response.flushHeaders();
    const body = Readable.fromWeb(stream.pipeThrough(new TextEncoderStream()) as unknown as NodeStream);
    body.on('error', () => response.end());
    // A page that leaves takes its own copy of the stream with it, and nothing else.
    response.on('close', () => body.destroy());
    body.pipe(response);
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    const user = userOf(request.headers.cookie);
    if (url === '/app.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    else if (url === '/') response.writeHead(302, { location: `/chat/${randomUUID()}` }).end();
    else if (url.startsWith('/chat/')) {
      const cookie =
        user === undefined ? { 'set-cookie': `user=${randomUUID()}; HttpOnly; SameSite=Strict; Path=/` } : {};
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...cookie }).end(page);
    } else {
      const [, id, part] = /^\/api\/chat\/([\w-]{1,64})(\/stream)?$/.exec(url) ?? [];
      const chat = id === undefined ? undefined : await store.read(id);
      if (id === undefined || user === undefined || (chat !== undefined && chat.owner !== user)) {
        response.writeHead(404).end();
      } else if (part !== undefined) {
        send(response, chat?.stream === undefined ? null : await store.streams.resumeExistingStream(chat.stream));
      } else if (method !== 'POST') response.end(JSON.stringify(chat?.messages ?? []));
      else if (chat?.stream !== undefined) response.writeHead(409).end('an answer is being given');
      else send(response, await answer(id, user, [...(chat?.messages ?? []), (await bodyOf(request)).message]));
    }
  }

  const server = createServer((request, response) => {
    stop.node(request, response, () => {
      route(request, response).catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(500);
        response.end(String(error));
      });
    });
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
      store.close();
    },
  };
}
