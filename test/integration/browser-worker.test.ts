import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';

import { requireBuild } from '../package/consumer.ts';
import { chromiumPath, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { serveSite, type Site } from '../support/site.ts';

/** Shares a source with a worker that waits, or never listens; answers with what became of it. */
const page = `<!doctype html><title>worker</title><script type="module">
  import { CancellationTokenSource } from '/dist/index.js';
  import { shareToken, superviseWorker } from '/dist/worker.js';
  const code = \`
    import { receiveToken } from '\${location.origin}/dist/worker.js';
    onmessage = async ({ data: { how, handle } }) => {
      const shared = receiveToken(handle);
      postMessage('ready');
      if (how === 'deaf') for (;;);
      if (how === 'cancels') shared.cancel({ kind: 'budget', by: 'worker' });
      const { kind, by } = await shared.token.cancelled();
      postMessage({ kind, by });
    };
  \`;
  globalThis.run = async (how) => {
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' });
    const next = () => new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
    const source = new CancellationTokenSource();
    const shared = shareToken(source);
    const ready = next();
    worker.postMessage({ how, handle: shared.handle }, shared.transferList);
    await ready;
    const answer = how === 'deaf' ? superviseWorker(source.token, worker, { graceMs: 50 }) : next();
    if (how === 'cancels') await source.token.cancelled();
    else source.cancel({ kind: 'user', by: 'page' });
    const said = await answer;
    const here = source.token.reason;
    shared.release();
    worker.terminate();
    return JSON.stringify({ said, here: { kind: here.kind, by: here.by } });
  };
</script>`;

describe.skipIf(chromiumPath === undefined)('S28 a worker in Chromium', () => {
  let site: Site;
  let browser: TestBrowser;
  let tab: Page;

  beforeAll(async () => {
    requireBuild();
    const dist = fileURLToPath(new URL('../../dist', import.meta.url));
    site = await serveSite({ pages: { '/': page }, folders: { '/dist': dist } });
    browser = await launchBrowser();
    tab = await browser.open(site.url);
    await tab.waitForFunction('globalThis.run !== undefined');
  }, 60_000);

  afterAll(async () => {
    expect(browser.errors).toEqual([]);
    await browser.close();
    await site.close();
  });

  const run = async (how: string): Promise<unknown> => JSON.parse(await tab.evaluate<string>(`run('${how}')`));

  it('S28 hears of a cancel by message, where memory cannot be shared', async () => {
    const user = { kind: 'user', by: 'page' };
    expect(await run('waits')).toEqual({ said: user, here: user });
  });

  it('S28 cancels the source of the page', async () => {
    const budget = { kind: 'budget', by: 'worker' };
    expect(await run('cancels')).toEqual({ said: budget, here: budget });
  });

  it('S28 that never listens is terminated after its grace', async () => {
    expect(await run('deaf')).toMatchObject({ said: { terminated: true, ended: true, stoppedBy: { kind: 'user' } } });
  });
});
