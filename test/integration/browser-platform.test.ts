import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';

import { requireBuild } from '../package/consumer.ts';
import { chromiumPath, evaluated, launchBrowser, type TestBrowser } from '../support/browser.ts';
import { serveSite, type Site } from '../support/site.ts';
import { platformCases } from '../support/web-platform/cases.ts';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Runs one case by its name, and answers with what it threw. */
const page = `<!doctype html><title>cases</title><script type="module">
  import { CancellationToken, CancellationTokenSource } from '/dist/index.js';
  import { platformCases } from '/cases/cases.ts';
  globalThis.runCase = async (name) => {
    const found = platformCases.find((candidate) => candidate.name === name);
    try { await found.run({ CancellationToken, CancellationTokenSource }); return 'ok'; }
    catch (error) { return String(error?.stack ?? error); }
  };
</script>`;

describe.skipIf(chromiumPath === undefined)('signals in Chromium', () => {
  let site: Site;
  let browser: TestBrowser;
  let tab: Page;

  beforeAll(async () => {
    requireBuild();
    const folders = { '/dist': folder('../../dist'), '/cases': folder('../support/web-platform') };
    site = await serveSite({ pages: { '/': page }, folders });
    browser = await launchBrowser();
    tab = await browser.open(site.url);
    await tab.waitForFunction('globalThis.runCase !== undefined');
  }, 60_000);

  afterAll(async () => {
    expect(browser.errors).toEqual([]);
    await browser.close();
    await site.close();
  });

  it.each(platformCases)('$name', async ({ name }) => {
    expect(await evaluated(tab, `runCase(${JSON.stringify(name)})`)).toBe('ok');
  });
});
