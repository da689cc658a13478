import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';

import { startModelServer, type ModelServer } from '../../src/testing/model-server/index.ts';
import { requireBuild } from '../package/consumer.ts';
import { artifactPath, chromiumPath, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { serveSite, type Site } from '../support/site.ts';

/** A page as a user of the package would write it: the built doors, a Stop button, the text as it comes. */
const page = `<!doctype html><title>Stop</title>
<button id="run">Run</button> <button id="stop">Stop</button> <output id="state">idle</output>
<pre id="text"></pre>
<script type="importmap">{ "imports": { "desist": "/dist/index.js", "desist/": "/dist/" } }</script>
<script type="module">
  import { CancellationTokenSource, CancelledError } from 'desist';
  import { cancellableIterable } from 'desist/async-iterator.js';
  import { cancellableFetch } from 'desist/fetch.js';

  const [state, text] = [document.querySelector('#state'), document.querySelector('#text')];
  let stop = new CancellationTokenSource();
  document.querySelector('#stop').onclick = () => stop.cancel('user');
  document.querySelector('#run').onclick = async () => {
    stop = new CancellationTokenSource();
    state.value = 'running';
    text.textContent = '';
    try {
      const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Go.' }] });
      const { token } = stop;
      const response = await cancellableFetch('/v1/chat/completions', { method: 'POST', body, token });
      const decoded = response.body.pipeThrough(new TextDecoderStream());
      for await (const piece of cancellableIterable(token, decoded)) {
        for (const [, word] of piece.matchAll(/"content":"([^"]*)"/g)) text.textContent += word;
      }
      state.value = 'done';
    } catch (error) {
      state.value = error instanceof CancelledError ? 'cancelled: ' + error.reason.kind : 'failed: ' + error;
    }
  };
  state.value = 'ready';
</script>`;

describe.skipIf(chromiumPath === undefined)('a page with a Stop button in Chromium', () => {
  let model: ModelServer;
  let site: Site;
  let browser: TestBrowser;
  let tab: Page;

  const state = (value: string) => tab.waitForFunction(`document.querySelector('#state').value === '${value}'`);
  const words = async () => (await tab.textContent('#text'))?.trim().split(/\s+/) ?? [];

  beforeAll(async () => {
    requireBuild();
    model = await startModelServer({
      script: [{ text: 'word '.repeat(400), chunkMs: 25 }, 'A second answer.', { text: 'half of it', silentAfter: 2 }],
    });
    const dist = fileURLToPath(new URL('../../dist', import.meta.url));
    site = await serveSite({ pages: { '/': page }, folders: { '/dist': dist }, forwardTo: model.url });
    browser = await launchBrowser();
    tab = await browser.open(site.url);
    await state('ready');
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    await site.close();
    await model.close();
  });

  it('S15 Stop cuts the stream, the partial text stays, and the server sees the close', async () => {
    await tab.click('#run');
    await tab.waitForFunction(`document.querySelector('#text').textContent.length > 20`);
    await tab.click('#stop');
    await state('cancelled: user');
    const kept = await words();
    expect(new Set(kept)).toEqual(new Set(['word']));
    const { finishedAt, deltasWritten } = await model.waitFor(({ requests }) =>
      requests.find((one) => one.closedEarly),
    );
    expect([finishedAt, deltasWritten < 400]).toEqual([undefined, true]);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await words()).toEqual(kept); // not a word after the stop
    const picture = artifactPath('browser-stop.png');
    await tab.screenshot({ path: picture });
    expect(existsSync(picture)).toBe(true);
  });

  it('a second run works', async () => {
    await tab.click('#run');
    await state('done');
    expect((await words()).join(' ')).toBe('A second answer.');
    expect(model.requests[1]?.closedEarly).toBe(false);
  });

  it('Stop ends a stream that has fallen silent as well', async () => {
    await tab.click('#run');
    await tab.waitForFunction(`document.querySelector('#text').textContent !== ''`);
    await tab.click('#stop');
    await state('cancelled: user');
    await model.waitFor(({ requests }) => requests[2]?.closedEarly);
    expect(browser.errors).toEqual([]);
  });
});
