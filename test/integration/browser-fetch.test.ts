/** What a browser makes of responses that are stopped, of those without a body, and of uploads. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';

import { requireBuild } from '../package/consumer.ts';
import { chromiumPath, evaluated, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { bundledPage, bundlings } from '../support/bundled-page.ts';
import { serveSite, type Site } from '../support/site.ts';
import { eventually } from '../support/eventually.ts';

/** The doors as globals, for what each test does with them. */
const script = `
  import * as front from 'desist';
  import { cancellableIterable, sharedStream } from 'desist/async-iterator';
  import { cancellableFetch } from 'desist/fetch';
  import { cancellableStream, foldAnthropic, foldOpenAIChat, readStream } from 'desist/llm';
  Object.assign(globalThis, { ...front, cancellableIterable, sharedStream, cancellableFetch, cancellableStream });
  Object.assign(globalThis, { foldAnthropic, foldOpenAIChat, readStream, isReady: true });
`;

describe.skipIf(chromiumPath === undefined).each(bundlings)('fetch and streams in Chromium, by %s', (bundling) => {
  let server: Server;
  let site: Site;
  let browser: TestBrowser;
  let tab: Page;
  const open = new Set<ServerResponse>();
  let wasAsked = false;

  beforeAll(async () => {
    requireBuild();
    server = createServer((request, response) => {
      const status = /^\/status\/(\d+)$/.exec(request.url ?? '')?.[1];
      if (status !== undefined) response.writeHead(Number(status)).end();
      else if (request.url === '/drip') {
        response.writeHead(200, { 'content-type': 'text/plain' });
        const timer = setInterval(() => response.write('x'), 10);
        open.add(response);
        response.on('close', () => {
          open.delete(response);
          clearInterval(timer);
        });
      } else if (request.url === '/silent') {
        response.writeHead(200, { 'content-length': '5' }).write('half');
      } else if (request.url === '/later') {
        if (!wasAsked) wasAsked = true;
        else response.end('at last');
      } else request.resume().on('end', () => response.end('taken'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const dist = fileURLToPath(new URL('../../dist', import.meta.url));
    const forwardTo = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    site = await serveSite({ pages: await bundledPage(bundling, script), folders: { '/dist': dist }, forwardTo });
    browser = await launchBrowser();
    tab = await browser.open(site.url);
    await tab.waitForFunction('globalThis.isReady');
  }, 60_000);

  afterAll(async () => {
    expect(browser.errors).toEqual([]);
    await browser.close();
    await site.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const within = (code: string): Promise<unknown> => evaluated(tab, `(async () => { ${code} })()`);

  it.each([
    ...['text', 'json', 'arrayBuffer', 'blob', 'formData'].map((name) => [name, `response.${name}()`] as const),
    ['a clone', 'response.clone().text()'] as const,
    [
      'a reader',
      '(async () => { for (const reader = response.body.getReader(); !(await reader.read()).done; ); })()',
    ] as const,
    ['a pipe', 'response.body.pipeTo(new WritableStream({}))'] as const,
  ])('a stop during %s is our error', async (_name, read) => {
    const outcome = await within(`
      const stop = new CancellationTokenSource();
      const response = await cancellableFetch('/drip', { token: stop.token });
      setTimeout(() => stop.cancel('user'), 40);
      const error = await ${read}.catch((thrown) => thrown);
      return [error === stop.signal.reason, classify(error, stop.token).status];
    `);
    expect(outcome).toEqual([true, 'cancelled']);
  });

  it('a stop closes the connection, and so does a reader that leaves its loop', async () => {
    await eventually(() => {
      expect(open.size).toBe(0);
    });
    const left = await within(`
      const response = await cancellableFetch('/drip');
      for await (const chunk of cancellableIterable(null, response.body)) break;
      return 'left';
    `);
    expect(left).toBe('left');
    await eventually(() => {
      expect(open.size).toBe(0);
    });
  });

  it('silence in a body is an idle limit, and an attempt without an answer is made again', async () => {
    const outcome = await within(`
      const response = await cancellableFetch('/silent', { idleMs: 400 });
      const error = await response.text().catch((thrown) => thrown);
      const again = await cancellableFetch('/later', { retry: { attempts: 2, timeoutMs: 1_500, backoff: 1 } });
      return [error.name, error.reason?.kind, await again.text()];
    `);
    expect(outcome).toEqual(['TimeoutError', 'idle', 'at last']);
  });

  it('a download has several readers, one of which is stopped alone', async () => {
    const outcome = await within(`
      const stop = new CancellationTokenSource();
      const all = new CancellationTokenSource();
      const response = await cancellableFetch('/drip', { token: all.token });
      const shared = sharedStream(all.token, response.body);
      const read = async (token, heard) => {
        let chunks = 0;
        try { for await (const chunk of shared.reader(token)) if (++chunks === 1) heard?.(); } catch (error) { return [chunks > 0, error.name]; }
        return 'ended';
      };
      const both = read(null);
      const one = read(stop.token, () => setTimeout(() => stop.cancel('user'), 40));
      const first = await one;
      all.cancel('user');
      return [first, await both];
    `);
    expect(outcome).toEqual([
      [true, 'AbortError'],
      [true, 'AbortError'],
    ]);
  });

  it('a limit that passes during text() is that limit', async () => {
    const outcome = await within(`
      const response = await cancellableFetch('/drip', { timeoutMs: 1_500 });
      const error = await response.text().catch((thrown) => thrown);
      return [error.name, error.reason.kind];
    `);
    expect(outcome).toEqual(['TimeoutError', 'deadline']);
  });

  it.each([200, 204, 205, 304, 599, 999])(
    'a response with status %d comes through, for every method',
    async (status) => {
      const outcome = await within(`
      const methods = ['GET', 'DELETE', 'HEAD'];
      const ask = async (method) => (await cancellableFetch('/status/${String(status)}', { method })).status;
      return await Promise.all(methods.map((method) => ask(method).catch(String)));
    `);
      expect(outcome).toEqual([status, status, status]);
    },
  );

  it('a request of a frame is what it says: a POST is sent once, and its signal is heard', async () => {
    const outcome = await within(`
      const frame = document.body.appendChild(document.createElement('iframe')).contentWindow;
      const to = (path) => new URL(path, location.href).href;
      const request = new frame.Request(to('/status/500'), { method: 'POST', body: 'pay' });
      let sent = 0;
      const counted = (...args) => (sent++, fetch(...args));
      const retry = { attempts: 3, backoff: 1 };
      const { status } = await cancellableFetch(request, { fetch: counted, retry });
      const stop = new frame.AbortController();
      const body = await cancellableFetch(new frame.Request(to('/drip'), { signal: stop.signal }));
      setTimeout(() => stop.abort(), 40);
      const error = await body.text().catch((thrown) => thrown);
      return [status, sent, error.name];
    `);
    expect(outcome).toEqual([500, 1, 'AbortError']);
  });

  it('an upload of every kind that a browser takes arrives', async () => {
    const outcome = await within(`
      const form = new FormData();
      form.set('a', '1');
      const bodies = ['text', new Blob(['blob']), form, new URLSearchParams('a=1'), new Uint8Array(3)];
      const send = async (body) => (await cancellableFetch('/upload', { method: 'POST', body })).text();
      return await Promise.all(bodies.map((body) => send(body).catch(String)));
    `);
    expect(outcome).toEqual(['taken', 'taken', 'taken', 'taken', 'taken']);
  });

  it('a generator is sent as a stream, which Chromium refuses before HTTP/2, and never as its name', async () => {
    const outcome = await within(`
      async function* body() { yield 'abcd'; }
      const sent = cancellableFetch('/upload', { method: 'POST', body: body() });
      return await sent.then((response) => response.text(), (error) => error.name);
    `);
    expect(outcome).toBe('TypeError');
  });

  it('S15 a cut stream of a model is cancelled with its words, and a fold reads whole ones', async () => {
    const outcome = await within(`
      async function* chunks(isWhole) {
        yield { choices: [{ delta: { content: 'Hel' } }] };
        if (!isWhole) await new Promise(() => undefined);
        yield { choices: [{ delta: { content: 'lo' }, finish_reason: 'stop' }] };
      }
      const whole = await readStream(null, () => chunks(true), { fold: foldOpenAIChat, requireComplete: true });
      const stop = new CancellationTokenSource();
      const stream = cancellableStream(stop.token, () => chunks(false), { fold: foldOpenAIChat });
      await stream.next();
      setTimeout(() => stop.cancel('user'), 20);
      const error = await stream.next().catch((thrown) => thrown);
      return [whole.text, error.name, stream.partial.text, stream.partial.usage.isExact];
    `);
    expect(outcome).toEqual(['Hello', 'AbortError', 'Hel', false]);
  });
});
