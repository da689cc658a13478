/**
 * A small web site on the loopback for browser tests: files from folders, pages given as text, and the rest handed on
 * to another server, so that a page can talk to a scripted one without leaving its origin.
 *
 * A site can be isolated from other origins: only then do browsers let its pages share memory with their workers.
 *
 * TypeScript files are served with their types stripped; what they import must be types, or served as well.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

import { stripTypes } from './strip-types.ts';

/** What the site serves. */
export interface SiteOptions {
  /** HTML by path: `{ '/': '<!doctype html>…' }`. */
  readonly pages?: Readonly<Record<string, string>> | undefined;
  /** Folders by the path they appear under, without a slash at the end: `{ '/dist': '/…/dist' }`. */
  readonly folders?: Readonly<Record<string, string>> | undefined;
  /** Base URL of the server that gets every other request; a client that leaves is passed on as one that leaves. */
  readonly forwardTo?: string | undefined;
  /** Whether its pages are `crossOriginIsolated`; no by default, as most are not. */
  readonly isolated?: boolean | undefined;
}

/** What a browser asks for before it lets a page share memory. */
const isolation: Readonly<Record<string, string>> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
};

/** A running site. */
export interface Site {
  readonly url: string;
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.map': 'application/json',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

async function readSource(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  return extname(path) === '.ts' ? stripTypes(text) : text;
}

function forward(base: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = request;
  const onward = ask(new URL(request.url ?? '/', base), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => {
    if (!response.writableFinished) onward.destroy();
  });
  request.pipe(onward);
}

/** Starts the site. */
export async function serveSite({ pages = {}, folders = {}, forwardTo, isolated = false }: SiteOptions): Promise<Site> {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname));
    const mount = Object.keys(folders).find((prefix) => path.startsWith(`${prefix}/`));
    const page = pages[path];
    if (page !== undefined) {
      response.writeHead(200, { 'content-type': types['.html'] }).end(page);
    } else if (mount !== undefined) {
      const text = await readSource(join(folders[mount] ?? '', path.slice(mount.length)));
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain' }).end(text);
    } else if (path === '/favicon.ico' || forwardTo === undefined) {
      response.writeHead(404).end();
    } else {
      forward(forwardTo, request, response);
    }
  }
  const server = createServer((request, response) => {
    if (isolated) response.setHeaders(new Map(Object.entries(isolation)));
    answer(request, response).catch((error: unknown) => response.writeHead(404).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
