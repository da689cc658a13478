/**
 * The server behind `startModelServer`: routes requests, keeps their records, owns every socket.
 *
 * Invariant: after `close()` no socket, pause or waiter of this server is left.
 *
 * @module
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { anthropicWire } from './wires/anthropic-wire.ts';
import { geminiWire } from './wires/gemini-wire.ts';
import { ollamaWire } from './wires/ollama-wire.ts';
import { openaiChatWire } from './wires/openai-chat-wire.ts';
import { createResponsesWire } from './wires/openai-responses-wire.ts';
import type { ModelDialect } from './reading/history.ts';
import { now, RequestRecord, type ModelRequest, type UnknownRequest } from './request-record.ts';
import type { ReplySource } from './script.ts';
import { sendFailure, sendReply, type ReplyTarget } from './send-reply.ts';
import { Waiters } from './waiters.ts';
import { mainRequests } from './reading/main-requests.ts';
import type { Wire } from './wires/wire.ts';

/** Bodies above this are refused: a test's transcript is never this long, an accident may be. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/**
 * A running scripted model.
 *
 * @cleanup `close()`, or `await using`: no socket, timer or listener stays behind.
 * @since 0.1.0
 */
export interface ModelServer {
  /** The base address for `@anthropic-ai/sdk` and `@google/genai`: `http://127.0.0.1:<port>`. For `openai` append `/v1`. */
  readonly url: string;
  /** The TCP port. */
  readonly port: number;
  /** Every request to a known endpoint, in order of arrival; live objects. */
  readonly requests: readonly ModelRequest[];
  /**
   * The requests that carry a program's conversation: of all so far those with most of the tools of the one that declares most. What
   * names a chat or guesses the next prompt declares none, or few.
   */
  readonly mainRequests: readonly ModelRequest[];
  /** Every other request, in order of arrival: what a program asks for that this server does not have. */
  readonly unknownRequests: readonly UnknownRequest[];
  /** Connections open right now, idle kept-alive ones included. */
  readonly openSockets: number;
  /**
   * Waits until a condition on the records holds, without polling: it is asked again after every change of one.
   *
   * @param condition Asked at once, then after each change.
   * @param limitMs After so many milliseconds the wait fails. Default 5000.
   * @returns What the condition returned, once it was truthy.
   * @throws Error – the limit passed, or the server was closed first.
   */
  waitFor<T>(condition: (server: ModelServer) => T, limitMs?: number): Promise<NonNullable<T>>;
  /** Ends every connection and stops listening; resolves when the port is free. Calling it again is harmless. */
  close(): Promise<void>;
  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Implements {@link ModelServer}; `listen` once, then use it. */
export class ScriptedServer implements ModelServer {
  readonly #http: Server;
  readonly #reply: ReplySource;
  readonly #strict: boolean;
  readonly #wires: Readonly<Record<ModelDialect, Wire>> = {
    anthropic: anthropicWire,
    'openai-chat': openaiChatWire,
    // The one protocol whose server remembers: what it holds is this server's alone.
    'openai-responses': createResponsesWire(),
    gemini: geminiWire,
    ollama: ollamaWire,
  };
  readonly #records: RequestRecord[] = [];
  readonly #unknown: UnknownRequest[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #waiters = new Waiters();
  #answered = 0;
  #port = 0;
  #closing: Promise<void> | undefined;

  constructor(reply: ReplySource, strict: boolean) {
    this.#reply = reply;
    this.#strict = strict;
    this.#http = createServer((request, response) => {
      // A script that throws is the test's mistake: the client is told, in words, instead of being left hanging.
      this.#serve(request, response).catch((error: unknown) => {
        sendJSON(response, 400, { error: { type: 'script_error', message: String(error) } });
      });
    });
    this.#http.on('connection', (socket) => {
      this.#sockets.add(socket);
      this.#waiters.changed();
      socket.once('close', () => {
        this.#sockets.delete(socket);
        this.#waiters.changed();
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.#port)}`;
  }

  get port(): number {
    return this.#port;
  }

  get mainRequests(): readonly ModelRequest[] {
    return mainRequests(this.#records);
  }

  get requests(): readonly ModelRequest[] {
    return this.#records;
  }

  get unknownRequests(): readonly UnknownRequest[] {
    return this.#unknown;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (error: NodeJS.ErrnoException): void => {
        reject(error.code === 'EADDRINUSE' ? new Error(`Port ${String(port)} is in use`, { cause: error }) : error);
      };
      this.#http.once('error', refuse);
      this.#http.listen(port, '127.0.0.1', () => {
        this.#http.off('error', refuse);
        this.#port = (this.#http.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  waitFor<T>(condition: (server: ModelServer) => T, limitMs = 5000): Promise<NonNullable<T>> {
    if (this.#closing !== undefined) return Promise.reject(new Error('The model server is closed'));
    return this.#waiters.waitFor(() => condition(this), limitMs);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    const closed = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    const stopped = new Promise((resolve) => this.#http.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([stopped, ...closed]);
    this.#waiters.failAll(new Error('The model server was closed'));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', this.url).pathname;
    const dialect = (Object.keys(this.#wires) as ModelDialect[]).find((name) => this.#wires[name].route(path));
    if (dialect === undefined || request.method !== 'POST') {
      request.resume();
      this.#noteUnknown(request, 404);
      sendJSON(response, 404, { error: { type: 'not_found_error', message: `${String(request.method)} ${path}` } });
      return;
    }
    const wire = this.#wires[dialect];
    const body = await readBody(request);
    if (body === 'left') return;
    if (body === undefined) {
      this.#noteUnknown(request, 400);
      sendJSON(response, 400, wire.failure(400, 'The body is not a JSON object', this.#records.length + 1));
      return;
    }
    const record = new RequestRecord(this.#records.length + 1, dialect, body, request.headers, wire.route(path));
    this.#records.push(record);
    const target = this.#watch(record, response, wire);
    this.#waiters.changed();
    const refusal = this.#strict ? wire.refuse(body, record.model) : undefined;
    if (refusal !== undefined) {
      record.refusal = refusal;
      sendFailure(target, { status: 400, message: refusal });
      return;
    }
    this.#answered += 1;
    await sendReply(target, await this.#reply(record, this.#answered));
  }

  #noteUnknown({ method = '', url = '/' }: IncomingMessage, status: number): void {
    this.#unknown.push({ method, path: url, status, receivedAt: now() });
    this.#waiters.changed();
  }

  /** Follows a response to its end: only the server can tell who ended it. */
  #watch(record: RequestRecord, response: ServerResponse, wire: Wire): ReplyTarget {
    const gone = new AbortController();
    let dropped = false;
    response.once('close', () => {
      record.closedAt = now();
      record.closedEarly = !response.writableFinished && !dropped && this.#closing === undefined;
      gone.abort();
      this.#waiters.changed();
    });
    return {
      response,
      record,
      wire,
      gone: gone.signal,
      changed: () => {
        this.#waiters.changed();
      },
      drop: () => {
        dropped = true;
        response.destroy();
      },
    };
  }
}

function sendJSON(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** The body as an object; `undefined` if it is none, `'left'` if the client went away while sending it. */
async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>> | 'left' | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size <= MAX_BODY_BYTES) pieces.push(piece);
    }
  } catch {
    return 'left';
  }
  if (size > MAX_BODY_BYTES) return undefined;
  try {
    const body: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    return typeof body === 'object' && body !== null && !Array.isArray(body)
      ? (body as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
