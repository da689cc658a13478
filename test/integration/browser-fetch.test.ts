/** What a browser makes of responses that are stopped, of those without a body, and of uploads. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';

import { requireBuild } from '../package/consumer.ts';
import { chromiumPath, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { serveSite, type Site } from '../support/site.ts';

/** The doors as globals, for what each test does with them. */
const page = `<!doctype html><title>fetch</title>
<script type="importmap">{ "imports": { "desist": "/dist/index.js", "desist/": "/dist/" } }</script>
<script type="module">
  import * as front from 'desist';
  import { cancellableFetch } from 'desist/fetch.js';
  import { cancellableStream, foldOpenAIChat, readStream } from 'desist/llm.js';
  Object.assign(globalThis, { ...front, cancellableFetch, cancellableStream, foldOpenAIChat, readStream, isReady: true });
</script>`;

describe.skipIf(chromiumPath === undefined)('fetch in Chromium', () => {
  let server: Server;
  let site: Site;
  let browser: TestBrowser;
  let tab: Page;

  beforeAll(async () => {
    requireBuild();
    server = createServer((request, response) => {
      const status = /^\/status\/(\d+)$/.exec(request.url ?? '')?.[1];
      if (status !== undefined) response.writeHead(Number(status)).end();
      else if (request.url === '/drip') {
        response.writeHead(200, { 'content-type': 'text/plain' });
        const timer = setInterval(() => response.write('x'), 10);
        response.on('close', () => {
          clearInterval(timer);
        });
      } else request.resume().on('end', () => response.end('taken'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const dist = fileURLToPath(new URL('../../dist', import.meta.url));
    const forwardTo = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    site = await serveSite({ pages: { '/': page }, folders: { '/dist': dist }, forwardTo });
    browser = await launchBrowser();
    tab = await browser.open(site.url);
    await tab.waitForFunction('globalThis.isReady');
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    await site.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const within = (code: string): Promise<unknown> => tab.evaluate(`(async () => { ${code} })()`);

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

  it('a limit that passes during text() is that limit', async () => {
    const outcome = await within(`
      const response = await cancellableFetch('/drip', { timeoutMs: 60 });
      const error = await response.text().catch((thrown) => thrown);
      return [error.name, error.reason.kind];
    `);
    expect(outcome).toEqual(['TimeoutError', 'deadline']);
  });

  it.each([200, 204, 205, 304])('a response with status %d comes through, for every method', async (status) => {
    const outcome = await within(`
      const methods = ['GET', 'DELETE', 'HEAD'];
      const ask = async (method) => (await cancellableFetch('/status/${String(status)}', { method })).status;
      return await Promise.all(methods.map((method) => ask(method).catch(String)));
    `);
    expect(outcome).toEqual([status, status, status]);
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
